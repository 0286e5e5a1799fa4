#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/files/io/input_file.hpp"
#include "host/files/json/json_fwd.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

struct Dataset;

/// Holds a tour: episodes of one scan, which an agent walks one after the other.
struct Tour {
  std::string name;                  ///< as its file calls it, or its number in the file, from 0
  std::vector<std::uint32_t> items;  ///< of the dataset, at least one
};

/// Holds the tours of a split. No item is there twice.
struct Tours {
  std::string file, split;
  std::vector<Tour> tours;
};

/// Returns the value of a split in an object {split: …}.
/// @param split the name; empty: there is only one
/// @throws InputError that lists the splits
json::Value split_in(json::Object splits, const std::string& split, const InputError::Where& where);

/// Reads tours of a dataset's items into it: {split: {scan: [[id, …], …]}}, as IVLN writes them.
/// @param split the name; empty: that of which the dataset has the most ids
/// @throws InputError if several splits are as good, or that names the tour and the item at fault:
/// a tour is empty, the dataset has not its item or has it on another scan, an item is there twice
void read_tours(const std::string& file, const std::string& split, Dataset& dataset,
                const io::Reading& reading);

}  // namespace warpath::formats
