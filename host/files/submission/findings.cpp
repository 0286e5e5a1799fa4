#include "host/files/submission/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace warpath::submission {
namespace {

constexpr std::size_t max_examples = 3;

}  // namespace

Outcome outcome(std::span<const Finding> findings) {
  Outcome worst = Outcome::harmless;
  for (const Finding& f : findings) worst = std::min(worst, f.info->outcome);
  return worst;
}

FindingList::FindingList(std::span<const ProblemInfo> problems) {
  for (const ProblemInfo& problem : problems) findings_.push_back({&problem});
}

void FindingList::note(Problem problem, std::string_view id, std::string_view detail) {
  const auto it = std::ranges::find(findings_, problem, [](auto& f) { return f.info->problem; });
  if (it == findings_.end()) throw std::logic_error("a problem that the server does not know");
  if (it->count++ >= max_examples) return;
  it->examples.push_back(fmt::format("{}{}{}", id, detail.empty() ? "" : ": ", detail));
}

std::vector<Finding> FindingList::take() {
  std::erase_if(findings_, [](const Finding& f) { return f.count == 0; });
  return std::move(findings_);
}

}  // namespace warpath::submission
