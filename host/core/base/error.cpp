#include "warpath/error.hpp"

#include "host/core/base/clean_text.hpp"

namespace warpath {
namespace {

// Bounds what is quoted from files, but not their names.
std::string message(const InputError::Where& where, std::string_view problem,
                    std::string_view remedy) {
  constexpr std::size_t max_name = 200, max_problem = 1000;
  std::string text = where.file.empty() ? "" : where.file + ": ";
  for (const std::string* part : {&where.item, &where.field}) {
    if (!part->empty()) text += base::shortened(*part, max_name) + ": ";
  }
  text += base::shortened(problem, max_problem);
  if (!remedy.empty()) text.append("; ").append(base::shortened(remedy, max_problem));
  return base::clean_text(text);
}

std::string message(const CudaError::Failure& f, std::string_view remedy) {
  std::string text = f.call + " failed: " + f.name + ", " + f.text;
  if (!f.file.empty()) {
    text.append(" (").append(f.file.substr(f.file.find_last_of('/') + 1));
    text.append(":" + std::to_string(f.line) + ")");
  }
  if (!remedy.empty()) text.append("; ").append(remedy);
  return base::clean_text(text);
}

}  // namespace

InputError::InputError(const Where& where, std::string_view problem, std::string_view remedy)
    : Error(message(where, problem, remedy)),
      parts_(
          std::make_shared<const Parts>(Parts{where, std::string(problem), std::string(remedy)})) {}

CudaError::CudaError(const Failure& failure, std::string_view remedy)
    : Error(message(failure, remedy)), code_(failure.code) {}

}  // namespace warpath
