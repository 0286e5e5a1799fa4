#pragma once

#include <string>

#include "host/program/report/table.hpp"
#include "warpath/r4r.hpp"

namespace warpath::report {

/// Lays out what was joined: Table 1 of the CLS paper (Jain et al. 2019) for this split, beside the
/// printed figures where the dataset is a split of R2R, the distributions of its Figure 3, and
/// notes on figures that cannot agree.
std::string r4r_report(const R4r& r4r, const R4rOptions& options, const Table::Layout& layout);

}  // namespace warpath::report
