#include "host/cpu/cpu_kernels.hpp"

#include <cstdlib>
#include <new>
#include <string>

#include "warpath/error.hpp"

namespace warpath::cpu {

Workspace::~Workspace() {
  for (void* memory : memory_) std::free(memory);
}

void* Workspace::grow(int use, std::size_t bytes) {
  if (bytes > bytes_[use]) {
    std::free(memory_[use]);
    bytes_[use] = (2 * bytes + 63) / 64 * 64;
    memory_[use] = std::aligned_alloc(64, bytes_[use]);
    if (memory_[use] == nullptr) {
      bytes_[use] = 0;
      throw std::bad_alloc();
    }
  }
  return memory_[use];
}

namespace {

bool runs_here(const CpuKernels& isa) {
  __builtin_cpu_init();
  if (&isa == &avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("fma");
  }
  if (&isa == &avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return true;
}

}  // namespace

const CpuKernels& chosen_kernels() {
  const char* forced = std::getenv("WARPATH_ISA");
  for (const CpuKernels* isa : {&avx512, &avx2, &portable}) {
    if (forced == nullptr || *forced == '\0') {
      if (runs_here(*isa)) return *isa;
    } else if (std::string_view(forced) == isa->name) {
      if (runs_here(*isa)) return *isa;
      throw UsageError(std::string("WARPATH_ISA=") + forced + ": this CPU does not have it");
    }
  }
  throw UsageError(std::string("WARPATH_ISA=") + forced + " is none of avx512, avx2, portable");
}

}  // namespace warpath::cpu
