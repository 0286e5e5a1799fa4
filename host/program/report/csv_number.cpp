#include "host/program/report/csv_number.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

namespace warpath::report {

void append_csv_number(double value, bool is_double, std::string& csv) {
  const auto as_float = static_cast<float>(value);
  const bool is_float = !is_double && as_float == value;
  if (is_float)
    fmt::format_to(std::back_inserter(csv), FMT_COMPILE("{}"), as_float);
  else
    fmt::format_to(std::back_inserter(csv), FMT_COMPILE("{}"), value);
}

}  // namespace warpath::report
