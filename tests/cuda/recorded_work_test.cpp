// Tests work that a device records: it is done at each launch and not before, and a stream goes on
// after an error.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "host/core/cuda/arrays.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

constexpr std::size_t size = 1000;

class CudaRecordedWork : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaRecordedWork);

TEST_P(CudaRecordedWork, IsDoneAtEachLaunchAndNotBefore) {
  cuda::Device& on = device(run_seed());
  cuda::HostDeviceArray<std::uint8_t> bytes(on, size);
  const cuda::UniqueStream first(on), second(on);
  on.fill(bytes.device.data(), 1, size, first.get());
  const std::unique_ptr<cuda::RecordedWork> recorded = on.record(first.get(), [&] {
    on.fill(bytes.device.data(), 9, 8, first.get());
    bytes.download(on, size, first.get());
  });
  bytes.host[0] = bytes.host[size - 1] = 7;
  on.wait(first.get());
  EXPECT_EQ(bytes.host[0], 7) << "not yet launched";
  std::uint8_t byte = 2;
  for (const cuda::Stream stream : {first.get(), first.get(), second.get()}) {
    on.fill(bytes.device.data(), byte, size, stream);
    recorded->launch(stream);
    on.wait(stream);
    EXPECT_EQ(bytes.host[0], 9);
    EXPECT_EQ(bytes.host[size - 1], byte++);
  }
}

TEST_P(CudaRecordedWork, IsDroppedWhereAnErrorEndsTheRecording) {
  cuda::Device& on = device(run_seed());
  cuda::HostDeviceArray<std::uint8_t> bytes(on, size);
  const cuda::UniqueStream stream(on);
  on.fill(bytes.device.data(), 1, size, stream.get());
  const auto give_up = [&] {
    on.fill(bytes.device.data(), 9, size, stream.get());
    throw std::runtime_error("gives up");
  };
  EXPECT_THROW(on.record(stream.get(), give_up), std::runtime_error);
  bytes.download(on, size, stream.get());
  on.wait(stream.get());
  EXPECT_EQ(bytes.host[0], 1);
}

TEST(FakeDeviceRecords, WorkOfOneStreamWithoutWaits) {
  FakeDevice on(run_seed());
  cuda::DeviceArray<char> bytes(on, size);
  const cuda::UniqueStream stream(on), other(on);
  EXPECT_NONFATAL_FAILURE(on.record(stream.get(), [&] { on.wait(stream.get()); }),
                          "waits while work is recorded");
  EXPECT_NONFATAL_FAILURE(on.record(stream.get(), [&] { on.order(stream.get(), other.get()); }),
                          "orders streams while work is recorded");
  const auto fill = [&] { on.fill(bytes.data(), 1, size, stream.get()); };
  EXPECT_NONFATAL_FAILURE(on.record(other.get(), fill), "is not the stream that is recorded");
  const auto recorded = on.record(stream.get(), fill);
  bytes = {};
  EXPECT_NONFATAL_FAILURE(recorded->launch(stream.get()), "work on released memory");
}

}  // namespace
}  // namespace warpath::testing
