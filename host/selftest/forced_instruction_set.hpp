#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpath::selftest {

/// Forces the CPU back end to use one instruction set during its lifetime. It sets the environment
/// variable WARPATH_ISA, so no other thread may run.
class ForcedInstructionSet {
 public:
  explicit ForcedInstructionSet(const std::string& isa);
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
  ~ForcedInstructionSet();

 private:
  std::optional<std::string> before_;
};

/// Returns the instruction sets that this CPU and this build have, the fastest first.
std::vector<std::string> instruction_sets();

}  // namespace warpath::selftest
