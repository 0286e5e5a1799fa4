#include "tests/fake_cudart/fake_cudart.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cudart/capture.hpp"
#include "tests/fake_cudart/fat_binary.hpp"
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

std::recursive_mutex& runtime_mutex() {
  static std::recursive_mutex only;
  return only;
}

// Returns the error with which call number `number` must fail.
int code_of_call(const FakeCudart& c, int number) {
  if (number == c.failing_call) return c.code;
  if (!c.fault.empty()) return cudaErrorIllegalAddress;
  const bool has_failed = c.failing_call >= 0 && number > c.failing_call;
  return c.is_sticky && has_failed ? c.code : cudaSuccess;
}

}  // namespace

thread_local cudaError_t last_error = cudaSuccess;

FakeCudart& cudart() {
  static FakeCudart only;
  return only;
}

int& current_device() {
  static thread_local int ordinal = 0;
  return ordinal;
}

void leave_error(int code) {
  fail(code);
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
  reset_capture_mode();
}

std::size_t FakeCudart::count(const std::string& call) const {
  return static_cast<std::size_t>(std::ranges::count(calls, call));
}

ptx::Machine& machine(int device) {
  static std::map<int, std::unique_ptr<ptx::Machine>> of_devices;
  auto& only = of_devices[device];
  if (only == nullptr) only = std::make_unique<ptx::Machine>(seed());
  return *only;
}

std::vector<const void*>& fat_binaries() {
  static std::vector<const void*> all;
  return all;
}

ptx::Program& program() {
  static ptx::Program only = [] {
    ptx::Program read;
    for (const void* binary : fat_binaries()) {
      for (const std::string& text : ptx_of(binary)) read.add_text(text);
    }
    return read;
  }();
  return only;
}

FakeStreams& streams() {
  static FakeStreams only(seed());
  return only;
}

std::uint64_t next_seed() {
  static std::mt19937_64 random(seed());
  return random();
}

cudaError_t fail(int code) {
  return last_error = static_cast<cudaError_t>(code);
}

Call::Call(const char* name) : lock_(runtime_mutex()) {
  FakeCudart& c = cudart();
  const int number = static_cast<int>(c.calls.size());
  streams().do_some();
  c.calls.emplace_back(name);
  const int code = code_of_call(c, number);
  if (code != cudaSuccess) code_ = fail(code);
}

int device_of_stream(const void* stream) {
  const auto found = cudart().streams.find(const_cast<void*>(stream));
  return found == cudart().streams.end() ? current_device() : found->second;
}

cudaError_t enqueue(const void* stream, FakeStreams::Work work) {
  if (stream == nullptr) {
    if (refuse_if_captured(Disturbance::forbidden, current_device()) != cudaSuccess) {
      return fail(cudaErrorStreamCaptureImplicit);
    }
    ++cudart().on_default_stream;
    finish_device(current_device());
    if (work) work();
    return cudaSuccess;
  }
  if (!streams().has(stream)) {
    return cudart().executes_kernels ? fail(cudaErrorInvalidResourceHandle) : cudaSuccess;
  }
  if (device_of_stream(stream) != current_device()) return fail(cudaErrorInvalidResourceHandle);
  if (const auto capture = capture_of(stream)) {
    if (capture->is_broken) return fail(cudaErrorStreamCaptureInvalidated);
    add_node(*capture, stream, std::move(work));
  } else {
    streams().push(stream, std::move(work));
  }
  return cudaSuccess;
}

void finish_device(int device) {
  for (const auto& [stream, of] : cudart().streams) {
    if (of == device) streams().finish(stream);
  }
}

bool is_device_memory(const void* memory, std::size_t bytes, const void* stream) {
  return !cudart().executes_kernels ||
         machine(device_of_stream(stream)).memory.holds(memory, bytes);
}

bool is_pinned_memory(const void* memory, std::size_t bytes) {
  if (!cudart().executes_kernels) return true;
  const auto& blocks = cudart().pinned_memory;
  const auto after = blocks.upper_bound(const_cast<void*>(memory));
  if (after == blocks.begin()) return false;
  const auto& [block, size] = *std::prev(after);
  const auto offset =
      static_cast<std::size_t>(static_cast<const char*>(memory) - static_cast<const char*>(block));
  return offset <= size && bytes <= size - offset;
}

}  // namespace warpath::testing
