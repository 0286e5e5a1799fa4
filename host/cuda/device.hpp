#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "host/cuda/work.hpp"

namespace warpath::cuda {

using kernels::Stream;

/// Gives memory, streams, copies and kernels, all that the back end asks of CUDA. The real device
/// forwards to the CUDA runtime, CUB and the kernels; tests put one in its place that runs the
/// kernels' bodies on the host, late and in any order that the streams allow. Every call may throw
/// CudaError, but for those that release.
///
/// Calls that take a stream return at once; their memory has to stay until the stream has done its
/// work. Nothing runs on the default stream.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() = 0;
  virtual std::size_t free_memory() = 0;  ///< bytes
  /// Returns the floats of shared memory that a block may have.
  virtual unsigned shared_floats() = 0;

  /// Returns memory that is 256-byte aligned; null for 0 bytes, here and of the host. A device may
  /// keep what is released for later.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Waits for all that the device has to do (for streams: that the stream has) and releases.
  virtual void release(void* memory) noexcept = 0;
  /// Returns memory of the host that copies reach directly.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  /// Says that nobody may touch these bytes of an allocation while it lasts: a device of tests
  /// watches them.
  virtual void forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {}
  virtual Stream make_stream() = 0;
  virtual void release_stream(Stream stream) noexcept = 0;
  /// Waits until the stream has done its work, and throws what went wrong there.
  virtual void wait(Stream stream) = 0;

  /// @pre the host's side is pinned.
  virtual void upload(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) = 0;

  /// Returns the most scratch memory that any work takes for up to `count` elements, bytes.
  /// @pre count < 2^31 − 1; so of all work
  virtual std::size_t scratch_bytes(std::uint32_t count) = 0;
  /// Starts kernels. All pointers of `work` are the device's.
  virtual void launch(const Work& work, Stream stream) = 0;
};

/// Holds the calling thread's current device, or null and why there is none, with what to do about
/// it: no driver or one too old, no device, no kernels for that device, or a build without CUDA.
/// Prints nothing. The device is for threads whose current device it is.
struct FoundDevice {
  std::unique_ptr<Device> device;
  std::string reason;
};
FoundDevice find_device();
/// Returns the current device. @throws InputError where there is none.
std::unique_ptr<Device> device_or_error();

}  // namespace warpath::cuda
