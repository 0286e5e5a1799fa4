#include "tests/fake_cudart/fat_binary.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpath::testing {
namespace {

using Texts = std::vector<std::string>;

constexpr std::uint32_t ptx = 1, machine_code = 2, entry_header = 64;

// Lays a fat binary out as nvcc does.
struct FatBinary : ::testing::Test {
  void put(std::uint64_t value, std::size_t bytes) {
    data.append(reinterpret_cast<const char*>(&value), bytes);
  }

  void begin(std::uint64_t bytes) {
    put(0xba55ed50, 4);
    put(1, 2);
    put(16, 2);
    put(bytes, 8);
  }

  void add(std::uint32_t kind, std::string text, std::uint32_t compressed_bytes = 0) {
    text.resize((text.size() + 8) / 8 * 8);  // filled up with zero bytes
    const std::size_t first = data.size();
    put(kind, 2);
    put(0x101, 2);
    put(entry_header, 4);
    put(text.size(), 8);
    put(compressed_bytes, 4);
    data.resize(first + entry_header);
    data += text;
    const std::uint64_t bytes = data.size() - 16;
    std::memcpy(data.data() + 8, &bytes, sizeof bytes);
  }

  Texts read(std::uint32_t magic = 0x466243b1) const {
    const struct {
      std::uint32_t magic, version;
      const char* data;
      void* unused;
    } wrapper{magic, 1, data.data(), nullptr};
    return ptx_of(&wrapper);
  }

  FatBinary() { begin(0); }
  std::string data;
};

TEST_F(FatBinary, GivesThePtxBesideMachineCode) {
  EXPECT_EQ(read(), Texts{});
  add(machine_code,
      "\x7f"
      "ELF");
  add(ptx, ".version 9.0\n");
  add(machine_code, "more");
  add(ptx, ".entry k() {}\n}");
  EXPECT_EQ(read(), (Texts{".version 9.0\n", ".entry k() {}\n}"}));
}

TEST_F(FatBinary, RefusesCompressedPtx) {
  add(machine_code, "code", 3);
  EXPECT_EQ(read(), Texts{});
  add(ptx, "text", 3);
  EXPECT_THROW(read(), std::runtime_error);
}

TEST_F(FatBinary, RefusesAnythingElse) {
  EXPECT_THROW(read(1), std::runtime_error);
  data[0] = 0;
  EXPECT_THROW(read(), std::runtime_error);
}

}  // namespace
}  // namespace warpath::testing
