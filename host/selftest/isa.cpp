#include "host/selftest/isa.hpp"

#include <cstdlib>

#include "host/cpu/isa.hpp"
#include "warpath/error.hpp"

namespace warpath::selftest {

ForcedIsa::ForcedIsa(const std::string& isa) {
  if (const char* given = std::getenv("WARPATH_ISA")) before_ = given;
  setenv("WARPATH_ISA", isa.c_str(), 1);
}

ForcedIsa::~ForcedIsa() {
  if (before_)
    setenv("WARPATH_ISA", before_->c_str(), 1);
  else
    unsetenv("WARPATH_ISA");
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
  for (const cpu::Isa* isa : {&cpu::avx512, &cpu::avx2, &cpu::portable}) {
    const ForcedIsa forced(isa->name);
    try {
      cpu::chosen_isa();
      found.push_back(isa->name);
    } catch (const UsageError&) {
      // this CPU does not have it
    }
  }
  return found;
}

}  // namespace warpath::selftest
