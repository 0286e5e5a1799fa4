#include "host/program/cli/agent_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "host/program/cli/options.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

namespace fs = std::filesystem;

// Splits "NAME=FILE". The name is empty if there is a file with that whole name, including "=".
std::pair<std::string, std::string> split_name(const std::string& word) {
  const std::size_t equals = word.find('=');
  std::error_code error;
  if (equals == std::string::npos || fs::exists(word, error)) return {"", word};
  if (equals == 0 || equals + 1 == word.size()) {
    throw UsageError(fmt::format("'{}' is neither a file nor NAME=FILE", word));
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// Makes NAME=FILE1 and NAME=FILE2 of NAME=FILE1,FILE2.
std::vector<std::string> split_runs(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    const auto [name, paths] = split_name(word);
    for (const std::string& path : split_list(paths))
      files.push_back(name.empty() ? path : fmt::format("{}={}", name, path));
  }
  return files;
}

}  // namespace

void name_agents(EvalFiles& files, const std::string& only_name) {
  if (files.runs) files.predictions = split_runs(files.predictions);
  std::vector<std::string> names;
  for (std::string& file : files.predictions) {
    auto [name, path] = split_name(file);
    names.push_back(std::move(name));
    file = std::move(path);
  }
  const bool is_named = std::ranges::any_of(names, [](const auto& n) { return !n.empty(); });
  const bool is_one = files.merge || names.size() < 2;
  if (is_named && files.merge) throw UsageError("shards are of one agent: name it with --name");
  if (!only_name.empty() && (is_named || !is_one)) {
    throw UsageError("--name names one agent: name several by NAME=FILE");
  }
  if (!only_name.empty())
    files.names = {only_name};
  else if (is_named)
    files.names = names;
  if (is_one) return;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& shown = names[k].empty() ? files.predictions[k] : names[k];
    for (std::size_t other = 0; other < k; ++other) {
      if (shown != (names[other].empty() ? files.predictions[other] : names[other])) continue;
      if (files.runs && !names[k].empty() && files.predictions[k] == files.predictions[other]) {
        throw UsageError(fmt::format("{} is two runs of '{}': name each run's own file",
                                     files.predictions[k], shown));
      }
      if (files.runs && !names[k].empty() && !names[other].empty()) continue;
      throw UsageError(
          fmt::format("two agents are called '{}': name them apart by NAME=FILE", shown));
    }
  }
}

}  // namespace warpath::cli
