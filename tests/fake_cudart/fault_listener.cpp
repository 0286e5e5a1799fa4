// Begins every test without the errors and the device of the one before, and fails every test
// during which a kernel did something forbidden, whatever the test expects.

#include <gtest/gtest.h>

#include <utility>

#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

class FaultListener : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override {
    cudart().begin();
    current_device() = 0;
  }

  void OnTestEnd(const ::testing::TestInfo&) override {
    const std::string fault = std::exchange(cudart().fault, "");
    if (!fault.empty()) ADD_FAILURE() << fault;
  }
};

[[maybe_unused]] const bool is_listening = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new FaultListener);
  return true;
}();

}  // namespace
}  // namespace warpath::testing
