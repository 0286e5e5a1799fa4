// What libFuzzer calls; compiled once for each target, whose body WARPATH_FUZZ_BODY names.

#include <tbb/global_control.h>

#include <cstddef>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One thread: inputs are small, and a run repeats itself.
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  warpath::fuzz::WARPATH_FUZZ_BODY({data, size});
  return 0;
}
