#include "host/selftest/forced_instruction_set.hpp"

#include <cstdlib>

#include "host/cpu/cpu_kernels.hpp"

namespace warpath::selftest {

ForcedInstructionSet::ForcedInstructionSet(const std::string& isa) {
  if (const char* given = std::getenv("WARPATH_ISA")) before_ = given;
  setenv("WARPATH_ISA", isa.c_str(), 1);
}

ForcedInstructionSet::~ForcedInstructionSet() {
  if (before_)
    setenv("WARPATH_ISA", before_->c_str(), 1);
  else
    unsetenv("WARPATH_ISA");
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) found.push_back(isa->name);
  return found;
}

}  // namespace warpath::selftest
