#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kernels/bodies/statistics.hpp"
#include "kernels/launch/pack_pairs_launch.hpp"

namespace warpath::cuda {

using kernels::Stream;

/// What the back end asks of a CUDA device. The real one forwards to the CUDA runtime, CUB and the
/// kernels; tests put one in its place that runs the kernels' bodies on the host, late and in any
/// order that the streams allow. Every call may throw CudaError, but for those that release.
///
/// Calls that take a stream return at once; their memory has to stay until the stream has done its
/// work. Nothing runs on the default stream.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() = 0;
  virtual std::size_t free_memory() = 0;  ///< bytes
  /// Floats of shared memory that a block may have.
  virtual unsigned shared_floats() = 0;

  /// 256-byte aligned; null for 0 bytes, here and of the host. A device may keep what is released
  /// for later.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Releasing waits for all that the device has to do, or for the stream's work.
  virtual void release(void* memory) noexcept = 0;
  /// Memory of the host that copies need not stage.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  /// Says that nobody may touch these bytes of an allocation while it lasts: a device of tests
  /// watches them.
  virtual void forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {}
  virtual Stream make_stream() = 0;
  virtual void release_stream(Stream stream) noexcept = 0;
  /// Returns when the stream has done its work, and throws what went wrong there.
  virtual void wait(Stream stream) = 0;

  /// @pre the host's side is pinned.
  virtual void upload(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) = 0;

  /// The most scratch memory that any of the calls below takes for up to `count` elements, bytes.
  /// @pre count < 2^31 − 1; so of all of them
  virtual std::size_t scratch_bytes(std::uint32_t count) = 0;
  using Scratch = kernels::Scratch;

  virtual void make_terms(const kernels::TermsView<std::uint8_t>& view, Stream stream) = 0;
  virtual void make_terms(const kernels::TermsView<std::uint16_t>& view, Stream stream) = 0;
  virtual void widen_lengths(const kernels::LengthsView& view, Stream stream) = 0;
  virtual void make_keys(const kernels::KeyView& view, Stream stream) = 0;
  using Sort = kernels::SortView;
  virtual void sort(const Sort& sort, Scratch scratch, Stream stream) = 0;
  using FindRuns = kernels::RunsView;
  virtual void find_runs(const FindRuns& find, Scratch scratch, Stream stream) = 0;
  virtual void place_pairs(const kernels::PlaceView& view, Stream stream) = 0;
  /// sums[i] = counts[0] + … + counts[i − 1], for i up to `count` inclusive: count + 1 numbers.
  virtual void exclusive_sum(const std::uint32_t* counts, std::uint32_t* sums, std::uint32_t count,
                             Scratch scratch, Stream stream) = 0;

  virtual void pack_tiles(const kernels::PackView<std::uint8_t>& view, Stream stream) = 0;
  virtual void pack_tiles(const kernels::PackView<std::uint16_t>& view, Stream stream) = 0;
  virtual void score_tiles(const kernels::TileView& view, kernels::TileKernel kernel,
                           kernels::QuantitySet parts, int rows, Stream stream) = 0;
  virtual void score_groups(const kernels::GroupView& view, kernels::GroupShape shape,
                            kernels::QuantitySet parts, Stream stream) = 0;
  virtual void score_points(const kernels::PointView& view, kernels::GroupShape shape,
                            kernels::QuantitySet parts, Stream stream) = 0;
  /// Adds up a chunk's results; different streams may add to the same totals.
  virtual void aggregate(const kernels::AggregateView& view, Stream stream) = 0;
};

/// The calling thread's current device, or null and why there is none, with what to do about it: no
/// driver or one too old, no device, no kernels for that device, or a build without CUDA. Prints
/// nothing. The device is for threads whose current device it is.
struct FoundDevice {
  std::unique_ptr<Device> device;
  std::string reason;
};
FoundDevice find_device();
/// @throws InputError where there is none.
std::unique_ptr<Device> device_or_error();

}  // namespace warpath::cuda
