#include "warpath/r4r.hpp"

#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"
#include "host/io/output_file.hpp"
#include "host/io/progress.hpp"
#include "host/report/r4r_report.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

struct R4rCommand {
  explicit R4rCommand(CLI::App& command) {
    command
        .add_option("--graphs", options.graphs,
                    "folder of <scan>_connectivity.json or other graphs, or one graph file")
        ->required()
        ->check(not_empty());
    command
        .add_option("--dataset", options.dataset,
                    "R2R annotations, with headings and instructions; - is standard input")
        ->required()
        ->check(not_empty());
    command.add_option("--out", out, "the R4R annotations to write; - is standard output")
        ->type_name("FILE")
        ->required()
        ->check(not_empty());
    command
        .add_option("--threshold", options.threshold_m,
                    "metres from the end of the first path to the start of the second")
        ->capture_default_str();
    command
        .add_option("--compare", compare,
                    "whether the distance is at most the threshold, as in the original script, or "
                    "less, as its paper says")
        ->type_name("lt|le")
        ->capture_default_str()
        ->check(not_empty());
    command.add_option("--heading-threshold", options.heading_threshold,
                       "radians that the second path's heading may differ from the first path's "
                       "last step, not wrapped at 2 pi, as in the original script (default: any)");
    command.add_flag("--force", force, "replace a file that is there");
    command.add_flag("--quiet", quiet, "no tables");
  }

  void run(Io& io) {
    if (quiet) hide_progress();
    options.compare = convention_with("success", "--compare", compare).success;
    if (out.ends_with(".gz")) {
      throw UsageError(
          fmt::format("--out {} would not be compressed; name a file without .gz", out));
    }
    EvalFiles inputs;
    inputs.graphs = options.graphs;
    inputs.dataset = options.dataset;
    check_outputs({{"--out", out}}, inputs);
    if (!force) check_new({"--out", out});
    const R4r r4r = make_r4r(options);
    const bool is_stdout_taken = out == "-";
    if (is_stdout_taken) {
      io.out << r4r.json;
    } else {
      OutputFiles outputs;
      outputs.add(out, r4r.json);
      outputs.commit();
    }
    if (!quiet) print(r4r, is_stdout_taken ? io.err : io.out, io);
  }

 private:
  void print(const R4r& r4r, std::ostream& stream, const Io& io) const {
    stream << fmt::format("{}: {}, {}\n\n", out == "-" ? "standard output" : clean_text(out),
                          counted(r4r.r4r.paths, "path"), counted(r4r.r4r.samples, "instruction"))
           << r4r_report(r4r, options, {io.terminal.width, false});
  }

  R4rOptions options;
  std::string out, compare = "le";
  bool force = false, quiet = false;
};

}  // namespace

void add_r4r(CLI::App& app, Io& io) {
  CLI::App* command =
      app.add_subcommand("r4r", "Make R4R: join the paths of R2R, as its original script does");
  auto options = std::make_shared<R4rCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
