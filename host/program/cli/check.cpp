#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/report/make_report.hpp"
#include "warpath/error.hpp"
#include "warpath/version.hpp"

namespace warpath::cli {
namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "nothing" : base::clean_text(value);
}

// Scores files under the convention of a signature, and says in which parts theirs differs.
class CheckCommand {
 public:
  explicit CheckCommand(Command& command) {
    command
        .add_option("signature", signature_,
                    "the line below a table, or \"signature\" in a JSON report")
        .require()
        .check(not_empty());
    files_ = std::make_unique<FileOptions>(command);
  }

  void run(Io& io) const {
    const report::Signature wanted = report::parse_signature(signature_);
    report::ReportRequest request;
    request.convention = report::convention_of(wanted);
    request.metrics = {Metric::SR};  // statuses are the same; nothing that others lack is refused
    EvalFiles files = files_->files();
    files.summaries_only = true;
    Evaluator evaluator(files);
    const report::EvalReport report = report::make_report(evaluator, request);
    for (const AgentResult& run : report.runs) {
      const auto found =
          report::differences(wanted, report::signature_of(report, run, request.convention));
      print(run, found, io);
      if (!found.empty()) io.exit_code = 1;
    }
    const std::string own = wanted.value_of("own_metrics");
    if (!own.empty())
      io.out << "note: own metrics, which functions in Python gave, are not checked: "
             << base::clean_text(own) << '\n';
    const std::string version = wanted.value_of("warpath");
    if (!version.empty() && version != WARPATH_VERSION)
      io.out << "note: the signature is of warpath " << base::clean_text(version) << ", this is "
             << WARPATH_VERSION << '\n';
  }

 private:
  static void print(const AgentResult& run, const std::vector<report::SignatureDifference>& found,
                    Io& io) {
    const std::string name = base::clean_text(run.name);
    if (found.empty()) {
      io.out << name << ": has the signature\n";
      return;
    }
    io.out << name << ": differs from the signature in " << io::counted(found.size(), "part")
           << '\n';
    for (const report::SignatureDifference& each : found)
      io.out << fmt::format("  {}: {} in the signature, {} of these files\n", each.name,
                            shown(each.of_first), shown(each.of_second));
  }

  std::string signature_;
  std::unique_ptr<FileOptions> files_;
};

}  // namespace

void add_check(Command& program, Io& io) {
  Command& command =
      program.add_command("check", "Say whether files give the signature of a report");
  auto options = std::make_shared<CheckCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
