// Gives the extension module made-up GPUs in place of real ones, so that warpath.torch can be
// tested without a GPU up to the kernels' bodies. Device memory is host memory. Python reaches the
// functions at the end by ctypes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "host/core/cuda/device.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

constexpr int device_count = 2;

/// Counts what a call for tensors must not do.
class CountingDevice final : public FakeDevice {
 public:
  using FakeDevice::FakeDevice;

  void* allocate(std::size_t bytes) override {
    ++allocations;
    return FakeDevice::allocate(bytes);
  }
  void wait(cuda::Stream stream) override {
    ++waits;
    FakeDevice::wait(stream);
  }

  int allocations = 0, waits = 0;
};

int current = 0;

CountingDevice& device(int ordinal) {
  static const std::vector<CountingDevice*> all = [] {
    GTEST_FLAG_SET(throw_on_failure, true);
    std::vector<CountingDevice*> made;  // never destroyed, like real devices
    for (int k = 0; k < device_count; ++k) made.push_back(new CountingDevice(run_seed() + k));
    return made;
  }();
  return *all.at(static_cast<std::size_t>(ordinal));
}

}  // namespace
}  // namespace warpath::testing

namespace warpath::cuda {

FoundDevice find_device() {
  return {&testing::device(testing::current), {}};
}

std::size_t release_kept_memory() {
  return 0;
}

}  // namespace warpath::cuda

#define WARPATH_FAKE extern "C" __attribute__((visibility("default")))

using warpath::testing::device;

WARPATH_FAKE int fake_set_device(int ordinal) {
  const int before = warpath::testing::current;
  warpath::testing::current = ordinal;
  return before;
}
WARPATH_FAKE std::uintptr_t fake_stream(int ordinal) {
  return reinterpret_cast<std::uintptr_t>(device(ordinal).make_stream());
}
WARPATH_FAKE void fake_wait(int ordinal, std::uintptr_t stream) {
  device(ordinal).FakeDevice::wait(reinterpret_cast<warpath::cuda::Stream>(stream));
}
WARPATH_FAKE std::uintptr_t fake_allocate(int ordinal, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(device(ordinal).FakeDevice::allocate(bytes));
}
WARPATH_FAKE int fake_allocations(int ordinal) {
  return device(ordinal).allocations;
}
WARPATH_FAKE int fake_waits(int ordinal) {
  return device(ordinal).waits;
}
