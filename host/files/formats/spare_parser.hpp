#pragma once

#include <simdjson.h>

#include <cstddef>

#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Has a parser for its life. A parser's memory is used again by those that come after, in any
/// thread, since fresh memory takes as long as parsing; that of a few parsers of small documents is
/// kept.
class SpareParser {
 public:
  SpareParser();
  ~SpareParser();
  SpareParser(SpareParser&&) = default;
  SpareParser& operator=(SpareParser&&) = delete;

  /// Returns the parser. A small document has room in it, and so have others that are a bit larger.
  json::Parser& for_document(std::size_t bytes);

  /// Bytes of the largest document whose parser is kept.
  static constexpr std::size_t max_bytes = std::size_t{3} << 19;
  /// Returns how many parsers nobody has at the time.
  static std::size_t count_kept();

 private:
  json::Parser parser_;
};

}  // namespace warpath::formats
