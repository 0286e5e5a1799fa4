#include "warpath/error.hpp"

#include "host/io/one_line.hpp"

namespace warpath {
namespace {

std::string message(const InputError::Where& where, std::string_view problem,
                    std::string_view remedy) {
  std::string text;
  for (const std::string* part : {&where.file, &where.item, &where.field}) {
    if (!part->empty()) text += *part + ": ";
  }
  text += problem;
  if (!remedy.empty()) text.append("; ").append(remedy);
  return one_line(std::move(text));
}

}  // namespace

InputError::InputError(const Where& where, std::string_view problem, std::string_view remedy)
    : std::runtime_error(message(where, problem, remedy)) {}

}  // namespace warpath
