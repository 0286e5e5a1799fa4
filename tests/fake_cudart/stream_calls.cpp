#include <cuda_runtime_api.h>

#include <memory>
#include <utility>
#include <vector>

#include "tests/fake_cudart/capture.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls for streams and events.

using namespace warpath::testing;

namespace {

/// Holds what was recorded last: a point in a stream, or nodes of a graph in the making.
struct Event {
  std::shared_ptr<const FakeStreams::Mark> mark;
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> nodes;
};
Event& event_of(cudaEvent_t event) {
  return *reinterpret_cast<Event*>(event);
}

// Refuses to wait for or ask a stream that captures; and others where captures forbid that.
cudaError_t refuse_to_wait(cudaStream_t stream) {
  if (stream == nullptr) {
    return refuse_if_captured(Disturbance::forbidden, current_device()) == cudaSuccess
               ? cudaSuccess
               : fail(cudaErrorStreamCaptureImplicit);
  }
  if (const auto capture = capture_of(stream)) {
    return break_capture(*capture, cudaErrorStreamCaptureUnsupported);
  }
  if (!streams().has(stream)) return fail(cudaErrorInvalidResourceHandle);
  return refuse_if_captured(Disturbance::unsafe);
}
cudaError_t refuse_to_wait(const Event& event) {
  if (event.capture != nullptr) {
    return break_capture(*event.capture, cudaErrorCapturedEvent);
  }
  return refuse_if_captured(Disturbance::unsafe);
}

// Lets a stream follow the nodes of an event, and take part in their capture.
cudaError_t follow(Event& event, cudaStream_t stream) {
  if (event.capture->is_over) return fail(cudaErrorInvalidValue);
  if (event.capture->is_broken) return fail(cudaErrorStreamCaptureInvalidated);
  const auto own = capture_of(stream);
  if (own != nullptr && own != event.capture) {
    break_capture(*own, cudaErrorStreamCaptureMerge);
    return break_capture(*event.capture, cudaErrorStreamCaptureMerge);
  }
  auto& last = event.capture->last[stream];
  last.insert(last.end(), event.nodes.begin(), event.nodes.end());
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const Call call("cudaStreamCreateWithFlags");
  if (call.fails()) return call.code();
  void* address = new char;
  cudart().streams[address] = current_device();
  streams().add(address);
  *stream = static_cast<cudaStream_t>(address);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Call call("cudaStreamDestroy");
  if (cudart().streams.erase(stream) == 0) return fail(cudaErrorInvalidResourceHandle);
  if (const auto capture = capture_of(stream)) {
    break_capture(*capture, cudaErrorStreamCaptureUnsupported);
  }
  streams().remove(stream);
  delete reinterpret_cast<char*>(stream);
  return call.code();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Call call("cudaStreamSynchronize");
  if (const auto code = refuse_to_wait(stream)) return code;
  stream == nullptr ? finish_device(current_device()) : streams().finish(stream);
  return call.code();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Call call("cudaStreamQuery");
  if (const auto code = refuse_to_wait(stream)) return code;
  if (call.fails()) return call.code();
  return stream == nullptr || streams().is_idle(stream) ? cudaSuccess : cudaErrorNotReady;
}

// ---------------------------------------------------------------- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  const Call call("cudaEventCreateWithFlags");
  if (call.fails()) return call.code();
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  cudart().events[*event] = current_device();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Call call("cudaEventDestroy");
  if (cudart().events.erase(event) == 0) return fail(cudaErrorInvalidResourceHandle);
  delete &event_of(event);
  return call.code();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Call call("cudaEventRecord");
  if (call.fails()) return call.code();
  const auto found = cudart().events.find(event);
  if (found == cudart().events.end() || !streams().has(stream) ||
      found->second != device_of_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (const auto capture = capture_of(stream)) {
    if (capture->is_broken) return fail(cudaErrorStreamCaptureInvalidated);
    event_of(event) = {nullptr, capture, capture->last.at(stream)};
  } else {
    event_of(event) = {streams().mark(stream), nullptr, {}};
  }
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Call call("cudaStreamWaitEvent");
  if (call.fails()) return call.code();
  if (!cudart().events.contains(event) || !streams().has(stream)) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  Event& waited = event_of(event);
  if (waited.capture != nullptr) return follow(waited, stream);
  if (const auto capture = capture_of(stream)) {
    return break_capture(*capture, cudaErrorStreamCaptureIsolation);
  }
  if (waited.mark != nullptr) streams().wait_for(stream, waited.mark);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Call call("cudaEventSynchronize");
  if (const auto code = refuse_to_wait(event_of(event))) return code;
  if (event_of(event).mark != nullptr) streams().finish(*event_of(event).mark);
  return call.code();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Call call("cudaEventQuery");
  if (const auto code = refuse_to_wait(event_of(event))) return code;
  if (call.fails()) return call.code();
  const auto& mark = event_of(event).mark;
  return mark == nullptr || mark->is_done ? cudaSuccess : cudaErrorNotReady;
}

}  // extern "C"
