#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "python/bindings/arrays.hpp"
#include "warpath/error.hpp"
#include "warpath/scores.hpp"

namespace warpath::python {

/// Returns values as a NumPy array of that shape, which owns them.
nb::object to_numpy(std::unique_ptr<std::vector<double>> values,
                    std::initializer_list<std::size_t> shape);

/// Returns the columns of scores as NumPy arrays, by name: metrics, "status", "zero_rules". The
/// arrays are the memory that the scores were computed in, which lives as long as any of them.
nb::dict to_numpy(std::unique_ptr<Scores> scores, const std::vector<Metric>& metrics);

/// Names the caller's arrays for scores.
/// @param out name -> array of one number for each pair, without a gap; `T` for metrics, and uint8
///   for "status" and "zero_rules"
/// @throws InputError that names an array of another type, layout or length: none is converted,
///   because the scores would be written into the copy; and one that lies over another, or over
///   what the call reads
/// @param inputs where the arrays lie that the call reads
template <class T>
ScoreColumns<T> columns_of(const nb::dict& out, std::size_t pairs,
                           const std::vector<Extent>& inputs);

/// Tells whether the first metric's array has single precision.
bool has_floats(const nb::dict& out);

}  // namespace warpath::python
