// Tests the results of instructions.

#include <bit>
#include <limits>
#include <sstream>
#include <tuple>

#include "tests/machine_fixture.hpp"

namespace ptx {
namespace {

class PtxValues : public MachineTest {
 protected:
  static float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
};

TEST_F(PtxValues, ShufflesKeepToTheirGroups) {
  // Groups of 8: the upper byte of the clamp holds the bits that distinguish them.
  for (const auto& [mode, c, source] :
       std::initializer_list<std::tuple<const char*, unsigned, int (*)(int)>>{
           {"up", 0x1800, [](int lane) { return lane % 8 == 0 ? lane : lane - 1; }},
           {"down", 0x181f, [](int lane) { return lane % 8 == 7 ? lane : lane + 1; }},
           {"idx", 0x181f, [](int lane) { return lane / 8 * 8 + 1; }},
           {"bfly", 0x181f, [](int lane) { return lane ^ 1; }}}) {
    expect_no_fault("shfl.sync." + std::string(mode) + ".b32 %r1|%p1, %lane, 1, " +
                    std::to_string(c) + ", -1; selp.b32 %r2, 0, 100, %p1; add.s32 %r1, %r1, %r2;" +
                    "st.global.u32 [%own], %r1;");
    for (int lane = 0; lane < 32; ++lane) {
      const int out_of_range = std::string(mode) != "idx" && source(lane) == lane ? 100 : 0;
      EXPECT_EQ(out[lane], static_cast<unsigned>(source(lane) + out_of_range))
          << mode << " " << lane;
    }
  }
}

TEST_F(PtxValues, VotesReturnBallotAnyAndAll) {
  expect_no_fault(R"(
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

TEST_F(PtxValues, AbsoluteValuesOfIntegersHaveNoSign) {
  expect_no_fault(R"(
    sub.s32 %r1, %lane, 5;
    abs.s32 %r2, %r1;
    st.global.u32 [%own], %r2;)");
  EXPECT_EQ(out[2], 3u);
  EXPECT_EQ(out[5], 0u);
  EXPECT_EQ(out[9], 4u);
}

TEST_F(PtxValues, ReductionsReturnTheSumAndTheLargest) {
  expect_no_fault(R"(
    redux.sync.add.u32 %r1, %lane, -1;
    redux.sync.max.u32 %r2, %lane, -1;
    st.global.u32 [%own], %r1;
    st.global.u32 [%own+128], %r2;)");
  EXPECT_EQ(out[5], 496u);
  EXPECT_EQ(out[32 + 5], 31u);
}

TEST_F(PtxValues, BarriersReturnWhetherAnyPredicateIsTrue) {
  expect_no_fault(R"(
    setp.eq.u32 %p1, %t, 40;
    bar.red.or.pred %p2, 0, %p1;
    selp.b32 %r1, 7, 8, %p2;
    st.global.u32 [%own], %r1;)",
                  64);
  EXPECT_EQ(out[0], 7u);
}

TEST_F(PtxValues, CarriesReachTheUpperHalf) {
  expect_no_fault(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 ret;
    mov.u64 %rd1, -1;
    add.cc.s64 %rd2, %rd1, 2;
    addc.cc.s64 %rd3, %rd1, 5;
    st.global.u64 [%out], %rd2;
    st.global.u64 [%out+8], %rd3;
    sub.cc.s64 %rd2, 1, 2;
    subc.cc.s64 %rd3, 9, 1;
    st.global.u64 [%out+16], %rd3;)");
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[2], 5u);  // −1 + 5 + 1
  EXPECT_EQ(out[4], 7u);  // 9 − 1 − 1
}

TEST_F(PtxValues, BitFieldsAndHalvesAreInserted) {
  expect_no_fault(R"(
    setp.ne.u32 %p1, %t, 0;
    @%p1 ret;
    mov.u32 %r1, 5;
    mov.u32 %r2, -1;
    bfi.b32 %r3, %r1, %r2, 264, 4;
    st.global.u32 [%out], %r3;
    mov.b64 %rd4, {%r1, %r2};
    mov.b64 {%r3, %r4}, %rd4;
    st.global.v2.u32 [%out+8], {%r4, %r3};)");
  EXPECT_EQ(out[0], 0xfffff5ffu);
  EXPECT_EQ(out[2], 0xffffffffu);
  EXPECT_EQ(out[3], 5u);
}

TEST_F(PtxValues, PermutationsTakeBytesOrTheirSigns) {
  expect_no_fault(R"(
    mov.u32 %r1, -2088599168;
    mov.u32 %r2, 117835012;
    prmt.b32 %r3, %r1, %r2, 29712;
    prmt.b32 %r4, %r1, %r2, 51377;
    st.global.u32 [%own], %r3;
    st.global.u32 [%own+128], %r4;)");
  EXPECT_EQ(out[0], 0x07048180u);
  EXPECT_EQ(out[32], 0x00ffff81u);
}

TEST_F(PtxValues, AtomicMinimaKeepTheLeast) {
  expect_no_fault(R"(
    setp.eq.u32 %p1, %t, 0;
    mov.u32 %r1, 50;
    @%p1 st.global.u32 [%out], %r1;
    bar.sync 0;
    add.s32 %r2, %t, 7;
    atom.global.min.u32 %r3, [%out], %r2;)");
  EXPECT_EQ(out[0], 7u);
}

TEST_F(PtxValues, ConversionsToNarrowIntegersKeepTheLowestBits) {
  expect_no_fault(R"(
    {
      .reg .b16 narrow;
      mov.u64 %rd1, 4886718345;
      cvt.u16.u64 narrow, %rd1;
      cvt.u32.u16 %r1, narrow;
    }
    st.global.u32 [%own], %r1;)");
  EXPECT_EQ(out[0], 0x6789u);
}

TEST_F(PtxValues, LoopsScopesAndGuardsExecuteAsWritten) {
  // The loop computes 0 + 1 + … + t; another scope has the same label.
  expect_no_fault(R"(
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

TEST_F(PtxValues, ComparisonsWithANanAreTrueOnlyIfUnordered) {
  const auto compare = [&](const std::string& comparison) {
    expect_no_fault("mov.f32 %f1, 0f7FC00000; setp." + comparison +
                    ".f32 %p1, %f1, 0f3F800000; selp.b32 %r1, 1, 0, %p1;"
                    "st.global.u32 [%own], %r1;");
    return out[0];
  };
  for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge", "num"}) {
    EXPECT_EQ(compare(name), 0u) << name;
  }
  for (const char* name : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"}) {
    EXPECT_EQ(compare(name), 1u) << name;
  }
}

TEST_F(PtxValues, ConversionsToIntegersStopAtTheEndsOfTheType) {
  const auto convert = [&](const std::string& constant) {
    expect_no_fault("mov.f32 %f1, " + constant +
                    "; cvt.rzi.s32.f32 %r1, %f1; st.global.u32 [%own], %r1;");
    return static_cast<std::int32_t>(out[0]);
  };
  EXPECT_EQ(convert("0fC0200000"), -2);  // −2.5
  EXPECT_EQ(convert("0f501502F9"), INT32_MAX);
  EXPECT_EQ(convert("0fD01502F9"), INT32_MIN);
  EXPECT_EQ(convert("0f7FC00000"), 0);  // a NaN
}

TEST_F(PtxValues, SaturatedProductsLieFromZeroToOne) {
  const auto product = [&](const std::string& constant) {
    expect_no_fault("mov.f32 %f1, " + constant + "; mov.f32 %f2, 0f7E800000;" +  // 2^126
                    "mul.rn.sat.f32 %f3, %f1, %f2; st.global.f32 [%own], %f3;");
    return as_float(out[0]);
  };
  EXPECT_EQ(product("0f00000000"), 0.0f);
  EXPECT_EQ(product("0f00800000"), 1.0f);  // 2^-126
  EXPECT_EQ(product("0f00400000"), 0.5f);  // 2^-127
  EXPECT_EQ(product("0f7F800000"), 1.0f);  // +inf
  EXPECT_EQ(product("0fBF800000"), 0.0f);  // −1
  EXPECT_EQ(product("0f7FC00000"), 0.0f);  // a NaN
}

TEST_F(PtxValues, ApproximateReciprocalsStayWithinTheirError) {
  const auto reciprocal = [&](float x) {
    std::ostringstream constant;
    constant << "0f" << std::hex << std::uppercase << std::bit_cast<std::uint32_t>(x);
    expect_no_fault("mov.f32 %f1, " + constant.str() +
                    "; rcp.approx.ftz.f32 %f2, %f1; st.global.f32 [%own], %f2;");
    return as_float(out[0]);
  };
  for (const float x : {3.0f, 7.0f, 11.0f, 65535.0f}) {
    EXPECT_NEAR(reciprocal(x) * static_cast<double>(x), 1, 0x1p-23) << x;
  }
  EXPECT_EQ(reciprocal(0x1p-130f), std::numeric_limits<float>::infinity());
}

TEST_F(PtxValues, ProductsAndSumsAreRoundedSeparatelyUnlessFused) {
  // (1 + 2^-12)^2 − 1: the product loses 2^-24.
  const std::string square = "mov.f32 %f1, 0f3F800800; mov.f32 %f2, 0fBF800000;";
  expect_no_fault(square +
                  "mul.rn.f32 %f3, %f1, %f1; add.rn.f32 %f3, %f3, %f2; st.global.f32 [%own], %f3;");
  EXPECT_EQ(as_float(out[0]), 0x1p-11f);
  expect_no_fault(square + "fma.rn.f32 %f3, %f1, %f1, %f2; st.global.f32 [%own], %f3;");
  EXPECT_EQ(as_float(out[0]), 0x1p-11f + 0x1p-24f);
}

}  // namespace
}  // namespace ptx
