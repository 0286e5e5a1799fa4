#include "warpath/error.hpp"

namespace warpath {
namespace {

std::string one_line(const InputError::Where& where, std::string_view problem,
                     std::string_view remedy) {
  std::string text;
  for (const std::string* part : {&where.file, &where.item, &where.field}) {
    if (!part->empty()) text += *part + ": ";
  }
  text += problem;
  if (!remedy.empty()) text.append("; ").append(remedy);
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

InputError::InputError(const Where& where, std::string_view problem, std::string_view remedy)
    : std::runtime_error(one_line(where, problem, remedy)) {}

}  // namespace warpath
