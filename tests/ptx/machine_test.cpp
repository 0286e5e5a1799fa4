// What the PTX machine computes and, above all, what it refuses: each check of machine.hpp is seen
// to fail.

#include "tests/ptx/machine.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpath::testing::ptx {
namespace {

class PtxMachine : public ::testing::Test {
 protected:
  static constexpr unsigned words = 256;

  PtxMachine() {
    machine_.memory.add(out.data(), words * 4);
    machine_.memory.note_write(out.data(), words * 4);
  }

  /// Runs a kernel whose body has the thread in %t, its lane in %lane, the device memory `out` in
  /// %out, the address of the thread's own word in %own, and the shared memory `shared`, 256 words.
  /// Returns what the machine says against it.
  std::string run(const std::string& body, unsigned threads = 32, unsigned blocks = 1) {
    Program program;
    program.add_text(R"(
      .visible .entry kernel(.param .u64 kernel_param_0)
      .maxntid 512, 1, 1
      {
        .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
        .reg .b32 %t, %lane; .reg .b64 %out, %own;
        .shared .align 16 .b8 shared[1024];
        ld.param.u64 %rd0, [kernel_param_0];
        cvta.to.global.u64 %out, %rd0;
        mov.u32 %t, %tid.x;
        mov.u32 %lane, %laneid;
        mul.wide.u32 %own, %t, 4;
        add.s64 %own, %out, %own;)" +
                     body + "\nret;\n}\n");
    void* pointer = out.data();
    void* arguments[] = {&pointer};
    try {
      const Kernel& kernel = *program.find("kernel");
      machine_.run(kernel, {blocks, threads}, pack(kernel, arguments));
    } catch (const Fault& fault) {
      return fault.what();
    }
    return "";
  }

  void expect_fault(const std::string& body, const std::string& what, unsigned threads = 32,
                    unsigned blocks = 1) {
    const std::string said = run(body, threads, blocks);
    EXPECT_NE(said.find(what), std::string::npos) << "said: " << said;
    EXPECT_TRUE(said.starts_with("kernel, block ")) << said;
  }
  void expect_none(const std::string& body, unsigned threads = 32, unsigned blocks = 1) {
    EXPECT_EQ(run(body, threads, blocks), "");
  }

  std::vector<std::uint32_t> out = std::vector<std::uint32_t>(words);

  Machine machine_;
};

// ---------------------------------------------------------------- values

TEST_F(PtxMachine, ShufflesKeepToTheirGroups) {
  // Groups of 8: the clamp's upper byte has the bits that tell them apart.
  for (const auto& [mode, c, from] :
       std::initializer_list<std::tuple<const char*, unsigned, int (*)(int)>>{
           {"up", 0x1800, [](int lane) { return lane % 8 == 0 ? lane : lane - 1; }},
           {"down", 0x181f, [](int lane) { return lane % 8 == 7 ? lane : lane + 1; }},
           {"idx", 0x181f, [](int lane) { return lane / 8 * 8 + 1; }},
           {"bfly", 0x181f, [](int lane) { return lane ^ 1; }}}) {
    expect_none("shfl.sync." + std::string(mode) + ".b32 %r1|%p1, %lane, 1, " + std::to_string(c) +
                ", -1; selp.b32 %r2, 0, 100, %p1; add.s32 %r1, %r1, %r2;" +
                "st.global.u32 [%own], %r1;");
    for (int lane = 0; lane < 32; ++lane) {
      const int is_out = std::string(mode) != "idx" && from(lane) == lane ? 100 : 0;
      EXPECT_EQ(out[lane], static_cast<unsigned>(from(lane) + is_out)) << mode << " " << lane;
    }
  }
}

TEST_F(PtxMachine, Votes) {
  expect_none(R"(
    setp.gt.u32 %p1, %lane, 3;
    vote.sync.ballot.b32 %r1, %p1, -1;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, %p1, -1;
    selp.b32 %r2, 1, 0, %p2;
    @%p3 mov.u32 %r2, 2;
    st.global.u32 [%own], %r1;
    st.global.u32 [%own+128], %r2;)");
  EXPECT_EQ(out[5], 0xfffffff0u);
  EXPECT_EQ(out[32 + 5], 1u);
}

TEST_F(PtxMachine, ABarrierThatAsksWhetherAny) {
  expect_none(R"(
    setp.eq.u32 %p1, %t, 40;
    bar.red.or.pred %p2, 0, %p1;
    selp.b32 %r1, 7, 8, %p2;
    st.global.u32 [%own], %r1;)",
              64);
  EXPECT_EQ(out[0], 7u);
}

