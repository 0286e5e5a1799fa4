#include "warpath/r4r.hpp"

#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/progress.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/dataset_options.hpp"
#include "host/program/cli/text_output.hpp"
#include "host/program/report/r4r_report.hpp"

namespace warpath::cli {
namespace {

struct R4rCommand {
  explicit R4rCommand(Command& command) : files(command, DatasetForm::r2r) {
    out.add_to(command, "the R4R annotations to write; - is standard output").require();
    command
        .add_option("--threshold", options.threshold_m,
                    "metres from the end of the first path to the start of the second")
        .show_default();
    command
        .add_option("--compare", compare,
                    "whether the distance is at most the threshold, as in the original script, or "
                    "less, as its paper says")
        .name_value("lt|le")
        .show_default()
        .check(not_empty());
    command.add_option("--heading-threshold", options.heading_threshold,
                       "radians that the second path's heading may differ from the first path's "
                       "last step, not wrapped at 2 pi, as in the original script (default: any)");
    command.add_option("--quiet", quiet, "no tables");
  }

  void run(Io& io) {
    if (quiet) base::hide_progress();
    options.compare = convention_with("success", "--compare", compare).success;
    const EvalFiles inputs = files.files();
    options.graphs = inputs.graphs;
    options.dataset = inputs.dataset;
    options.max_input_bytes = inputs.max_input_bytes;
    check_outputs({out.option()}, inputs);
    out.check();
    const R4r r4r = make_r4r(options);
    out.write(r4r.json, io);
    if (!quiet) print(r4r, out.beside(io), io);
  }

 private:
  void print(const R4r& r4r, std::ostream& stream, const Io& io) const {
    stream << fmt::format("{}: {}, {}\n\n", base::clean_text(out.name()),
                          io::counted(r4r.r4r.paths, "path"),
                          io::counted(r4r.r4r.samples, "instruction"))
           << report::r4r_report(r4r, options, {io.terminal.width, false});
  }

  DatasetOptions files;
  TextOutput out;
  R4rOptions options;
  std::string compare = "le";
  bool quiet = false;
};

}  // namespace

void add_r4r(Command& program, Io& io) {
  Command& command =
      program.add_command("r4r", "Make R4R: join the paths of R2R, as its original script does");
  auto options = std::make_shared<R4rCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
