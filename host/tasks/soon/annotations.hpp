#pragma once

#include <cstddef>

#include "host/formats/entry_reader.hpp"

namespace warpath {

bool is_soon_entry(const DatasetEntry& entry);
std::string_view soon_id_key(const DatasetEntry& entry);

/// Adds an item for each path of an annotation. Of paths with one start, the first is the reference
/// of all. The boxes around the target are the items' goals.
void read_soon_annotation(EntryReader& reader, const DatasetEntry& entry);

/// Returns the number of annotations, each of which has one goal set.
std::size_t count_annotations(const Dataset& dataset);

}  // namespace warpath