TEST_F(PtxMachine, CarriesAndFields) {
  expect_none(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 ret;
    mov.u64 %rd1, -1;
    add.cc.s64 %rd2, %rd1, 2;
    addc.cc.s64 %rd3, %rd1, 5;
    st.global.u64 [%out], %rd2;
    st.global.u64 [%out+8], %rd3;
    sub.cc.s64 %rd2, 1, 2;
    subc.cc.s64 %rd3, 9, 1;
    st.global.u64 [%out+16], %rd3;
    mov.u32 %r1, 5;
    mov.u32 %r2, -1;
    bfi.b32 %r3, %r1, %r2, 264, 4;
    st.global.u32 [%out+24], %r3;
    mov.b64 %rd4, {%r1, %r2};
    mov.b64 {%r3, %r4}, %rd4;
    st.global.v2.u32 [%out+32], {%r4, %r3};)");
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[2], 5u);  // −1 + 5 + 1
  EXPECT_EQ(out[4], 7u);  // 9 − 1 − 1
  EXPECT_EQ(out[6], 0xfffff5ffu);
  EXPECT_EQ(out[8], 0xffffffffu);
  EXPECT_EQ(out[9], 5u);
}

TEST_F(PtxMachine, LoopsScopesAndGuards) {
  // 0 + 1 + … + t, by a loop whose label another scope has too.
  expect_none(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    {
      .reg .pred p;
      AGAIN:
      add.s32 %r1, %r1, %r2;
      add.s32 %r2, %r2, 1;
      setp.le.u32 p, %r2, %t;
      @p bra AGAIN;
    }
    {
      .reg .u32 t, p;
      bra.uni AGAIN;
      mov.u32 %r1, 0;
      AGAIN:
      mov.u32 p, %r1;
      mov.u32 %r1, p;
    }
    st.global.u32 [%own], %r1;)");
  EXPECT_EQ(out[7], 28u);
}

TEST_F(PtxMachine, WhatItDoesNotKnowIsNamed) {
  EXPECT_THROW(
      {
        try {
          run("tanh.approx.f32 %f1, %f2;");
        } catch (const SyntaxError& error) {
          EXPECT_NE(std::string(error.what()).find("unknown instruction: tanh.approx.f32"),
                    std::string::npos);
          throw;
        }
      },
      SyntaxError);
  for (const char* what :
       {"mov.u32 %r1, %clock;", "vote.sync.any.pred %p2, !%p1, -1;", "bar.sync 0, 32;",
        "setp.eq.u32 %p1|%p2, %t, 0;", "mov.b64 {_, %r1}, %out;", "mov.u32 %r1, nothing;",
        "cp.async.ca.shared.global [%r2], [%own+4], 4, 4;", "add.s32 %r1, %r2;"}) {
    EXPECT_THROW(run(what), SyntaxError) << what;
  }
  EXPECT_THROW(run("bra NOWHERE;"), SyntaxError);
  EXPECT_EQ(Program().find("no_kernel"), nullptr);
}

// ---------------------------------------------------------------- memory

TEST_F(PtxMachine, OutsideOfMemory) {
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

const std::string turn_to_next = R"(
  xor.b32 %r1, %t, 1;
  shl.b32 %r1, %r1, 2;
  shl.b32 %r2, %t, 2;
  mov.u32 %r3, shared;
  add.s32 %r1, %r1, %r3;
  add.s32 %r2, %r2, %r3;)";

