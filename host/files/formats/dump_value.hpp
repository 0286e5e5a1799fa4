#pragma once

#include "host/files/formats/result_dump.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Returns what a dump has at a place: true and false are numbers, and so are NaN and infinity.
DumpValue dump_value(json::Value value);

}  // namespace warpath::formats
