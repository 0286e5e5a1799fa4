// What libFuzzer calls. WARPATH_FUZZ_TARGET names the target that takes the inputs.

#include <tbb/global_control.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

const warpath::fuzz::Target& chosen_target() {
  using warpath::fuzz::Target, warpath::fuzz::targets;
  const char* name = std::getenv("WARPATH_FUZZ_TARGET");
  const auto* target =
      std::ranges::find(targets, std::string_view(name ? name : ""), &Target::name);
  if (target != std::end(targets)) return *target;
  std::cerr << "WARPATH_FUZZ_TARGET has to name a target:";
  for (const Target& known : targets) std::cerr << ' ' << known.name;
  std::cerr << '\n';
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  chosen_target();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // One thread: inputs are small, and a run repeats itself.
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  static const warpath::fuzz::Target& target = chosen_target();
  target.run({data, size});
  return 0;
}
