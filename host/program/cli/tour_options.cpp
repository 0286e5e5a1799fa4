#include "host/program/cli/tour_options.hpp"

#include "host/program/cli/options.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {

void add_tour_options(Command& command, EvalFiles& files) {
  command
      .add_option("--tours", files.tours,
                  "tours (IVLN): {split: {scan: [[instr_id, ...], ...]}}, whose episodes the items "
                  "are")
      .put_in("Files")
      .check(not_empty());
  command
      .add_option("--split", files.split,
                  "split of a file of tours that has several (default: the one that the dataset "
                  "has)")
      .name_value("NAME")
      .put_in("Files")
      .check(not_empty());
}

void add_tour_csv_option(Command& command, std::string& file) {
  command.add_option("--tour-csv", file, "write a row per agent and tour; - is standard output")
      .put_in("Output files")
      .check(not_empty());
}

void check_tour_csv(const std::string& file, const Evaluator& evaluator) {
  if (file.empty() || evaluator.metrics().contains(Metric::tour_nDTW)) return;
  throw UsageError("--tour-csv is of tours: name them by --tours");
}

}  // namespace warpath::cli
