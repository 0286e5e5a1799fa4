#pragma once

#include "host/files/formats/json_fwd.hpp"
#include "host/files/formats/result_dump.hpp"

namespace warpath::formats {

/// Returns what a dump has at a place: true and false are numbers, and so are NaN and infinity.
DumpValue dump_value(json::element value);

}  // namespace warpath::formats
