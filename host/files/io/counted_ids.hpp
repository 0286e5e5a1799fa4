#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpath::io {

/// Counts what has an id, and names the first ones for messages: "5593_0, 5593_1, 22_0, …".
struct CountedIds {
  std::size_t count = 0;
  std::string examples{};
  std::size_t max_examples = 3;

  void add(const std::string& id) {
    if (count < max_examples) examples += (count == 0 ? "" : ", ") + id;
    if (count++ == max_examples) examples += ", …";
  }
};

/// Names the first ids of a list.
inline std::string first_ids(std::span<const std::string> ids, std::size_t max_examples = 3) {
  CountedIds counted{.max_examples = max_examples};
  for (const std::string& id : ids) counted.add(id);
  return counted.examples;
}

}  // namespace warpath::io
