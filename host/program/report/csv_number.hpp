#pragma once

#include <string>

namespace warpath::report {

/// Appends a number in the shortest form that reads back the same in the precision that it was
/// computed in: more digits than a float has would suggest a precision that was not computed.
void append_csv_number(double value, bool is_double, std::string& csv);

}  // namespace warpath::report
