#pragma once

#include <vector>

#include "host/files/io/json_writer.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::report {

/// Writes the items of an agent as columns, each in one line: an object "per_item" with "instr_id",
/// "scan", "language", "path", "tour" (where there are tours), "length", "status", "scored" and
/// "values", an object with a column for each metric. A value is what the item counts in the mean:
/// 0 for a failure that counts, null for an item that is left out.
void write_item_columns(const AgentResult& run, const std::vector<Metric>& metrics,
                        const Convention& convention, bool is_double, io::JsonWriter& json);

}  // namespace warpath::report
