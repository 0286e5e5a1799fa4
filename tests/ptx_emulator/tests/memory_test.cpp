// Tests the machine's reports of memory accesses: each check is seen to fail and to pass.

#include "tests/machine_fixture.hpp"

namespace ptx {
namespace {

class PtxMemory : public MachineTest {};

TEST_F(PtxMemory, ReportsMisalignedAccessesAndThoseOutside) {
  expect_fault("st.global.u32 [%out+1024], %t;", "0 bytes behind an allocation");
  expect_fault("ld.global.v2.u32 {%r1, %r2}, [%out+1020];", "is not aligned");
  expect_fault("mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1];", "outside of device memory");
  expect_fault("st.global.u32 [%out+2], %t;", "is not aligned");
  expect_fault("st.shared.u32 [shared+1024], %t;", "outside of shared memory");
  expect_fault("st.shared.u32 [shared+-4], %t;", "outside of shared memory");
  expect_fault("ld.global.u32 %r1, [%out]; mov.u64 %rd1, -4; ld.global.u32 %r1, [%rd1];",
               "outside of device memory");
  expect_fault("ld.shared.u32 %r1, [shared];", "was never written");
  expect_fault("ld.param.u64 %rd1, [kernel_param_0+8];", "outside of the parameters");
}

TEST_F(PtxMemory, ReportsRacesInSharedMemory) {
  const std::string write = write_and_address_neighbours + "st.shared.u32 [%r2], %t;",
                    read = "ld.shared.u32 %r4, [%r1]; st.global.u32 [%own], %r4;";
  expect_fault(write + read, "races with");
  expect_no_fault(write + "bar.warp.sync -1;" + read);
  EXPECT_EQ(out[6], 7u);
  expect_no_fault(write + "bar.sync 0;" + read, 64);
  // Shuffles and votes do not order accesses.
  expect_fault(write + "vote.sync.any.pred %p1, %p2, -1;" + read, "races with");
  // A barrier of the warp orders only its own lanes, and only those in its mask.
  const std::string far = "xor.b32 %r1, %r1, 128;";
  expect_fault(write + far + "bar.warp.sync -1;" + read, "races with", 64);
  expect_no_fault(write + far + "bar.sync 0;" + read, 64);
  expect_fault(write +
                   "and.b32 %r5, %lane, 31; mov.u32 %r6, 1; shl.b32 %r6, %r6, %r5;"
                   "bar.warp.sync %r6;" +
                   read,
               "races with");
}

TEST_F(PtxMemory, OrdersOnlyTheLanesOfAWarpsBarrier) {
  const std::string write = write_and_address_neighbours +
                            "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%r2], 9;",
                    // Lanes 0 and 2 meet after lane 0's write; lane 1 met lane 0 before it.
      meet =
          "setp.ne.u32 %p2, %t, 1; setp.lt.u32 %p3, %t, 3; and.pred %p2, %p2, %p3;"
          "@%p2 bar.warp.sync 5;",
                    read = "ld.shared.u32 %r4, [shared];";
  expect_fault("setp.lt.u32 %p3, %t, 2; @%p3 bar.warp.sync 3;" + write + meet +
                   "setp.eq.u32 %p4, %t, 1; @%p4 " + read,
               "races with");
  expect_no_fault(write + meet + "setp.eq.u32 %p4, %t, 2; @%p4 " + read);
  // What the whole warp has seen is not forgotten when quarters of it meet.
  const std::string quarters =
      "and.b32 %r5, %lane, 24; mov.u32 %r6, 255; shl.b32 %r6, %r6, %r5; bar.warp.sync %r6;";
  expect_no_fault(write + "bar.warp.sync -1;" + quarters + read);
  expect_fault(write + quarters + read, "races with");
}

TEST_F(PtxMemory, ReportsReadsThatRaceWithLaterWrites) {
  expect_fault(write_and_address_neighbours + "ld.shared.u32 %r4, [%r1]; st.shared.u32 [%r2], %t;",
               "races with");
  expect_no_fault(write_and_address_neighbours +
                  "ld.shared.u32 %r4, [%r1]; bar.sync 0; st.shared.u32 [%r2], %t;");
}

TEST_F(PtxMemory, ReportsRacesInDeviceMemory) {
  expect_fault("st.global.u32 [%out], %t;", "races with a write by thread");
  out[0] = 0;
  expect_no_fault("atom.global.add.u32 %r1, [%out], 1;", 64, 4);
  EXPECT_EQ(out[0], 256u);
  // No barrier orders blocks, but the next launch does.
  expect_fault("st.global.u32 [%own], %t;", "of another block", 32, 2);
  expect_no_fault("st.global.u32 [%own], %t;");
  expect_no_fault("ld.global.u32 %r1, [%out];", 32, 4);
}

TEST_F(PtxMemory, ReportsReadsOfUnwrittenBytes) {
  std::vector<std::uint32_t> other(word_count);
  machine_.memory.add(other.data(), word_count * 4);
  const std::string own =
      "add.s64 %rd1, %own, " + std::to_string(4 * (other.data() - out.data())) + ";";
  expect_fault(own + "ld.global.u32 %r1, [%rd1];", "was never written");
  expect_no_fault(own + "st.global.u32 [%rd1], %t; ld.global.u32 %r1, [%rd1];", 2);
  machine_.memory.mark_written(other.data(), word_count * 4);
  expect_no_fault(own + "ld.global.u32 %r1, [%rd1];");
  machine_.memory.remove(other.data());
  expect_fault(own + "ld.global.u32 %r1, [%rd1];", "outside of device memory");
}

TEST_F(PtxMemory, GivesEachBlockItsOwnSharedMemory) {
  expect_no_fault(address_neighbours + "st.shared.u32 [%r2], %t;", 32, 3);
}

TEST_F(PtxMemory, DelaysCopiesUntilTheyAreWaitedFor) {
  out.assign(word_count, 5);
  const std::string begin = address_neighbours + R"(
    cp.async.ca.shared.global [%r2], [%own], 4, 4;)";
  const std::string commit = "cp.async.commit_group;", wait = "cp.async.wait_group 0;",
                    keep = "ld.shared.u32 %r4, [%r2]; st.global.u32 [%own], %r4;";
  expect_no_fault(begin + commit + wait + keep);
  EXPECT_EQ(out[3], 5u);
  expect_fault(begin + commit + keep + wait, "was never written");
  expect_fault(begin + wait + keep + commit, "was never written");
  expect_fault(begin + commit, "ends before its copies arrived");
}

TEST_F(PtxMemory, ReportsRacesOfVolatileWithPlainAccessesOnly) {
  expect_no_fault("st.volatile.global.u32 [%out], %t; ld.volatile.global.u32 %r1, [%out];");
  expect_no_fault("ld.volatile.global.u32 %r1, [%out+4]; ld.global.u32 %r2, [%out+4];");
  expect_fault("st.volatile.global.u32 [%out], %t; ld.global.u32 %r1, [%out];", "races with");
}

}  // namespace
}  // namespace ptx
