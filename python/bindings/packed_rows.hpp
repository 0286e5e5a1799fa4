#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpath/paths.hpp"

namespace warpath::python {

/// Packs paths that stand in rows of up to `width` elements, one after the other. Each row is read
/// once, on the calling thread: threads that pack parts would wait for each other's lengths.
/// @param read read(p, to) copies up to `width` elements of row p and returns how many of them
///   belong to its path
/// @param store receives the paths; its elements may have room for more
template <class T, class Read>
PathView<T> pack_rows(std::size_t rows, std::size_t width, const Read& read, PathStore<T>& store) {
  store.offsets.resize(rows + 1);
  store.offsets.front() = 0;
  if (store.elements.size() < rows * width) store.elements.resize(rows * width);
  std::uint64_t end = 0;
  for (std::size_t p = 0; p < rows; ++p) {
    end += read(p, store.elements.data() + end);
    store.offsets[p + 1] = end;
  }
  return {std::span<const T>(store.elements).first(end), store.offsets};
}

}  // namespace warpath::python