// The same, with all of it written once.
const std::string begin_again = turn_to_next + "st.shared.u32 [%r2], %t; bar.sync 0;";

TEST_F(PtxMachine, RacesInSharedMemory) {
  const std::string write = begin_again + "st.shared.u32 [%r2], %t;",
                    read = "ld.shared.u32 %r4, [%r1]; st.global.u32 [%own], %r4;";
  expect_fault(write + read, "races with");
  expect_none(write + "bar.warp.sync -1;" + read);
  EXPECT_EQ(out[6], 7u);
  expect_none(write + "bar.sync 0;" + read, 64);
  // Shuffles and votes order nothing.
  expect_fault(write + "vote.sync.any.pred %p1, %p2, -1;" + read, "races with");
  // A barrier of the warp orders its own lanes only, and of them those of its mask.
  const std::string far = "xor.b32 %r1, %r1, 128;";
  expect_fault(write + far + "bar.warp.sync -1;" + read, "races with", 64);
  expect_none(write + far + "bar.sync 0;" + read, 64);
  expect_fault(write +
                   "and.b32 %r5, %lane, 31; mov.u32 %r6, 1; shl.b32 %r6, %r6, %r5;"
                   "bar.warp.sync %r6;" +
                   read,
               "races with");
}

TEST_F(PtxMachine, BarriersOfAWarpOrderWhoTookPart) {
  const std::string write = begin_again + "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [%r2], 9;",
                    // Lanes 0 and 2 meet behind lane 0's write; lane 1 met lane 0 before it.
      meet =
          "setp.ne.u32 %p2, %t, 1; setp.lt.u32 %p3, %t, 3; and.pred %p2, %p2, %p3;"
          "@%p2 bar.warp.sync 5;",
                    read = "ld.shared.u32 %r4, [shared];";
  expect_fault("setp.lt.u32 %p3, %t, 2; @%p3 bar.warp.sync 3;" + write + meet +
                   "setp.eq.u32 %p4, %t, 1; @%p4 " + read,
               "races with");
  expect_none(write + meet + "setp.eq.u32 %p4, %t, 2; @%p4 " + read);
  // What the whole warp knows is not forgotten when quarters of it meet.
  const std::string quarters =
      "and.b32 %r5, %lane, 24; mov.u32 %r6, 255; shl.b32 %r6, %r6, %r5; bar.warp.sync %r6;";
  expect_none(write + "bar.warp.sync -1;" + quarters + read);
  expect_fault(write + quarters + read, "races with");
}

TEST_F(PtxMachine, ReadsRaceWithLaterWrites) {
  expect_fault(begin_again + "ld.shared.u32 %r4, [%r1]; st.shared.u32 [%r2], %t;", "races with");
  expect_none(begin_again + "ld.shared.u32 %r4, [%r1]; bar.sync 0; st.shared.u32 [%r2], %t;");
}

TEST_F(PtxMachine, RacesInDeviceMemory) {
  expect_fault("st.global.u32 [%out], %t;", "races with a write by thread");
  out[0] = 0;
  expect_none("atom.global.add.u32 %r1, [%out], 1;", 64, 4);
  EXPECT_EQ(out[0], 256u);
  // No barrier orders blocks; the next launch does.
  expect_fault("st.global.u32 [%own], %t;", "of another block", 32, 2);
  expect_none("st.global.u32 [%own], %t;");
  expect_none("ld.global.u32 %r1, [%out];", 32, 4);
}

