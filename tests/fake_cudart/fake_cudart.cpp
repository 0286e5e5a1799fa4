#include "tests/fake_cudart/fake_cudart.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "tests/fake_cudart/kernel_names.hpp"
#include "tests/fake_cudart/state.hpp"

namespace warpath::testing {
namespace {

// Returns the seed for the order of threads and streams. Tests draw their seeds from the same
// variable and print it.
std::uint64_t seed() {
  static const std::uint64_t only = [] {
    if (std::getenv("WARPATH_SEED") == nullptr) {
      setenv("WARPATH_SEED", std::to_string(std::random_device{}()).c_str(), 0);
    }
    return std::stoull(std::getenv("WARPATH_SEED"));
  }();
  return only;
}

}  // namespace

cudaError_t last_error = cudaSuccess;

FakeCudart& cudart() {
  static FakeCudart only;
  return only;
}

void FakeCudart::begin(int failing, int with_code, bool sticky) {
  failing_call = failing;
  code = with_code;
  fault.clear();
  is_sticky = sticky;
  calls.clear();
  launches.clear();
  on_default_stream = 0;
  last_error = cudaSuccess;
}

ptx::Machine& machine() {
  static ptx::Machine only(seed());
  return only;
}

ptx::Program& program() {
  static ptx::Program only = [] {
    ptx::Program read(name_without_build);
    std::istringstream files(WARPATH_PTX);
    for (std::string file; std::getline(files, file, ':');) read.add_file(file);
    return read;
  }();
  return only;
}

FakeStreams& streams() {
  static FakeStreams only(seed());
  return only;
}

cudaError_t fail(int code) {
  return last_error = static_cast<cudaError_t>(code);
}

cudaError_t begin_call(const char* name) {
  FakeCudart& c = cudart();
  const int number = static_cast<int>(c.calls.size());
  streams().do_some();
  c.calls.emplace_back(name);
  if (number == c.failing_call) return fail(c.code);
  if (!c.fault.empty()) return fail(cudaErrorIllegalAddress);
  const bool has_failed = c.failing_call >= 0 && number > c.failing_call;
  return c.is_sticky && has_failed ? fail(c.code) : cudaSuccess;
}

void note_stream(const void* stream) {
  if (stream == nullptr) ++cudart().on_default_stream;
}

void enqueue(const void* stream, FakeStreams::Work work) {
  streams().has(stream) ? streams().push(stream, std::move(work)) : work();
}

cudaError_t allocate(void** memory, std::size_t bytes, std::set<void*>& blocks) {
  *memory = std::aligned_alloc(256, std::max<std::size_t>(bytes + 255, 256) / 256 * 256);
  if (*memory == nullptr) return fail(cudaErrorMemoryAllocation);
  blocks.insert(*memory);
  return cudaSuccess;
}

void release(void* memory, std::set<void*>& blocks) {
  if (blocks.erase(memory) > 0) std::free(memory);
}

bool is_device_memory(const void* memory, std::size_t bytes) {
  return !cudart().executes_kernels || machine().memory.holds(memory, bytes);
}

}  // namespace warpath::testing
