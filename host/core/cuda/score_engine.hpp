#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/score_engine.hpp"
#include "host/core/cuda/device.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/reference_scorer.hpp"

namespace warpath::cuda {

/// @throws InputError if single precision, in which a GPU works, does not reach the convention
void check_precision(const Convention& convention);

/// Makes the engine of a GPU. @pre it is current, and the references and tables are checked
/// @param tables distances of the references' scans under the convention
/// @throws InputError, CudaError as ReferenceScorer
std::unique_ptr<batch::ScoreEngine> make_score_engine(Device& device, const PathSet& references,
                                                      std::span<const std::uint32_t> scan_of,
                                                      const batch::DistanceTables& tables,
                                                      const Convention& convention,
                                                      const ReferenceScorerOptions& options);

}  // namespace warpath::cuda
