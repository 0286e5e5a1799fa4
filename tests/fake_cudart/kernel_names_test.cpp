#include "tests/fake_cudart/kernel_names.hpp"

#include <gtest/gtest.h>

namespace warpath::testing {
namespace {

TEST(KernelNames, OmitHashesOfFiles) {
  EXPECT_EQ(name_without_build("_ZN4some41_GLOBAL__N__0123abcd_8_launch_cu_4567ef896kernelEi"),
            "_ZN4some6kernelEi");
  EXPECT_EQ(name_without_build("_ZN4some41_GLOBAL__N__fedc3210_8_launch_cu_ba9876546kernelEi"),
            "_ZN4some6kernelEi");
}

TEST(KernelNames, OmitArchitecturesOfTheToolkit) {
  EXPECT_EQ(name_without_build("_ZN3cub17CUB_300001_SM_9006detail4scanIN6thrust23THRUST_300001_SM_"
                               "900_NS8identityEEEvv"),
            "_ZN3cub6detail4scanIN6thrust8identityEEEvv");
  EXPECT_EQ(name_without_build("_ZN3cub21CUB_300001_SM_800_9006detail4scanEvv"),
            "_ZN3cub6detail4scanEvv");
}

TEST(KernelNames, KeepEverythingElse) {
  for (const char* name : {"_ZN7warpath7kernels10score_longILi12ELj7ELb0EEEvNS0_9GroupViewE",
                           "_Z9not_CUB_ni", "kernel"}) {
    EXPECT_EQ(name_without_build(name), name);
  }
}

}  // namespace
}  // namespace warpath::testing
