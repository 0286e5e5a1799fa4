// Decompression: of bytes that are gzip data or not, and of what zlib packed.

#include "tests/support/gzip.hpp"

#include <string>

#include "host/files/io/gunzip.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {

// The first byte says where the text is cut in two, which are packed as a member each.
void fuzz_gzip(Bytes input) {
  read_or_refuse([&] {
    const std::string content = io::gunzip(std::string(text_of(input)), "input.gz", max_bytes);
    require(content.size() <= max_bytes, "more is held than may be");
  });

  const std::size_t cut = input.empty() ? 0 : input.front();
  const std::string text(text_of(input)), first = text.substr(0, cut);
  const std::string rest = text.substr(first.size());
  const std::string zeros(cut % 4, '\0');
  const std::string packed = testing::gzip(first) + zeros + testing::gzip(rest) + zeros;
  require(io::gunzip(packed, "input.gz", max_bytes) == text, "what was packed is another text");

  if (text.starts_with("\x1f\x8b")) return;  // which is unpacked itself
  const MemoryFile plain_file(text), packed_file(packed);
  require(io::read_input(plain_file.path()) == io::read_input(packed_file.path()),
          "a packed file is read as another one");
}

}  // namespace warpath::fuzz
