#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/task_success.hpp"
#include "warpath/convention.hpp"
#include "warpath/evaluate.hpp"

/// Holds what packing paths of viewpoints and paths of positions share.
namespace warpath::evaluation {

/// Returns those of an item's entries that are scored. @pre there is one
std::span<const std::uint32_t> taken(std::span<const std::uint32_t> entries, Duplicates duplicates);

/// Appends the row of an item. @param n_reference elements of its reference
ItemRow& add_row(const formats::Dataset& dataset, const formats::Item& item,
                 std::size_t n_reference, Status status, std::vector<ItemRow>& rows);

/// Appends a row for each prediction that no item asks for.
void add_unknown(const Matching& matching, const formats::Predictions& predictions,
                 std::vector<ItemRow>& rows);

/// Appends the task success of an item where there is a file of them.
/// @param task_success nullptr: there is none
/// @return false if the file does not say it
bool add_task_success(const formats::TaskSuccess* task_success, const std::string& id,
                      std::vector<double>& successes);

}  // namespace warpath::evaluation
