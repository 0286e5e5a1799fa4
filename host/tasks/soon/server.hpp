#pragma once

#include <array>

#include "host/files/submission/server.hpp"

namespace warpath::soon {

/// evaluation_script/main.py of SOON-EvalAI-Starters. It reads every trajectory and allows jumps.
extern const submission::Server soon_server;
inline constexpr std::array<const submission::Server*, 1> soon_servers{&soon_server};

}  // namespace warpath::soon
