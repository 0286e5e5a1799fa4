#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "host/program/report/explained_item.hpp"
#include "host/program/report/table.hpp"
#include "warpath/evaluate.hpp"

/// Holds what explanations of all kinds share.
namespace warpath::report::explanation {

/// Bounds the cells of a table that holds the distances of every two viewpoints.
inline constexpr std::size_t max_cells = 25'000'000;

/// Returns the first line of an item's explanation. @param how what it is of: ", preset paper"
std::string title_of(const ItemRow& row, const std::string& file, std::string_view how,
                     Status status);

/// Returns the instruction of an item with its language, and an empty line; nothing where the
/// dataset has no text.
std::string instruction_of(const formats::Dataset& dataset, std::string_view instr_id,
                           int max_width);

/// Adds instructions and languages to explained items.
void add_instructions(const formats::Dataset& dataset, std::vector<report::ExplainedItem>& items);

/// Says why an item has nothing to explain. @param lack "no scores"
std::string without_scores(std::string_view lack, Status status, int max_width);

/// Keeps the distances d(q_j, r_i) and their optimal warping.
void keep_warping(const Eigen::MatrixXd& distances, report::ExplainedItem& item);

/// Tells what each build of FastDTW and exact DTW find, where the builds differ: a line, or "".
/// @param fast_cost the cost by a build, with the convention's radius
std::string describe_builds(const std::function<double(FastDtw)>& fast_cost, double exact,
                            unsigned radius);

/// Lists the ends of a way over a grid and the cells where it turns, each with the length so far.
Table turns_of(const Scan& scan, std::span<const Node> way);

/// Says what distances mean that differ by direction; empty: the scan has none.
std::string_view directions_of(const Scan& scan);

/// Returns a number as explanations show it, with six digits.
std::string number(double value);

}  // namespace warpath::report::explanation
