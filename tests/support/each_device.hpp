#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/core/cuda/device.hpp"
#include "tests/support/fake_device.hpp"

namespace warpath::testing {

/// Runs a test's body on the fake device and, if there is one, on the machine's own.
class OnEachDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (is_fake()) return;
    const cuda::FoundDevice found = cuda::find_device();
    if (found.device == nullptr) GTEST_SKIP() << found.reason;
    real_ = found.device;
  }

  bool is_fake() const { return GetParam() == std::string("fake"); }

  /// Returns a new fake device whose streams work in an order that the seed decides, or the real
  /// device.
  cuda::Device& device(std::uint64_t seed) {
    if (!is_fake()) return *real_;
    return fake_.emplace(seed);
  }

  /// Expects a kernel to have been started; on a real device this is not checked.
  void expect_started(const std::string& kernel) {
    if (fake_) {
      EXPECT_GT(fake_->started[kernel], 0) << kernel;
    }
  }
  /// Returns all of the sizes on the fake device, and on a real one, which may be the emulator, the
  /// next of them.
  std::vector<std::uint32_t> sizes_by_turns(std::vector<std::uint32_t> sizes) {
    if (is_fake()) return sizes;
    return {sizes[turn_++ % sizes.size()]};
  }
  /// Returns the fake device; null on a real device.
  FakeDevice* fake() { return fake_ ? &*fake_ : nullptr; }

 private:
  cuda::Device* real_ = nullptr;
  std::size_t turn_ = 0;
  std::optional<FakeDevice> fake_;
};

/// @param Suite derives from OnEachDevice.
#define WARPATH_ON_EACH_DEVICE(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Fake, Suite, ::testing::Values("fake"),                      \
                           [](const auto& given) { return std::string(given.param); }); \
  INSTANTIATE_TEST_SUITE_P(Real, Suite, ::testing::Values("real"),                      \
                           [](const auto& given) { return std::string(given.param); })

}  // namespace warpath::testing
