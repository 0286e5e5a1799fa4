#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "warpath/place.hpp"
#include "warpath/views.hpp"

// Reads what warpath/views.py says of arrays: tuples of addresses and sizes. An array costs a small
// call as much as its work, and memory of a GPU can be given in no other way. The package has
// checked types and shapes; nothing can be checked here.

namespace warpath::python {

namespace nb = nanobind;

using Address = std::uintptr_t;

template <class T>
T* at(Address address) {
  return reinterpret_cast<T*>(address);
}
inline CUstream_st* stream_at(Address stream) {
  return at<CUstream_st>(stream);
}

/// Reads the fields of a tuple in their order.
class Fields {
 public:
  /// @throws nb::type_error if it is no tuple of `size` fields
  Fields(nb::handle tuple, Py_ssize_t size);

  /// @throws nb::python_error if it is no such number
  std::uint64_t number();
  std::uint32_t size() { return static_cast<std::uint32_t>(number()); }
  /// @throws InputError if an array's address is not aligned to its elements
  template <class T>
  T* array() {
    const Address address = number();
    if constexpr (!std::is_void_v<T>) check_aligned(address, alignof(T));
    return at<T>(address);
  }
  double real();
  bool flag() { return number() != 0; }
  nb::handle field();
  /// Reads an IntegersAt.
  Integers integers();

 private:
  static void check_aligned(Address address, std::size_t bytes);

  nb::handle tuple_;
  Py_ssize_t next_ = 0;
};

/// Holds lengths that were not given.
using OwnLengths = std::vector<std::uint32_t>;

/// Reads a PathsAt. @param count paths
/// @param own keeps the lengths of rows on the host that end before their first negative number or
/// NaN
PathsView read_paths(nb::handle tuple, std::size_t count, OwnLengths& own);

/// Holds a batch of a call.
struct BatchAt {
  /// Reads a BatchAt.
  explicit BatchAt(nb::handle tuple);
  BatchAt(const BatchAt&) = delete;
  BatchAt& operator=(const BatchAt&) = delete;

  Batch batch;

 private:
  OwnLengths queries_, references_;
};

/// Reads a RoomAt: what a workspace or a warm-up is for.
Batch read_room(nb::handle tuple);

/// Reads a CallAt.
warpath::Call read_call(nb::handle tuple);

/// Reads the addresses of rewards, distances to the goal, nDTW and CLS.
RewardArrays read_rewards(nb::handle tuple);

/// Reads a ReturnsAt.
ReturnsBatch read_returns(nb::handle tuple);

/// Reads a GroupsAt.
GroupBatch read_groups(nb::handle tuple);

/// Reads a PositionsAt.
PositionsView read_positions(nb::handle tuple);

}  // namespace warpath::python
