#pragma once

#include <cstdint>

#include "warpath/metrics.hpp"

// Views batches that lie in a GPU's memory. All pointers point to memory of one device and must
// remain valid until the stream has completed the work that was given them. Integers are read as
// they lie there: no copy of another width is needed.

namespace warpath {

/// Views an array of integers in GPU memory, aligned to their width. Values are never negative.
struct DeviceIntegers {
  const void* data = nullptr;
  std::uint8_t bytes = 4;  ///< of each: 1, 2, 4 or 8

  constexpr DeviceIntegers() = default;
  constexpr DeviceIntegers(std::nullptr_t) {}
  constexpr DeviceIntegers(const void* array, std::uint8_t width) : data(array), bytes(width) {}
  constexpr DeviceIntegers(const std::uint8_t* array) : data(array), bytes(1) {}
  constexpr DeviceIntegers(const std::uint16_t* array) : data(array), bytes(2) {}
  constexpr DeviceIntegers(const std::int32_t* array) : data(array), bytes(4) {}
  constexpr DeviceIntegers(const std::uint32_t* array) : data(array), bytes(4) {}
  constexpr DeviceIntegers(const std::int64_t* array) : data(array), bytes(8) {}
};

/// Says where each of a number of paths lies in one array: one after the other, or in rows of equal
/// length.
///
///     one after the other:  offsets 0 3 5     a b c d e
///     rows (`[B, T]`):      lengths 3 2       a b c .      pitch = T = 4
///                                             d e . .
struct DeviceLayout {
  DeviceIntegers offsets{};  ///< [count + 1], elements; null: path p begins at p * pitch
  DeviceIntegers lengths{};  ///< [count]; may be null if there are offsets
  std::uint32_t pitch = 0;   ///< of rows, elements; at least max_length
  /// Upper bound of the elements of any path, at least 1; longer paths are scored as if they ended
  /// there.
  std::uint32_t max_length = 0;
};

/// Views paths of viewpoints, as indices into the scan of their reference.
struct DevicePaths {
  DeviceIntegers viewpoints{};
  DeviceLayout layout{};
};

/// Views pairs: query k against one of the scorer's references.
struct DeviceBatch {
  std::uint32_t count = 0;
  DevicePaths queries{};
  DeviceIntegers reference{};            ///< [count]; null: query k is of reference k, of as many
  const std::uint8_t* active = nullptr;  ///< [count], 0: left out, nothing is written; null: none
  const float* task_success = nullptr;   ///< [count]: SDTW's success instead of SR; null: SR
};

/// Views continuous paths: x, y, z of each point, metres.
struct DevicePoints {
  const float* points = nullptr;  ///< [points][3]
  DeviceLayout layout{};          ///< in points
};

/// Views pairs of continuous paths: query k against reference k, or against reference[k].
struct DevicePointBatch {
  std::uint32_t count = 0;
  DevicePoints queries{}, references{};
  DeviceIntegers reference{};            ///< as in DeviceBatch
  std::uint32_t reference_count = 0;     ///< paths of `references`, if `reference` is to be checked
  const std::uint8_t* active = nullptr;  ///< as in DeviceBatch, as is the next
  const float* task_success = nullptr;
};

/// Names the arrays for the scores of a batch.
struct DeviceScores {
  /// By metric of the scorer: [count], NaN for a pair without a value; null: not wanted.
  MetricMap<float*> column{};
  std::uint32_t* flags = nullptr;  ///< [count]; see DeviceScorer::status; may be null
};

}  // namespace warpath
