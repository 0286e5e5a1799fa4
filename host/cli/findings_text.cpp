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

// Says what R2R's rules leave out of those of a dataset's own server.
std::string_view rules_of_r2r(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::r2r:
      return "";
    case DatasetFormat::ndh:
      return "the rules of R2R's server; NDH's own wants inst_idx, an integer, which --fix keeps "
             "but does not make";
    case DatasetFormat::rxr:
      return "the rules of R2R's server, whose form --fix writes; RxR's own wants instruction_id "
             "and path, one entry a line";
    default:
      return "the rules of R2R's server: three instructions per path";
  }
}

std::string_view rules(Server server, DatasetFormat format) {
  switch (server) {
    case Server::reverie:
      return "the rules of REVERIE's eval_release.py, which wants predObjId and every instruction, "
             "<path_id>_<objId>_0 and on, and which allows jumps";
    case Server::soon:
      return "the rules of SOON-EvalAI-Starters' main.py, which scores every trajectory that there "
             "is and allows jumps";
    case Server::vlnce:
      return "what VLN-CE's exporter writes for EvalAI (format r2r), since the server's script is "
             "not public";
    case Server::rxr_habitat:
      return "what VLN-CE's exporter writes for RxR-Habitat (format rxr) and its README says, "
             "since the server's script is not public";
    default:
      return rules_of_r2r(format);
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

std::string note_on(Server server, DatasetFormat format) {
  const std::string_view known = rules(server, format);
  return known.empty() ? "" : fmt::format("note: checked by {}\n", known);
}

}  // namespace warpath
