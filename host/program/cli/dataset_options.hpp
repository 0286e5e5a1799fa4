#pragma once

#include <string>

#include "host/program/cli/options.hpp"

namespace warpath::cli {

/// Says how a command takes its dataset.
enum class DatasetForm {
  option,    ///< as --dataset, in any format
  argument,  ///< as an argument, or a pairs file as --pairs
  r2r,       ///< as --dataset, in R2R's format only
};

/// Holds the options of a command that reads a dataset and its graphs, without predictions.
class DatasetOptions {
 public:
  explicit DatasetOptions(Command& command, DatasetForm form = DatasetForm::option);

  /// Returns the files. @throws UsageError
  EvalFiles files() const;
  /// Returns the options as a shell reads them, without --max-input.
  /// @pre the dataset is an option
  std::string words() const;

 private:
  void add_dataset(Command& command);
  void add_format(Command& command);

  DatasetForm form_;
  EvalFiles files_;
};

}  // namespace warpath::cli
