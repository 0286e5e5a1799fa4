#include "host/files/formats/spare_parser.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace warpath::formats {
namespace {

constexpr std::size_t max_kept = 8;

struct KeptParsers {
  std::mutex mutex;
  std::vector<json::Parser> parsers;

  KeptParsers() { parsers.reserve(max_kept); }
};

// It is never destroyed, because files may be closed at the very end of the program.
KeptParsers& kept_parsers() {
  static auto* const only = new KeptParsers;
  return *only;
}

}  // namespace

SpareParser::SpareParser() {
  KeptParsers& kept = kept_parsers();
  const std::lock_guard lock(kept.mutex);
  if (kept.parsers.empty()) return;
  parser_ = std::move(kept.parsers.back());
  kept.parsers.pop_back();
}

SpareParser::~SpareParser() {
  if (parser_.capacity() == 0 || parser_.capacity() > max_bytes) return;
  KeptParsers& kept = kept_parsers();
  const std::lock_guard lock(kept.mutex);
  if (kept.parsers.size() < max_kept) kept.parsers.push_back(std::move(parser_));
}

json::Parser& SpareParser::for_document(std::size_t bytes) {
  // The chunks of a file differ by less, and each new room would be fresh memory.
  const std::size_t room = bytes + bytes / 4;
  if (parser_.capacity() < bytes && room <= max_bytes) {
    // Where there is no memory, the parser says so as it parses.
    [[maybe_unused]] const auto of_parser = parser_.allocate(room);
    [[maybe_unused]] const auto of_document = parser_.doc.allocate(room);
  }
  return parser_;
}

std::size_t SpareParser::count_kept() {
  KeptParsers& kept = kept_parsers();
  const std::lock_guard lock(kept.mutex);
  return kept.parsers.size();
}

}  // namespace warpath::formats
