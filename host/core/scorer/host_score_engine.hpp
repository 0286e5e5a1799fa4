#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "host/core/batch/score_engine.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/reference_scorer.hpp"

namespace warpath::scorer {

/// Makes the engine of the host. @throws InputError as ReferenceScorer
std::unique_ptr<batch::ScoreEngine> make_host_engine(std::span<const Scan* const> scans,
                                                     const PathSet& references,
                                                     std::span<const std::uint32_t> scan_of,
                                                     const Convention& convention,
                                                     const ReferenceScorerOptions& options);

}  // namespace warpath::scorer
