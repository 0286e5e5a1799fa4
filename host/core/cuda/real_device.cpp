#include "host/core/cuda/real_device.hpp"

#ifdef WARPATH_HAS_CUDA

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "host/core/cuda/runtime_error.hpp"
#include "kernels/launch/pack_pairs_launch.hpp"
#include "kernels/launch/rewards_launch.hpp"
#include "kernels/launch/statistics_launch.hpp"
#include "kernels/launch/walks_launch.hpp"

namespace warpath::cuda {
namespace {

/// Names the call of kernels/launch/ that started work, and its return code.
struct Launched {
  std::string_view call;
  int result;
};

Launched launch(const kernels::TermsView& view, Stream stream) {
  return {"make_all_terms", kernels::make_all_terms(view, stream)};
}
Launched launch(const kernels::StoreView& view, Stream stream) {
  return {"store_references", kernels::store_references(view, stream)};
}
Launched launch(const kernels::PreparePointsView& view, Stream stream) {
  return {"prepare_all_points", kernels::prepare_all_points(view, stream)};
}
Launched launch(const CheckPairs& check, Stream stream) {
  return {"check_pairs", kernels::check_pairs(check.view, stream)};
}
Launched launch(const LengthSum& sum, Stream stream) {
  return {"exclusive_sum", kernels::exclusive_sum(sum.view, sum.scratch, stream)};
}
Launched launch(const TileSum& sum, Stream stream) {
  return {"exclusive_sum", kernels::exclusive_sum(sum.view, sum.scratch, stream)};
}
Launched launch(const kernels::KeyView& view, Stream stream) {
  return {"make_all_keys", kernels::make_all_keys(view, stream)};
}
Launched launch(const SortPairs& sort, Stream stream) {
  return {"sort_pairs", kernels::sort_pairs(sort.view, sort.scratch, stream)};
}
Launched launch(const FindRuns& find, Stream stream) {
  return {"find_runs", kernels::find_runs(find.view, find.scratch, stream)};
}
Launched launch(const kernels::PlaceView& view, Stream stream) {
  return {"place_all_pairs", kernels::place_all_pairs(view, stream)};
}
Launched launch(const kernels::PlanView& view, Stream stream) {
  return {"plan_all_runs", kernels::plan_all_runs(view, stream)};
}
Launched launch(const kernels::PackView& view, Stream stream) {
  return {"pack_tiles", kernels::pack_tiles(view, stream)};
}
Launched launch(const ScoreTiles& s, Stream stream) {
  return {"score_tiles", kernels::score_tiles(s.view, s.kernel, s.set, s.rows, stream)};
}
Launched launch(const ScoreGroups& s, Stream stream) {
  return {"score_groups", kernels::score_groups(s.view, s.shape, s.set, stream)};
}
Launched launch(const ScoreGroupSlices& s, Stream stream) {
  return {"score_group_slices", kernels::score_group_slices(s.view, s.shape, s.set, stream)};
}
Launched launch(const ScorePoints& s, Stream stream) {
  return {"score_points", kernels::score_points(s.view, s.shape, s.set, stream)};
}
Launched launch(const ScoreWalks& s, Stream stream) {
  return {"score_walks", kernels::score_walks(s.view, s.replicated, s.set, s.rows, stream)};
}
Launched launch(const RepeatWalks& s, Stream stream) {
  return {"repeat_noted_walks", kernels::repeat_noted_walks(s.view, s.set, stream)};
}
Launched launch(const kernels::AggregateView& view, Stream stream) {
  return {"aggregate", kernels::aggregate(view, stream)};
}

Launched launch(const RewardRollouts& w, Stream stream) {
  return {"reward_rollouts", kernels::reward_rollouts(w.view, w.shape, stream)};
}
Launched launch(const ResetEpisodes& w, Stream stream) {
  return {"reset_episodes", kernels::reset_episodes(w.view, w.shape, stream)};
}
Launched launch(const StepEpisodes& w, Stream stream) {
  return {"step_episodes", kernels::step_episodes(w.view, w.shape, stream)};
}
Launched launch(const FinishEpisodes& w, Stream stream) {
  return {"finish_episodes", kernels::finish_episodes(w.view, w.shape, stream)};
}
Launched launch(const ScoreExtensions& w, Stream stream) {
  return {"score_extensions", kernels::score_extensions(w.view, w.shape, stream)};
}
Launched launch(const kernels::CheckEpisodesView& view, Stream stream) {
  return {"check_episodes", kernels::check_episodes(view, stream)};
}
Launched launch(const kernels::EpisodeValuesView& view, Stream stream) {
  return {"read_episode_values", kernels::read_episode_values(view, stream)};
}
Launched launch(const kernels::CopyEpisodesView& view, Stream stream) {
  return {"copy_episodes", kernels::copy_episodes(view, stream)};
}
Launched launch(const kernels::ReturnsView& view, Stream stream) {
  return {"add_up_rewards", kernels::add_up_rewards(view, stream)};
}
Launched launch(const kernels::GroupsView& view, Stream stream) {
  return {"compare_groups", kernels::compare_groups(view, stream)};
}

// Lets the thread make calls that are otherwise refused while any thread captures a graph.
int exchange_capture_mode(int mode) {
  auto exchanged = static_cast<cudaStreamCaptureMode>(mode);
  check(cudaThreadExchangeStreamCaptureMode(&exchanged), "cudaThreadExchangeStreamCaptureMode");
  return exchanged;
}

// Returns whether a failed call that frees has left the memory as it was, because of a capture.
bool is_refused_by_capture(cudaError_t code) {
  return code >= cudaErrorStreamCaptureUnsupported && code <= cudaErrorStreamCaptureWrongThread;
}

bool free_memory_of_device(void* memory) {
  return !is_refused_by_capture(cudaFree(memory));
}
bool free_pinned_memory(void* memory) {
  return !is_refused_by_capture(cudaFreeHost(memory));
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream stream) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, kind, stream),
        fmt::format("cudaMemcpyAsync of {} bytes", bytes));
}

