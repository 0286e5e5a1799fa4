#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/machine.hpp"

namespace ptx {

/// Runs kernels that a test writes, on 256 words of device memory.
class MachineTest : public ::testing::Test {
 protected:
  static constexpr unsigned word_count = 256;

  MachineTest();

  /// Runs a kernel with that body. It has the thread's index in %t, its lane in %lane, the address
  /// of `out` in %out, that of the thread's own word of it in %own, and 256 words of shared memory,
  /// `shared`. Returns the text of the Fault; empty where there was none.
  std::string run(const std::string& body, unsigned threads = 32, unsigned blocks = 1);

  /// Expects a Fault that has `part` in its text.
  void expect_fault(const std::string& body, const std::string& part, unsigned threads = 32,
                    unsigned blocks = 1);
  void expect_no_fault(const std::string& body, unsigned threads = 32, unsigned blocks = 1);

  std::vector<std::uint32_t> out = std::vector<std::uint32_t>(word_count);

  Machine machine_;
};

/// Has the address of the thread's own word of shared memory in %r2, and that of its neighbour's in
/// %r1; thread 0's neighbour is 1, and 1's is 0.
extern const std::string address_neighbours;

/// The same, behind a barrier before which each thread wrote its own word.
extern const std::string write_and_address_neighbours;

}  // namespace ptx
