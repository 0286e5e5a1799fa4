#pragma once

#include <string>
#include <string_view>

#include "warpath/evaluate.hpp"

/// Holds what explanations of all kinds share.
namespace warpath::explanation {

/// Returns the first line of an item's explanation. @param how what it is of: ", preset paper"
std::string title_of(const ItemRow& row, const std::string& file, std::string_view how,
                     Status status);

/// Says why an item has nothing to explain. @param lack "no scores"
std::string without_scores(std::string_view lack, Status status, int max_width);

/// Returns a number as explanations show it, with six digits.
std::string number(double value);

}  // namespace warpath::explanation