/// Captures what a stream is given until end() is called, or until the end of the scope.
class Capture {
 public:
  explicit Capture(Stream stream) : stream_(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    const ForgetOwnErrors own;
    if (!has_ended_) static_cast<void>(cudaStreamEndCapture(stream_, &graph_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }

  /// Returns the graph, which this object owns.
  cudaGraph_t end() {
    has_ended_ = true;
    check(cudaStreamEndCapture(stream_, &graph_), "cudaStreamEndCapture");
    return graph_;
  }

 private:
  const Stream stream_;
  bool has_ended_ = false;
  cudaGraph_t graph_ = nullptr;
};

/// Owns a graph that can be launched. CUDA keeps it until launches that still run are done.
class LaunchableGraph final : public RecordedWork {
 public:
  explicit LaunchableGraph(cudaGraph_t graph) {
    check(cudaGraphInstantiate(&made_, graph, 0), "cudaGraphInstantiate");
  }
  ~LaunchableGraph() override {
    const ForgetOwnErrors own;
    static_cast<void>(cudaGraphExecDestroy(made_));
  }

  void launch(Stream stream) override {
    expect_nothing_pending();
    check(cudaGraphLaunch(made_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t made_ = nullptr;
};

}  // namespace

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

RealDevice::RealDevice(int ordinal)
    : ordinal_(ordinal),
      memory_([this](std::size_t bytes) { return get(bytes); }, free_memory_of_device),
      pinned_([this](std::size_t bytes) { return get_pinned(bytes); }, free_pinned_memory) {}

std::string RealDevice::name() {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  check(cudaGetDeviceProperties(&properties, ordinal_), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return fmt::format("{}, compute capability {}.{}, driver for CUDA {}, runtime {}",
                     properties.name, properties.major, properties.minor, version(driver),
                     version(runtime));
}

std::size_t RealDevice::free_memory() {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return free + memory_.kept();
}

unsigned RealDevice::shared_floats() {
  unsigned floats = 0;
  check(kernels::max_shared_floats(floats), "cudaDeviceGetAttribute");
  return floats;
}

std::uint32_t RealDevice::multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, ordinal_),
        "cudaDeviceGetAttribute");
  return static_cast<std::uint32_t>(count);
}

// The mode of captures is the thread's on the current device, so that comes first.
ThreadState RealDevice::enter() {
  expect_nothing_pending();
  ThreadState before;
  check(cudaGetDevice(&before.device), "cudaGetDevice");
  if (before.device != ordinal_) check(cudaSetDevice(ordinal_), "cudaSetDevice");
  try {
    before.capture_mode = exchange_capture_mode(cudaStreamCaptureModeRelaxed);
  } catch (...) {
    if (before.device != ordinal_) static_cast<void>(cudaSetDevice(before.device));
    throw;
  }
  return before;
}

void RealDevice::leave(const ThreadState& before) noexcept {
  const ForgetOwnErrors own;
  auto mode = static_cast<cudaStreamCaptureMode>(before.capture_mode);
  static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  if (before.device != ordinal_) static_cast<void>(cudaSetDevice(before.device));
}

void* RealDevice::get(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), fmt::format("cudaMalloc of {} bytes", bytes));
  return memory;
}
void* RealDevice::get_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), fmt::format("cudaMallocHost of {} bytes", bytes));
  return memory;
}

