#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/core/cuda/work.hpp"
#include "kernels/launch/launch.hpp"

namespace warpath::cuda {

using kernels::Stream;

/// What Device::enter changes of a thread.
struct ThreadState {
  int device = 0, capture_mode = 0;
};

/// Holds work that was recorded, to start it any number of times (see Device::record).
class RecordedWork {
 public:
  RecordedWork() = default;
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;
  virtual ~RecordedWork() = default;

  /// Starts all of it in a stream. @throws CudaError
  virtual void launch(Stream stream) = 0;
};

/// Gives memory, streams, copies and kernels: all that the back end asks of CUDA. The real device
/// forwards to the CUDA runtime, CUB and the kernels. Tests use a device that runs the kernels'
/// bodies on the host, as late as possible and in any order that the streams allow. Every call
/// except the releasing ones may throw CudaError. Several threads may use a device at the same
/// time.
///
/// Calls that take a stream return at once; their memory must remain valid until the stream has
/// finished. The default stream is not used, and nothing waits for more than one stream.
class Device {
 public:
  virtual ~Device() = default;

  /// Makes this the calling thread's current device, as all other calls want it, and returns what
  /// it was before (see CurrentDevice). Other code may be capturing a graph meanwhile.
  /// @throws CudaError also if an error of other code is pending
  virtual ThreadState enter() { return {}; }
  virtual void leave(const ThreadState&) noexcept {}

  virtual std::string name() = 0;
  virtual std::size_t free_memory() = 0;  ///< bytes
  /// Returns the floats of shared memory that a block may have.
  virtual unsigned shared_floats() = 0;
  virtual std::uint32_t multiprocessors() = 0;

  /// Allocates 256-byte-aligned memory; returns null for 0 bytes, as allocate_pinned does. A device
  /// may keep released memory for later.
  virtual void* allocate(std::size_t bytes) = 0;
  /// Takes memory back. @pre no stream has work left that uses it
  virtual void release(void* memory) noexcept = 0;
  /// Allocates pinned host memory.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  /// Forbids access to these bytes of an allocation for its lifetime. A device of tests checks it.
  virtual void forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {}
  /// Sets the maximum of bytes that may be in use or kept when more has to be allocated, of the
  /// device's memory and of pinned memory each.
  virtual void bound_memory(std::size_t) {}
  /// Frees all memory and streams that are kept. Returns the bytes of the device's memory.
  virtual std::size_t release_kept() { return 0; }

  virtual Stream make_stream() = 0;
  /// Waits for the stream and takes it back.
  virtual void release_stream(Stream stream) noexcept = 0;
  /// Waits for the stream. @throws CudaError if its work failed
  virtual void wait(Stream stream) = 0;
  /// Waits for the stream, whether or not its work failed.
  virtual void wait_quietly(Stream stream) noexcept = 0;
  /// Lets all work that `later` gets from now on wait for the work that `earlier` has now.
  virtual void order(Stream earlier, Stream later) = 0;

  /// @pre the host memory is pinned
  virtual void upload(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
  virtual void fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) = 0;

  /// Returns the scratch bytes that any work may need for up to `count` elements.
  /// @pre count < 2^31 − 1, as for all work
  virtual std::size_t scratch_bytes(std::uint32_t count) = 0;
  /// Starts kernels. All pointers of `work` point to the device's memory.
  virtual void launch(const Work& work, Stream stream) = 0;

  /// Calls `start_work` and records what it gives to the stream, which is not done now: a CUDA
  /// graph. The memory of that work must remain valid as long as the record is launched.
  /// @pre start_work gives work to no other stream, allocates nothing and waits for nothing; its
  /// kernels were started before. @throws CudaError, and what start_work throws
  virtual std::unique_ptr<RecordedWork> record(Stream stream,
                                               const std::function<void()>& start_work) = 0;
};

/// Makes a device the calling thread's current one until the end of the scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(Device& device) : device_(device), before_(device.enter()) {}
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { device_.leave(before_); }

 private:
  Device& device_;
  const ThreadState before_;
};

/// Names the calling thread's current device, or has null and the reason with its remedy: no driver
/// or one too old, no device, no kernels for that device, or a build without CUDA.
struct FoundDevice {
  Device* device = nullptr;
  std::string reason{};
};
/// Finds the current device. A device that was found is kept until the process ends, with one
/// Device for each; where none is found, the next call looks again.
FoundDevice find_device();
/// Returns the device that was found. @throws InputError that says why there is none.
Device& device_of(const FoundDevice& found);
/// Returns the current device. @throws InputError if there is none.
Device& device_or_error();
/// Frees what all devices keep. Returns the bytes of their memory. @throws CudaError
std::size_t release_kept_memory();

}  // namespace warpath::cuda
