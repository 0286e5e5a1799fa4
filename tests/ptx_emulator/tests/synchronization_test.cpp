// Tests the machine's reports of barriers and masks.

#include "tests/machine_fixture.hpp"

namespace ptx {
namespace {

class PtxSynchronization : public MachineTest {};

TEST_F(PtxSynchronization, ReportsThreadsThatWaitForever) {
  // Half of the warp waits at the block's barrier, half at the warp's.
  expect_fault(
      "setp.lt.u32 %p1, %lane, 16; @%p1 bra A; bar.sync 0; bra.uni B;"
      "A: bar.warp.sync -1; B:",
      "never come");
  // The two masks do not agree.
  expect_fault(
      "setp.lt.u32 %p1, %lane, 16; selp.b32 %r1, 131071, -1, %p1;"
      "bar.warp.sync %r1;",
      "never come");
  expect_no_fault(
      "setp.lt.u32 %p1, %lane, 16; @%p1 bra A; bar.warp.sync -65536; bra.uni B;"
      "A: bar.warp.sync 65535; B: bar.warp.sync -1;");
  expect_fault("L: nanosleep.u32 20; bra.uni L;", "never come");
}

TEST_F(PtxSynchronization, ReportsBarriersThatDifferWithinAWarp) {
  const std::string parts = "@%p1 bra A; bar.sync 0; bra.uni B; A: bar.sync 0; B:";
  expect_fault("setp.lt.u32 %p1, %lane, 16;" + parts, "another lane of its warp waits");
  expect_no_fault("setp.lt.u32 %p1, %t, 32;" + parts, 64);
  expect_fault("bar.sync 1;", "another barrier than 0");
}

TEST_F(PtxSynchronization, ReportsBarriersAfterSomeLanesEnded) {
  expect_fault("setp.lt.u32 %p1, %lane, 16; @%p1 ret; bar.sync 0;", "another lane of its warp");
  // Whole warps may end before the barrier.
  expect_no_fault("setp.lt.u32 %p1, %t, 32; @%p1 ret; bar.sync 0;", 64);
}

TEST_F(PtxSynchronization, ReportsMasksWithoutTheLaneOrItsSource) {
  expect_fault("bar.warp.sync 1;", "lacks the lane");
  expect_fault(
      "setp.eq.u32 %p1, %lane, 0; @%p1 bra END;"
      "shfl.sync.up.b32 %r1|%p2, %t, 1, 0, -2; END:",
      "takes no part");
}

TEST_F(PtxSynchronization, NamesThePlaceAndTheSeedOfAFault) {
  const std::string fault = run("setp.eq.u32 %p1, %t, 3; @%p1 bar.sync 1;", 32, 1);
  EXPECT_EQ(fault,
            "kernel, block 0, thread 3, \"@%p1 bar.sync 1\": is another barrier than 0 (seed 1)");
}

}  // namespace
}  // namespace ptx
