#include "host/cli/dataset_options.hpp"

#include <fmt/format.h>

#include "host/cli/shell_word.hpp"
#include "host/definitions/suggest.hpp"
#include "host/formats/dataset.hpp"
#include "warpath/error.hpp"

namespace warpath {

DatasetOptions::DatasetOptions(CLI::App& command) {
  add_graphs_option(command, files_.graphs);
  add_dataset_option(command, files_.dataset)->required();
  command
      .add_option("--format", files_.dataset_format,
                  fmt::format("of the dataset: {} (default: told from the content)",
                              fmt::join(dataset_format_names(), ", ")))
      ->group("Files")
      ->check(not_empty());
  add_ndh_reference_option(command, files_.ndh_reference);
  add_max_input_option(command, files_.max_input_bytes);
}

EvalFiles DatasetOptions::files() const {
  if (!files_.dataset_format.empty() && !find_dataset_format(files_.dataset_format)) {
    throw UsageError(no_such("format", files_.dataset_format, dataset_format_names()));
  }
  return files_;
}

std::string DatasetOptions::words() const {
  std::string words = fmt::format("--graphs {} --dataset {}", shell_quoted(files_.graphs),
                                  shell_quoted(files_.dataset));
  if (!files_.dataset_format.empty()) words += " --format " + shell_quoted(files_.dataset_format);
  if (files_.ndh_reference != EvalFiles{}.ndh_reference) {
    words += " --reference " + shell_quoted(files_.ndh_reference);
  }
  return words;
}

CLI::Option* PredictionOutput::add_to(CLI::App& command) {
  CLI::Option* out = command.add_option(
      "--out", file_, "write the predictions, in EvalAI's form; - is standard output");
  out->type_name("FILE")->check(not_empty());
  command.add_flag("--force", force_, "let --out replace a file that is there");
  return out;
}

void PredictionOutput::check() const {
  if (file_.ends_with(".gz")) {
    throw UsageError(
        fmt::format("--out {} would not be compressed; name a file without .gz", file_));
  }
  if (!force_) check_new(option());
}

}  // namespace warpath
