#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/fake_streams.hpp"

// Captures of streams into graphs, and what is refused meanwhile:
//
// | refused                                            | unless the thread's mode is             |
// |----------------------------------------------------|-----------------------------------------|
// | waiting for or asking the capturing stream, or an  |                                         |
// | event recorded in it, or its whole device; the     |                                         |
// | default stream; freeing memory; a kernel's first   |                                         |
// | use, which loads it                                |                                         |
// | allocating; waiting for or asking other streams or | relaxed; or thread-local, and only      |
// | events                                             | other threads capture                   |
//
// A refused call returns an error and breaks the captures that it endangers: their end then fails.
// Freeing is refused in every mode, which is stricter than CUDA's documentation, and so is loading.

namespace warpath::testing {

/// Work of a graph, and the nodes that it follows.
struct GraphNode {
  FakeStreams::Work work;
  std::vector<std::size_t> after;
};

/// A graph in the making. Each stream that takes part adds nodes behind its last ones.
struct Capture {
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  const void* origin;  ///< the stream in which it began
  int device;
  bool is_broken = false, is_over = false;
  std::vector<GraphNode> nodes{};
  std::map<const void*, std::vector<std::size_t>> last{};  ///< by stream that takes part

  /// Tells whether every node is followed by the origin's last ones, so that no stream is left
  /// without its join.
  bool is_joined() const;
};

/// Returns the capture that a stream takes part in, or null.
std::shared_ptr<Capture> capture_of(const void* stream);
/// Adds work behind a stream's last nodes. @pre the stream takes part
void add_node(Capture& capture, const void* stream, FakeStreams::Work work);

/// What a call does that captures may refuse.
enum class Disturbance {
  unsafe,     ///< refused in the modes that the table above gives
  forbidden,  ///< refused in every mode
};
/// Breaks the captures that the calling thread would disturb. Returns the error with which the call
/// must fail then, else cudaSuccess.
/// @param device only captures on this device; −1: on any
cudaError_t refuse_if_captured(Disturbance disturbance, int device = -1);
/// Puts the calling thread into the default mode.
void reset_capture_mode();
/// Breaks a capture and returns the error with which a call fails.
cudaError_t break_capture(Capture& capture, cudaError_t code);

}  // namespace warpath::testing
