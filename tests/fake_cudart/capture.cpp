#include "tests/fake_cudart/capture.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls that capture streams, and graphs.

using namespace warpath::testing;

namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

std::vector<std::shared_ptr<Capture>>& captures() {
  static std::vector<std::shared_ptr<Capture>> of_all_streams;
  return of_all_streams;
}

bool is_endangered(const Capture& capture, Disturbance disturbance) {
  if (disturbance == Disturbance::forbidden) return true;
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  const bool is_own = capture.thread == std::this_thread::get_id();
  if (is_own) return capture.mode != cudaStreamCaptureModeRelaxed;
  return thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

struct Graph {
  int device;
  std::vector<GraphNode> nodes;
};
Graph* graph_of(const void* handle) {
  return static_cast<Graph*>(const_cast<void*>(handle));
}

// Does the nodes in an order that their dependencies allow.
void replay(const Graph& graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> to_do(graph.nodes.size());
  for (std::size_t n = 0; n < to_do.size(); ++n) to_do[n] = n;
  std::vector<bool> is_done(to_do.size());
  while (!to_do.empty()) {
    const std::size_t k = random() % to_do.size(), n = to_do[k];
    const auto& after = graph.nodes[n].after;
    if (!std::ranges::all_of(after, [&](std::size_t a) { return is_done[a]; })) continue;
    graph.nodes[n].work();
    is_done[n] = true;
    to_do.erase(to_do.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

namespace warpath::testing {

void reset_capture_mode() {
  thread_mode = cudaStreamCaptureModeGlobal;
}

bool Capture::is_joined() const {
  std::vector<bool> is_followed(nodes.size());
  std::vector<std::size_t> open = last.at(origin);
  while (!open.empty()) {
    const std::size_t n = open.back();
    open.pop_back();
    if (is_followed[n]) continue;
    is_followed[n] = true;
    open.insert(open.end(), nodes[n].after.begin(), nodes[n].after.end());
  }
  return std::ranges::all_of(is_followed, [](bool is) { return is; });
}

std::shared_ptr<Capture> capture_of(const void* stream) {
  for (const auto& capture : captures()) {
    if (capture->last.contains(stream)) return capture;
  }
  return nullptr;
}

void add_node(Capture& capture, const void* stream, FakeStreams::Work work) {
  auto& last = capture.last.at(stream);
  capture.nodes.push_back({std::move(work), last});
  last = {capture.nodes.size() - 1};
}

cudaError_t break_capture(Capture& capture, cudaError_t code) {
  capture.is_broken = true;
  return fail(code);
}

cudaError_t refuse_if_captured(Disturbance disturbance, int device) {
  cudaError_t code = cudaSuccess;
  for (const auto& capture : captures()) {
    if (device >= 0 && capture->device != device) continue;
    if (!is_endangered(*capture, disturbance)) continue;
    code = break_capture(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return code;
}

}  // namespace warpath::testing

extern "C" {

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const Call call("cudaThreadExchangeStreamCaptureMode");
  if (!call.fails()) std::swap(*mode, thread_mode);
  return call.code();
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const Call call("cudaStreamBeginCapture");
  if (call.fails()) return call.code();
  if (stream == nullptr) return fail(cudaErrorStreamCaptureUnsupported);
  if (!cudart().streams.contains(stream)) return fail(cudaErrorInvalidResourceHandle);
  if (capture_of(stream) != nullptr) return fail(cudaErrorIllegalState);
  captures().push_back(std::make_shared<Capture>(
      Capture{mode, std::this_thread::get_id(), stream, device_of_stream(stream)}));
  captures().back()->last[stream];
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const Call call("cudaStreamIsCapturing");
  if (call.fails()) return call.code();
  if (stream == nullptr && !captures().empty()) return fail(cudaErrorStreamCaptureImplicit);
  const auto capture = capture_of(stream);
  *status = capture == nullptr   ? cudaStreamCaptureStatusNone
            : capture->is_broken ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Call call("cudaStreamEndCapture");
  *graph = nullptr;
  const auto capture = capture_of(stream);
  if (call.fails()) {  // it ends nevertheless
    if (capture != nullptr) capture->is_over = true;
    std::erase(captures(), capture);
    return call.code();
  }
  if (capture == nullptr) return fail(cudaErrorIllegalState);
  if (capture->origin != stream) return break_capture(*capture, cudaErrorStreamCaptureUnmatched);
  const bool is_own = capture->thread == std::this_thread::get_id();
  if (!is_own && capture->mode != cudaStreamCaptureModeRelaxed) {
    return break_capture(*capture, cudaErrorStreamCaptureWrongThread);
  }
  capture->is_over = true;
  std::erase(captures(), capture);
  if (capture->is_broken) return fail(cudaErrorStreamCaptureInvalidated);
  if (!capture->is_joined()) return fail(cudaErrorStreamCaptureUnjoined);
  *graph = reinterpret_cast<cudaGraph_t>(new Graph{capture->device, capture->nodes});
  ++cudart().graphs;
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const Call call("cudaGraphGetNodes");
  if (nodes == nullptr) *count = graph_of(graph)->nodes.size();
  return call.code();
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  const Call call("cudaGraphInstantiate");
  if (call.fails()) return call.code();
  if (const auto code = refuse_if_captured(Disturbance::unsafe)) return code;
  *made = reinterpret_cast<cudaGraphExec_t>(new Graph(*graph_of(graph)));
  ++cudart().graphs;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
  const Call call("cudaGraphLaunch");
  if (call.fails()) return call.code();
  const Graph& graph = *graph_of(made);
  if (device_of_stream(stream) != graph.device) return fail(cudaErrorInvalidResourceHandle);
  return enqueue(stream, [graph, seed = next_seed()] { replay(graph, seed); });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const Call call("cudaGraphDestroy");
  delete graph_of(graph);
  --cudart().graphs;
  return call.code();
}
// Launches that wait in streams have nodes of their own.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made) {
  const Call call("cudaGraphExecDestroy");
  delete graph_of(made);
  --cudart().graphs;
  return call.code();
}

}  // extern "C"
