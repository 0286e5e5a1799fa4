#include "host/core/cpu/cpu_kernels.hpp"

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath::cpu {

Workspace::~Workspace() {
  for (void* memory : memory_) std::free(memory);
}

void* Workspace::rows(std::size_t bytes) {
  return grow(0, bytes);
}
void* Workspace::query(std::size_t bytes) {
  return grow(1, bytes);
}
void* Workspace::border(std::size_t bytes) {
  return grow(2, bytes);
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

#if defined(WARPATH_HAS_AVX512)
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("fma");
}
#endif
#if defined(WARPATH_HAS_AVX2)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

}  // namespace

std::vector<const CpuKernels*> usable_kernels() {
  std::vector<const CpuKernels*> usable;
#if defined(WARPATH_HAS_AVX512)
  if (has_avx512()) usable.push_back(&avx512);
#endif
#if defined(WARPATH_HAS_AVX2)
  if (has_avx2()) usable.push_back(&avx2);
#endif
#if defined(WARPATH_HAS_PORTABLE)
  usable.push_back(&portable);
#endif
  if (usable.empty()) {
    throw UsageError(
        "this build has no instruction set that this CPU has: build it with "
        "-DWARPATH_ISA=all");
  }
  return usable;
}

const CpuKernels& chosen_kernels() {
  const auto usable = usable_kernels();
  const char* forced = std::getenv("WARPATH_ISA");
  if (forced == nullptr || *forced == '\0') return *usable.front();
  std::string names;
  for (const CpuKernels* isa : usable) {
    if (std::string_view(forced) == isa->name) return *isa;
    names += (names.empty() ? "" : ", ") + std::string(isa->name);
  }
  throw UsageError(std::string("WARPATH_ISA=") + forced + " is none that this CPU has: " + names);
}

}  // namespace warpath::cpu
