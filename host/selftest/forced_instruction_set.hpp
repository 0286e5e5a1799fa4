#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpath::selftest {

/// Has the CPU back end use one instruction set while it lives. Not beside other threads: it sets
/// the environment variable WARPATH_ISA.
class ForcedInstructionSet {
 public:
  explicit ForcedInstructionSet(const std::string& isa);
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
  ~ForcedInstructionSet();

 private:
  std::optional<std::string> before_;
};

/// The instruction sets that this CPU has and this build knows, best first.
std::vector<std::string> instruction_sets();

}  // namespace warpath::selftest
