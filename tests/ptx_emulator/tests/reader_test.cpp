// Tests what is read of PTX, and what is refused.

#include "ptx/program.hpp"
#include "tests/machine_fixture.hpp"

namespace ptx {
namespace {

class PtxReader : public MachineTest {};

TEST_F(PtxReader, NamesAnUnknownInstruction) {
  try {
    run("tanh.approx.f32 %f1, %f2;");
    FAIL() << "it was read";
  } catch (const SyntaxError& error) {
    EXPECT_STREQ(error.what(),
                 "kernel, at \"tanh.approx.f32 %f1, %f2\": unknown instruction: tanh.approx.f32");
  }
}

TEST_F(PtxReader, RefusesUnknownSyntax) {
  for (const char* what :
       {"mov.u32 %r1, %clock;", "vote.sync.any.pred %p2, !%p1, -1;", "bar.sync 0, 32;",
        "setp.eq.u32 %p1|%p2, %t, 0;", "mov.b64 {_, %r1}, %out;", "mov.u32 %r1, nothing;",
        "cp.async.ca.shared.global [%r2], [%own+4], 4, 4;", "add.s32 %r1, %r2;", "bra NOWHERE;",
        "mov.u32 %r1, 12x;", ".local .b8 here[8];", ".shared .b8 two names[8];", "} ret; {"}) {
    EXPECT_THROW(run(what), SyntaxError) << what;
  }
}

TEST_F(PtxReader, ReadsKernelsBesideOneWithAnUnknownInstruction) {
  Program program;
  program.add_text(".entry good() { ret; } .entry bad() { nothing; }");
  EXPECT_NE(program.find("good"), nullptr);
  EXPECT_THROW(program.find("bad"), SyntaxError);
  EXPECT_EQ(program.find("absent"), nullptr);
}

TEST_F(PtxReader, PlacesParametersByTheirAlignment) {
  Program program;
  program.add_text(R"(
    // A kernel of two parameters.
    .visible .entry kernel(.param .u32 a, .param .align 8 .b8 b[24])
    .maxntid 128, 1, 1
    { ret; })");
  const Kernel& kernel = *program.find("kernel");
  EXPECT_EQ(kernel.parameter_offsets, (std::vector<std::uint32_t>{0, 8}));
  EXPECT_EQ(kernel.parameter_bytes, (std::vector<std::uint32_t>{4, 24}));
  EXPECT_EQ(kernel.max_threads, 128u);
}

TEST_F(PtxReader, PlacesDynamicSharedMemoryBehindTheArrays) {
  Program program;
  program.add_text(R"(
    .extern .shared .align 16 .b8 dynamic[];
    .entry kernel(.param .u64 out)
    {
      .reg .b32 %r<3>; .reg .b64 %rd<2>;
      .shared .align 4 .b8 array[20];
      mov.u32 %r1, dynamic;
      st.shared.u32 [%r1], 6;
      st.shared.u32 [dynamic+4], 7;
      ld.shared.u32 %r2, [%r1+4];
      ld.param.u64 %rd1, [out];
      st.global.v2.u32 [%rd1], {%r1, %r2};
      ret;
    })");
  const Kernel& kernel = *program.find("kernel");
  EXPECT_EQ(kernel.static_shared, 32u);
  void* pointer = out.data();
  void* arguments[] = {&pointer};
  machine_.run(kernel, {1, 1, 8}, pack_parameters(kernel, arguments));
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[1], 7u);
  EXPECT_THROW(machine_.run(kernel, {1, 1, 4}, pack_parameters(kernel, arguments)), Fault);
}

TEST_F(PtxReader, FindsAKernelByItsWholeName) {
  Program program;
  program.add_text(".entry kernel_1234() { ret; }");
  EXPECT_NE(program.find("kernel_1234"), nullptr);
  EXPECT_EQ(program.find("kernel_5678"), nullptr);
}

TEST_F(PtxReader, RefusesAMissingFile) {
  EXPECT_THROW(Program().add_file("/no/such/file.ptx"), SyntaxError);
}

}  // namespace
}  // namespace ptx
