#pragma once

#include "host/files/formats/graph_store_state.hpp"

namespace warpath::formats {

/// Checks a scan in memory as a file is checked, and builds it.
/// @throws InputError as GraphStore::add
StoredScan make_scan(ScanData data);

}  // namespace warpath::formats
