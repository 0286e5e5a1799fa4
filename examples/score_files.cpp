// Scores the predictions of one or more agents from files, as `warpath eval` does.
//
//   score_files GRAPHS DATASET PREDICTIONS...
//
// `warpath demo --out FOLDER` makes such files: FOLDER/graphs, FOLDER/dataset.json and
// FOLDER/follower.json, among others.

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/error.hpp"
#include "warpath/evaluate.hpp"

namespace {

using warpath::Metric;

// Prints "0.4925 [0.4706, 0.5144]": the mean over items and its 95 % confidence interval.
void print(const warpath::Estimate& estimate) {
  if (!estimate.mean) {
    std::cout << "  no value";
    return;
  }
  std::cout << "  " << *estimate.mean;
  if (const auto& ci = estimate.ci95) std::cout << " [" << (*ci)[0] << ", " << (*ci)[1] << ']';
}

void print_table(const std::vector<warpath::AgentResult>& agents) {
  std::cout << std::fixed << std::setprecision(4);
  for (const warpath::AgentResult& agent : agents) {
    std::cout << std::left << std::setw(12) << agent.name << std::right;
    for (const Metric metric : {Metric::SR, Metric::SPL, Metric::nDTW}) {
      print(agent.summary.of(metric));
    }
    std::cout << "  over " << agent.summary.of(Metric::SR).n << " items\n";
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) {
    std::cerr << "usage: score_files GRAPHS DATASET PREDICTIONS...\n";
    return 2;
  }

  warpath::EvalFiles files;
  files.graphs = arguments[0];
  files.dataset = arguments[1];
  files.predictions.assign(arguments.begin() + 2, arguments.end());
  warpath::Evaluator evaluator(files);  // reads the files once

  std::cout << evaluator.description().dataset_description << "; SR, SPL, nDTW\n";
  for (const std::string_view preset : {"paper", "r2r"}) {
    std::cout << "preset " << preset << '\n';
    print_table(evaluator.evaluate(warpath::find_preset(preset).convention));
  }
  return 0;
} catch (const warpath::Error& error) {  // one line: file, item, field, problem and remedy
  std::cerr << error.what() << '\n';
  return 1;
}
