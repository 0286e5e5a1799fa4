#include "host/files/formats/dump_value.hpp"

#include <limits>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {

DumpValue dump_value(json::Value value) {
  using enum DumpValue::Kind;
  double n;
  bool flag;
  if (value.get(n)) return {n, number};
  if (value.get(flag)) return {flag ? 1.0 : 0.0, number};
  if (const auto not_finite = not_finite_in(value)) return {*not_finite, number};
  return {std::numeric_limits<double>::quiet_NaN(), value.is_null() ? null : other};
}

}  // namespace warpath::formats
