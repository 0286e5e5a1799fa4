#pragma once

#include <gtest/gtest.h>

#include <string>

#include "host/core/cuda/device.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {

/// Runs a test's body on every back end; on cuda if there is a device.
class OnEachBackend : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() != Backend::cuda) return;
    const cuda::FoundDevice found = cuda::find_device();
    if (found.device == nullptr) GTEST_SKIP() << found.reason;
  }
};

/// @param Suite derives from OnEachBackend.
#define WARPATH_ON_EACH_BACKEND(Suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(BackEnds, Suite,                                                    \
                           ::testing::Values(Backend::reference, Backend::cpu, Backend::cuda), \
                           [](const auto& given) { return std::string(name(given.param)); })

}  // namespace warpath::testing
