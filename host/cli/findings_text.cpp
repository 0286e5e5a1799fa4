#include "host/cli/findings_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"

namespace warpath {
namespace {

std::string_view consequence(Outcome outcome) {
  switch (outcome) {
    case Outcome::rejected:
      return "; the whole submission is rejected";
    case Outcome::misread:
      return "; it scores other paths than were meant";
    default:
      return "";
  }
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    const ProblemInfo& p = *f.info;
    text += fmt::format("\n{} ({}): {}\n", p.name, f.count, p.what);
    for (const std::string& example : f.examples) {
      text += fmt::format("    {}\n", clean_text(example));
    }
    text += fmt::format("  server: {}{}\n", p.server, consequence(p.outcome));
    text += fmt::format("  remedy: {}\n", p.remedy);
  }
  return text.empty() ? text : text + "\n";
}

std::string verdict(const std::vector<Finding>& findings) {
  const auto kinds = std::ranges::count_if(
      findings, [](const Finding& f) { return f.info->outcome != Outcome::harmless; });
  const std::string problems =
      fmt::format("({} of problem{})", counted(kinds, "kind"), kinds == 1 ? "" : "s");
  switch (outcome(findings)) {
    case Outcome::rejected:
      return "the official server would reject it " + problems;
    case Outcome::misread:
      return "the official server would accept it, but misread it " + problems;
    default:
      return "the official server would accept it";
  }
}

std::string describe(const Predictions& predictions) {
  const std::string name = clean_text(predictions.file);
  std::string text = fmt::format("{}: {}, {}\n", name, title(predictions.format),
                                 counted(predictions.entries.size(), "prediction"));
  for (const std::string& note : predictions.notes) {
    text += fmt::format("{}: {}\n", name, clean_text(note));
  }
  return text;
}

std::string note_on(const Server& server, const Task& task) {
  const std::string_view known = server.note.empty() ? task.server_note : server.note;
  return known.empty() ? "" : fmt::format("note: checked by {}\n", known);
}

}  // namespace warpath
