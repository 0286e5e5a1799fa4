#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/machine.hpp"

namespace ptx {

/// Runs kernels written by a test, on 256 words of device memory.
class MachineTest : public ::testing::Test {
 protected:
  static constexpr unsigned word_count = 256;

  MachineTest();

  /// Runs a kernel with that body. The kernel has the thread's index in %t, its lane in %lane, the
  /// address of `out` in %out, that of the thread's own word of `out` in %own, and 256 words of
  /// shared memory, `shared`. Returns the text of the Fault; empty if there was none.
  std::string run(const std::string& body, unsigned threads = 32, unsigned blocks = 1);

  /// Expects a Fault whose text contains `part`.
  void expect_fault(const std::string& body, const std::string& part, unsigned threads = 32,
                    unsigned blocks = 1);
  void expect_no_fault(const std::string& body, unsigned threads = 32, unsigned blocks = 1);

  std::vector<std::uint32_t> out = std::vector<std::uint32_t>(word_count);

  Machine machine_;
};

/// Puts the address of the thread's own word of shared memory into %r2, and that of its neighbour's
/// into %r1. Threads 0 and 1 are neighbours, and so on.
extern const std::string address_neighbours;

/// Does the same, after each thread wrote its own word and passed a barrier.
extern const std::string write_and_address_neighbours;

}  // namespace ptx
