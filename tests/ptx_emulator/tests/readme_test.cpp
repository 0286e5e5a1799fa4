// Checks that the README's table of opcodes is that of the emulator.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "ptx/opcodes.hpp"

namespace ptx {
namespace {

// Splits a name: "add.rn.f32" is operation "add.rn" of type "f32"; "bra" has no type.
struct Name {
  std::string operation, type;
};

Name split(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? Name{name, ""} : Name{name.substr(0, dot), name.substr(dot)};
}

std::string join(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "`" : ", `") + part + "`";
  return joined;
}

// Returns the table, with one row for the operations that begin with the same word and have the
// same types.
std::string opcode_table() {
  std::map<std::string, std::vector<std::string>> types_of;
  for (const std::string& name : opcode_names()) {
    const auto [operation, type] = split(name);
    types_of[operation].push_back(type);
  }
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::string>> rows;
  for (const auto& [operation, types] : types_of) {
    rows[{operation.substr(0, operation.find('.')), types}].push_back(operation);
  }
  std::string table = "| operations | last suffix |\n|:--|:--|\n";
  for (const auto& [key, operations] : rows) {
    const bool has_type = !key.second[0].empty();
    table += "| " + join(operations) + " | " + (has_type ? join(key.second) : "") + " |\n";
  }
  return table;
}

TEST(PtxReadme, ListsTheOpcodesOfTheEmulator) {
  std::ifstream file(PTX_EMULATOR_README);
  ASSERT_TRUE(file) << PTX_EMULATOR_README;
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(readme.find("\n" + opcode_table() + "\n"), std::string::npos)
      << "README.md lacks this table:\n"
      << opcode_table();
}

}  // namespace
}  // namespace ptx
