#include "tests/machine_fixture.hpp"

#include "ptx/program.hpp"

namespace ptx {

MachineTest::MachineTest() {
  machine_.memory.add(out.data(), word_count * 4);
  machine_.memory.mark_written(out.data(), word_count * 4);
}

std::string MachineTest::run(const std::string& body, unsigned threads, unsigned blocks) {
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
    machine_.run(kernel, {blocks, threads}, pack_parameters(kernel, arguments));
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

void MachineTest::expect_fault(const std::string& body, const std::string& part, unsigned threads,
                               unsigned blocks) {
  const std::string fault = run(body, threads, blocks);
  EXPECT_NE(fault.find(part), std::string::npos) << "fault: " << fault;
  EXPECT_TRUE(fault.starts_with("kernel, block ")) << fault;
}

void MachineTest::expect_no_fault(const std::string& body, unsigned threads, unsigned blocks) {
  EXPECT_EQ(run(body, threads, blocks), "");
}

const std::string address_neighbours = R"(
  xor.b32 %r1, %t, 1;
  shl.b32 %r1, %r1, 2;
  shl.b32 %r2, %t, 2;
  mov.u32 %r3, shared;
  add.s32 %r1, %r1, %r3;
  add.s32 %r2, %r2, %r3;)";

const std::string write_and_address_neighbours =
    address_neighbours + "st.shared.u32 [%r2], %t; bar.sync 0;";

}  // namespace ptx
