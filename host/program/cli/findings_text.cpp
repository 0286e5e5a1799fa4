#include "host/program/cli/findings_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::cli {
namespace {

std::string_view consequence(submission::Outcome outcome) {
  switch (outcome) {
    case submission::Outcome::rejected:
      return "; the whole submission is rejected";
    case submission::Outcome::misread:
      return "; it scores other paths than were meant";
    default:
      return "";
  }
}

}  // namespace

std::string findings_text(const std::vector<submission::Finding>& findings) {
  std::string text;
  for (const submission::Finding& f : findings) {
    const submission::ProblemInfo& p = *f.info;
    text += fmt::format("\n{} ({}): {}\n", p.name, f.count, p.what);
    for (const std::string& example : f.examples) {
      text += fmt::format("    {}\n", base::clean_text(example));
    }
    text += fmt::format("  server: {}{}\n", p.server, consequence(p.outcome));
    text += fmt::format("  remedy: {}\n", p.remedy);
  }
  return text.empty() ? text : text + "\n";
}

std::string verdict(const std::vector<submission::Finding>& findings) {
  const auto kinds = std::ranges::count_if(findings, [](const submission::Finding& f) {
    return f.info->outcome != submission::Outcome::harmless;
  });
  const std::string problems =
      fmt::format("({} of problem{})", io::counted(kinds, "kind"), kinds == 1 ? "" : "s");
  switch (submission::outcome(findings)) {
    case submission::Outcome::rejected:
      return "the official server would reject it " + problems;
    case submission::Outcome::misread:
      return "the official server would accept it, but misread it " + problems;
    default:
      return "the official server would accept it";
  }
}

std::string describe(const formats::Predictions& predictions) {
  const std::string name = base::clean_text(predictions.file);
  std::string text = fmt::format("{}: {}, {}\n", name, formats::title(predictions.format),
                                 io::counted(predictions.entries.size(), "prediction"));
  for (const std::string& note : predictions.notes) {
    text += fmt::format("{}: {}\n", name, base::clean_text(note));
  }
  return text;
}

std::string note_on(const submission::Server& server, const tasks::Task& task) {
  const std::string_view known = server.note.empty() ? task.server_note : server.note;
  return known.empty() ? "" : fmt::format("note: checked by {}\n", known);
}

}  // namespace warpath::cli
