#pragma once

#include <nanobind/nanobind.h>

#include "warpath/batch_statistics.hpp"

namespace warpath::python {

namespace nb = nanobind;

/// Returns a 128-bit integer in two's complement as Python's int, and back.
nb::int_ to_int(const Statistics::Integer& integer);
/// @throws std::overflow_error if it does not fit into 128 bits
Statistics::Integer to_integer(const nb::int_& value);

}  // namespace warpath::python
