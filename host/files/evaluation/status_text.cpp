#include "host/files/evaluation/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpath::evaluation {
namespace {

using Verb = std::pair<std::string_view, std::string_view>;

constexpr std::array<Verb, 7> verbs{{{"have", "has"},
                                     {"are", "is"},
                                     {"name", "names"},
                                     {"need", "needs"},
                                     {"do", "does"},
                                     {"move", "moves"},
                                     {"belong", "belongs"}}};

}  // namespace

std::string describe(Status status, std::uint64_t items) {
  const std::string_view problem = info(status).problem;
  const std::size_t end = problem.find(' ');
  const auto verb = std::ranges::find(verbs, problem.substr(0, end), &Verb::first);
  if (items != 1 || verb == verbs.end()) return std::string(problem);
  return fmt::format("{}{}", verb->second, problem.substr(end));
}

}  // namespace warpath::evaluation
