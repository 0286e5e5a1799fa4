#pragma once

#include <string>

#include "host/files/evaluation/dataset_statistics.hpp"
#include "host/program/report/table.hpp"

namespace warpath::report {

/// Says what was measured.
struct DatasetDescription {
  std::string file, hash;  ///< of the dataset
  std::string format;      ///< "R2R"
  std::string graphs, graphs_hash;
  Distance distance = Distance::euclid_3d;
  std::vector<std::string> notes;  ///< how files were read, one sentence each
};

/// Lays out tables of sizes, of quantities, of unusual references and of distributions.
std::string dataset_tables(const evaluation::DatasetStatistics& statistics, Distance distance,
                           Table::Style style, const Table::Layout& layout);

/// Returns what a reader of the tables should know, one sentence each.
std::vector<std::string> dataset_notes(const evaluation::DatasetStatistics& statistics,
                                       const DatasetDescription& description);

/// Writes all statistics as JSON, with the counts of every bin.
std::string dataset_json(const evaluation::DatasetStatistics& statistics,
                         const DatasetDescription& description);

}  // namespace warpath::report
