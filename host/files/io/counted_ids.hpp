#pragma once

#include <cstddef>
#include <string>

namespace warpath::io {

/// Counts what has an id, and names the first three for messages: "5593_0, 5593_1, 22_0, …".
struct CountedIds {
  std::size_t count = 0;
  std::string examples;

  void add(const std::string& id) {
    constexpr std::size_t max_examples = 3;
    if (count < max_examples) examples += (count == 0 ? "" : ", ") + id;
    if (count++ == max_examples) examples += ", …";
  }
};

}  // namespace warpath::io