TEST_F(PtxMachine, WhatNobodyWroteIsNotRead) {
  std::vector<std::uint32_t> other(words);
  machine_.memory.add(other.data(), words * 4);
  const std::string own =
      "add.s64 %rd1, %own, " + std::to_string(4 * (other.data() - out.data())) + ";";
  expect_fault(own + "ld.global.u32 %r1, [%rd1];", "was never written");
  expect_none(own + "st.global.u32 [%rd1], %t; ld.global.u32 %r1, [%rd1];", 2);
  machine_.memory.note_write(other.data(), words * 4);
  expect_none(own + "ld.global.u32 %r1, [%rd1];");
  machine_.memory.remove(other.data());
  expect_fault(own + "ld.global.u32 %r1, [%rd1];", "outside of device memory");
}

TEST_F(PtxMachine, SharedMemoryIsEachBlocksOwn) {
  expect_none(turn_to_next + "st.shared.u32 [%r2], %t;", 32, 3);
}

TEST_F(PtxMachine, CopiesArriveWhenTheyAreWaitedFor) {
  out.assign(words, 5);
  const std::string begin = turn_to_next + R"(
    cp.async.ca.shared.global [%r2], [%own], 4, 4;)";
  const std::string commit = "cp.async.commit_group;", wait = "cp.async.wait_group 0;",
                    keep = "ld.shared.u32 %r4, [%r2]; st.global.u32 [%own], %r4;";
  expect_none(begin + commit + wait + keep);
  EXPECT_EQ(out[3], 5u);
  expect_fault(begin + commit + keep + wait, "was never written");
  expect_fault(begin + wait + keep + commit, "was never written");
  expect_fault(begin + commit, "ends before its copies arrived");
}

TEST_F(PtxMachine, VolatileAccessesDoNotRaceButCount) {
  expect_none("st.volatile.global.u32 [%out], %t; ld.volatile.global.u32 %r1, [%out];");
  expect_none("ld.volatile.global.u32 %r1, [%out+4]; ld.global.u32 %r2, [%out+4];");
  expect_fault("st.volatile.global.u32 [%out], %t; ld.global.u32 %r1, [%out];", "races with");
}

// ---------------------------------------------------------------- waiting

TEST_F(PtxMachine, WaitingForLanesThatNeverCome) {
  // Half of the warp at the block's barrier, half at the warp's.
  expect_fault(
      "setp.lt.u32 %p1, %lane, 16; @%p1 bra A; bar.sync 0; bra.uni B;"
      "A: bar.warp.sync -1; B:",
      "never come");
  // Two masks that do not agree.
  expect_fault(
      "setp.lt.u32 %p1, %lane, 16; selp.b32 %r1, 131071, -1, %p1;"
      "bar.warp.sync %r1;",
      "never come");
  expect_none(
      "setp.lt.u32 %p1, %lane, 16; @%p1 bra A; bar.warp.sync -65536; bra.uni B;"
      "A: bar.warp.sync 65535; B: bar.warp.sync -1;");
  expect_fault("L: nanosleep.u32 20; bra.uni L;", "never come");
}

TEST_F(PtxMachine, BarriersAreTheSameForAWarp) {
  const std::string parts = "@%p1 bra A; bar.sync 0; bra.uni B; A: bar.sync 0; B:";
  expect_fault("setp.lt.u32 %p1, %lane, 16;" + parts, "another lane of its warp waits");
  expect_none("setp.lt.u32 %p1, %t, 32;" + parts, 64);
  expect_fault("bar.sync 1;", "another barrier than 0");
  // A barrier that lanes of the warp left out for good; whole warps may.
  expect_fault("setp.lt.u32 %p1, %lane, 16; @%p1 ret; bar.sync 0;", "another lane of its warp");
  expect_none("setp.lt.u32 %p1, %t, 32; @%p1 ret; bar.sync 0;", 64);
}

TEST_F(PtxMachine, MasksHaveTheLaneAndItsSource) {
  expect_fault("bar.warp.sync 1;", "lacks the lane");
  expect_fault(
      "setp.eq.u32 %p1, %lane, 0; @%p1 bra END;"
      "shfl.sync.up.b32 %r1|%p2, %t, 1, 0, -2; END:",
      "takes no part");
}

}  // namespace
}  // namespace warpath::testing::ptx
