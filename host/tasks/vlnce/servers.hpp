#pragma once

#include <array>

#include "host/files/submission/server.hpp"

namespace warpath::vlnce {

/// EvalAI 719, whose script is not public: VLN-CE's exporter, format r2r.
extern const submission::Server vlnce_server;
/// RxR-Habitat, whose script is not public: VLN-CE's exporter, format rxr.
extern const submission::Server rxr_habitat_server;
inline constexpr std::array<const submission::Server*, 2> vlnce_servers{&vlnce_server,
                                                                        &rxr_habitat_server};

/// Writes paths of positions; see Server::convert. VLN-CE's server takes {episode: [{position,
/// heading, stop}, …]} in the order of the predictions, where a heading that is not given is 0;
/// RxR-Habitat's takes lines of instruction_id and path in the order of the numbers, without a
/// position that repeats the one before. Numbers read back as the same doubles.
submission::Conversion convert_positions(const submission::Server& server,
                                         const formats::Predictions& predictions,
                                         const formats::Dataset* dataset, bool assumes_stop);

}  // namespace warpath::vlnce
