#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "host/report/explained_item.hpp"
#include "warpath/evaluate.hpp"

/// Holds what explanations of all kinds share.
namespace warpath::explanation {

/// Returns the first line of an item's explanation. @param how what it is of: ", preset paper"
std::string title_of(const ItemRow& row, const std::string& file, std::string_view how,
                     Status status);

/// Says why an item has nothing to explain. @param lack "no scores"
std::string without_scores(std::string_view lack, Status status, int max_width);

/// Keeps the distances d(q_j, r_i) and their optimal warping.
void keep_warping(const Eigen::MatrixXd& distances, ExplainedItem& item);

/// Returns a number as explanations show it, with six digits.
std::string number(double value);

}  // namespace warpath::explanation
