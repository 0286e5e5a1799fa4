#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "host/cuda/work.hpp"

namespace warpath::cuda {

using kernels::Stream;

/// Gives memory, streams, copies and kernels: all that the back end asks of CUDA. The real device
/// forwards to the CUDA runtime, CUB and the kernels. Tests use a device that runs the kernels'
/// bodies on the host, as late as possible and in any order that the streams allow. Every call
/// except the releasing ones may throw CudaError.
///
/// Calls that take a stream return at once; their memory must remain valid until the stream has
/// finished. The default stream is not used.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() = 0;
  virtual std::size_t free_memory() = 0;  ///< bytes
  /// Returns the floats of shared memory that a block may have.
  virtual unsigned shared_floats() = 0;
  virtual std::uint32_t multiprocessors() = 0;

  /// Allocates 256-byte-aligned memory; returns null for 0 bytes, as allocate_pinned does. A device
  /// may keep released memory for later.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Waits for all work of the device and releases the memory. release_stream waits for the stream.
  virtual void release(void* memory) noexcept = 0;
  /// Allocates pinned host memory.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  /// Forbids access to these bytes of an allocation for its lifetime. A device of tests checks it.
  virtual void forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {}
  virtual Stream make_stream() = 0;
  virtual void release_stream(Stream stream) noexcept = 0;
  /// Waits for the stream. @throws CudaError if its work failed
  virtual void wait(Stream stream) = 0;

  /// @pre the host memory is pinned
  virtual void upload(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) = 0;

  /// Returns the scratch bytes that any work may need for up to `count` elements.
  /// @pre count < 2^31 − 1, as for all work
  virtual std::size_t scratch_bytes(std::uint32_t count) = 0;
  /// Starts kernels. All pointers of `work` point to the device's memory.
  virtual void launch(const Work& work, Stream stream) = 0;
};

/// Holds the calling thread's current device, or null and the reason with its remedy: no driver or
/// one too old, no device, no kernels for that device, or a build without CUDA. Use the device only
/// on threads whose current device it is.
struct FoundDevice {
  std::unique_ptr<Device> device;
  std::string reason;
};
FoundDevice find_device();
/// Returns the device that was found. @throws InputError that says why there is none.
Device& device_of(const FoundDevice& found);
/// Returns the current device. @throws InputError if there is none.
std::unique_ptr<Device> device_or_error();

}  // namespace warpath::cuda
