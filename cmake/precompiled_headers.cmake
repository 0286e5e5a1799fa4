# Reads headers that take long, and that most sources of a target include, once for the target.
# Other headers, of its own, may follow its name.

function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <filesystem> <functional> <map>
    <memory> <optional> <span> <string> <unordered_map> <vector> <fmt/format.h> <simdjson.h>
    <Eigen/Core> <tbb/parallel_for.h> <tbb/task_arena.h> ${ARGN})
  without_false_warnings(${target})
endfunction()

# GCC 12 warns falsely of std::string in such headers.
function(without_false_warnings target)
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endfunction()
