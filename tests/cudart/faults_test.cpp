// Whatever a test expects: a kernel that does what it must not fails it.

#include <gtest/gtest.h>

#include <utility>

#include "tests/cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

class FaultsFail : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override {
    const std::string fault = std::exchange(cudart().fault, "");
    if (!fault.empty()) ADD_FAILURE() << fault;
  }
};

[[maybe_unused]] const bool is_listening = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new FaultsFail);
  return true;
}();

}  // namespace
}  // namespace warpath::testing
