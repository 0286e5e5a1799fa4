#pragma once

#include <string>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/files/formats/result_dump.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {

/// Writes down everything that was read of a file, so that two readings can be compared.
std::string text_of(const formats::Predictions& predictions,
                    const formats::StringTable& viewpoints);
std::string text_of(const formats::Dataset& dataset, const formats::StringTable& viewpoints);
std::string text_of(const formats::PairsFile& pairs, const formats::StringTable& viewpoints);
std::string text_of(const formats::ResultDump& dump, const formats::StringTable& none);

/// Returns the text of what a reader makes of a file, or its error.
/// @param read takes a StringTable
template <class Read>
std::string text_read(const Read& read) {
  try {
    formats::StringTable viewpoints;
    const auto made = read(viewpoints);
    return text_of(made, viewpoints);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace warpath::testing
