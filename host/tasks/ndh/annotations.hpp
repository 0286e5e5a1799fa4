#pragma once

#include "host/formats/entry_reader.hpp"

namespace warpath {

bool is_ndh_entry(const DatasetEntry& entry);
std::string_view ndh_id_key(const DatasetEntry& entry);

/// Adds the items of an entry, whose reference is the chosen one of the player's and the planner's
/// path.
void read_ndh_entry(EntryReader& reader, const DatasetEntry& entry);

/// Reads the region that an item ends in, and the planner's goal, where the entry has them.
void read_region(EntryReader& reader, const DatasetEntry& entry, Item& item);

/// Says which items have no OPSR and OPE, unless none has.
void note_without_planner(Dataset& dataset);

}  // namespace warpath
