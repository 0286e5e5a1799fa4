#include "tests/fake_cudart/fat_binary.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace warpath::testing {
namespace {

struct Wrapper {
  std::uint32_t magic, version;
  const std::byte* data;
};

// Begins a fat binary; entries of `bytes` bytes follow.
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};

// Begins an entry; its text or machine code follows.
struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes;  // 0: not compressed
};

constexpr std::uint32_t wrapper_magic = 0x466243b1, magic = 0xba55ed50;
constexpr std::uint16_t kind_of_ptx = 1;

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Returns an entry's text without the zero bytes that fill it up.
std::string text_of(const std::byte* from, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(from), bytes);
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

}  // namespace

std::vector<std::string> ptx_of(const void* wrapper) {
  const auto outer = read<Wrapper>(static_cast<const std::byte*>(wrapper));
  if (outer.magic != wrapper_magic || read<Header>(outer.data).magic != magic) {
    throw std::runtime_error("this is no fat binary");
  }
  const auto header = read<Header>(outer.data);
  const std::byte* at = outer.data + header.header_bytes;
  const std::byte* const end = at + header.bytes;
  std::vector<std::string> texts;
  while (at < end) {
    const auto entry = read<Entry>(at);
    at += entry.header_bytes;
    if (entry.kind == kind_of_ptx) {
      if (entry.compressed_bytes != 0) throw std::runtime_error("PTX must not be compressed");
      texts.push_back(text_of(at, entry.bytes));
    }
    at += entry.bytes;
  }
  return texts;
}

}  // namespace warpath::testing
