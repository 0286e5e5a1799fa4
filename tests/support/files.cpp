#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "host/files/io/input_file.hpp"
#include "host/program/cli/cli.hpp"

namespace warpath::testing {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "warpath_test.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

std::vector<std::string> TemporaryFolder::list() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), path_).string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read_text(const std::string& path) {
  return io::read_input(path);
}

void unpack_tar(const std::string& archive, const std::string& below,
                const TemporaryFolder& folder) {
  const std::string text = io::read_input(archive);
  constexpr std::size_t block = 512;
  for (std::size_t begin = 0; begin + block <= text.size() && text[begin] != '\0';) {
    const std::string name(text.c_str() + begin);
    const std::size_t size = std::stoul(text.substr(begin + 124, 11), nullptr, 8);
    if (text[begin + 156] == '0') {
      folder.write(below + '/' + name, text.substr(begin + block, size));
    }
    begin += block + (size + block - 1) / block * block;
  }
}

std::vector<CsvRow> read_csv(const std::string& path) {
  std::istringstream lines(io::read_input(path));
  auto cells = [](const std::string& line) {
    std::vector<std::string> parts(1);
    for (const char c : line) {
      if (c == ',')
        parts.emplace_back();
      else if (c != '\r')
        parts.back() += c;
    }
    return parts;
  };
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = cells(line);
  std::vector<CsvRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = cells(line);
    if (values.size() != header.size()) throw std::runtime_error(path + ": ragged line " + line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t c = 0; c < header.size(); ++c) row[header[c]] = values[c];
  }
  return rows;
}

Arguments with(Arguments words, const Arguments& more, const Arguments& others) {
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

CliResult run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = cli::run_cli(arguments, out, err);
  return {code, out.str(), err.str()};
}

std::string data_folder() {
  const char* folder = std::getenv("WARPATH_DATA");
  return folder != nullptr && fs::exists(fs::path(folder) / "connectivity") ? folder : "";
}

std::string program() {
  return WARPATH_PROGRAM;
}

std::string source(const std::string& path) {
  return std::string(WARPATH_SOURCE) + "/" + path;
}

}  // namespace warpath::testing