void RealDevice::bound_memory(std::size_t bytes) {
  memory_.bound(bytes);
  pinned_.bound(bytes);
}

std::size_t RealDevice::release_kept() {
  const CurrentDevice here(*this);
  const ForgetOwnErrors own;
  {
    const std::lock_guard lock(mutex_);
    for (; !streams_.empty(); streams_.pop_back(), --stream_count_) {
      static_cast<void>(cudaStreamDestroy(streams_.back()));
    }
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(std::exchange(event_, nullptr)));
  }
  pinned_.release_kept();
  return memory_.release_kept();
}

Stream RealDevice::make_stream() {
  const std::lock_guard lock(mutex_);
  if (streams_.empty()) {
    streams_.reserve(stream_count_ + 1);  // so that giving back allocates nothing
    Stream stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    ++stream_count_;
    return stream;
  }
  const Stream stream = streams_.back();
  streams_.pop_back();
  return stream;
}

void RealDevice::release_stream(Stream stream) noexcept {
  wait_quietly(stream);
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void RealDevice::wait(Stream stream) {
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

// Is called where no scope makes the thread relaxed, too, as by a scorer's destructor. The current
// device need not be this one.
void RealDevice::wait_quietly(Stream stream) noexcept {
  const ForgetOwnErrors own;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  const bool is_relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
  static_cast<void>(cudaStreamSynchronize(stream));
  if (is_relaxed) static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
}

// One event is enough: a stream waits for what was recorded when it was told to.
void RealDevice::order(Stream earlier, Stream later) {
  const std::lock_guard lock(mutex_);
  if (event_ == nullptr) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  check(cudaEventRecord(event_, earlier), "cudaEventRecord");
  check(cudaStreamWaitEvent(later, event_, 0), "cudaStreamWaitEvent");
}

void RealDevice::upload(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
void RealDevice::download(void* to, const void* from, std::size_t bytes, Stream stream) {
  copy(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
void RealDevice::fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(memory, byte, bytes, stream),
        fmt::format("cudaMemsetAsync of {} bytes", bytes));
}

std::size_t RealDevice::scratch_bytes(std::uint32_t count) {
  std::size_t bytes = 0;
  expect_nothing_pending();
  check(kernels::scratch_bytes(count, bytes), "scratch_bytes");
  return bytes;
}

void RealDevice::launch(const Work& work, Stream stream) {
  expect_nothing_pending();
  const Launched launched =
      std::visit([&](const auto& view) { return warpath::cuda::launch(view, stream); }, work);
  check(launched.result, launched.call);
}

std::unique_ptr<RecordedWork> RealDevice::record(Stream stream,
                                                 const std::function<void()>& start_work) {
  expect_nothing_pending();
  Capture capture(stream);
  start_work();
  return std::make_unique<LaunchableGraph>(capture.end());
}

}  // namespace warpath::cuda

#endif
