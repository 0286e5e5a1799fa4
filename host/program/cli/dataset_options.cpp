#include "host/program/cli/dataset_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/core/base/suggest.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/program/cli/shell_word.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {

DatasetOptions::DatasetOptions(Command& command, DatasetForm form) : form_(form) {
  add_graphs_option(command, files_.graphs);
  add_dataset(command);
  if (form != DatasetForm::r2r) {
    add_format(command);
    add_reference_option(command, files_.ndh_reference);
  }
  add_max_input_option(command, files_.max_input_bytes);
}

void DatasetOptions::add_dataset(Command& command) {
  switch (form_) {
    case DatasetForm::option:
      add_dataset_option(command, files_.dataset).require();
      break;
    case DatasetForm::argument:
      add_dataset_option(command, files_.dataset, "file");
      add_pairs_option(command, files_.pairs, "pairs file instead; its predictions are left aside");
      break;
    case DatasetForm::r2r:
      add_dataset_option(command, files_.dataset).require().help =
          "R2R annotations, with headings and instructions; - is standard input";
      break;
  }
}

void DatasetOptions::add_format(Command& command) {
  command
      .add_option("--format", files_.dataset_format,
                  fmt::format("of the dataset: {} (default: told from the content)",
                              fmt::join(tasks::task_forms(), ", ")))
      .put_in("Files")
      .check(not_empty());
}

EvalFiles DatasetOptions::files() const {
  if (form_ == DatasetForm::argument && files_.dataset.empty() == files_.pairs.empty()) {
    throw UsageError("give either a dataset FILE or --pairs FILE");
  }
  if (!files_.dataset_format.empty() && !tasks::find_task(files_.dataset_format)) {
    throw UsageError(base::no_such("format", files_.dataset_format, tasks::task_forms()));
  }
  evaluation::require_one_reference(files_);
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

}  // namespace warpath::cli
