// What the kernels ask of a GPU's memory for each 32 pairs: a Markdown table.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <regex>
#include <string>

#include "host/cpu/tables.hpp"
#include "host/cuda/backend.hpp"
#include "host/cuda/device.hpp"
#include "host/selftest/generate.hpp"
#include "host/selftest/timing.hpp"
#include "tests/cudart/fake_cudart.hpp"

namespace {

using namespace warpath;
using namespace warpath::testing;

constexpr std::uint32_t pairs = 40'960;

/// Random pairs of that shape; with several scans, each pair on any of them.
selftest::MadeUp make_pairs(const selftest::Shape& shape, std::size_t scans) {
  study::Random random(1);
  selftest::MadeUp made = selftest::uniform_pairs(random, shape, pairs);
  if (scans == 1) return made;
  made.batch.scans.resize(scans, made.batch.scans[0]);
  for (Pair& pair : made.batch.pairs) pair.scan = static_cast<std::uint32_t>(random.below(scans));
  return made;
}

// score_in_shared_table<12, 71, true> from its mangled name.
std::string readable(const std::string& name) {
  static const std::regex form("[0-9]+(score_[a-z_]+)ILi([0-9]+)E");
  std::smatch m;
  return std::regex_search(name, m, form) ? fmt::format("{}, K = {}", m[1].str(), m[2].str())
                                          : std::string();
}

struct Mode {
  const char* name;
  std::size_t scans;
  bool keeps_scores;
};
constexpr Mode modes[] = {
    {"one scan", 1, true}, {"61 scans", 61, true}, {"61 scans, totals", 61, false}};

void profile(cuda::Device& device, const selftest::Shape& shape, const Mode& mode,
             const selftest::NamedSet& set) {
  const selftest::MadeUp made = make_pairs(shape, mode.scans);
  const cpu::Tables tables(made.batch.scans, Convention());
  ptx::Profile measured;
  cudart().profile = &measured;
  const cuda::Options how{.metrics = set.metrics, .chunk_pairs = pairs};
  if (mode.keeps_scores) {
    Scores scores;
    cuda::score(device, made.batch, tables, Convention(), how, scores);
  } else {
    cuda::summarize(device, made.batch, tables, Convention(), how);
  }
  cudart().profile = nullptr;
  for (auto& [name, kernel] : measured) {
    if (readable(name).empty()) continue;
    const auto per_warp = [](std::uint64_t n) { return fmt::format("{:.0f}", n * 32.0 / pairs); };
    auto& shared = kernel.traffic[ptx::Where::shared][ptx::Direction::load];
    auto& loads = kernel.traffic[ptx::Where::global][ptx::Direction::load];
    auto& stores = kernel.traffic[ptx::Where::global][ptx::Direction::store];
    fmt::print("| {}, {} | {} | {} | {:.0f} | {} in {} | {}, {}, {} | {}, {}, {} |\n", shape.name,
               mode.name, set.name, readable(name),
               static_cast<double>(kernel.instructions) / pairs, per_warp(shared.requests),
               per_warp(shared.wavefronts), per_warp(loads.requests), per_warp(loads.wavefronts),
               per_warp(loads.sectors), per_warp(stores.requests), per_warp(stores.wavefronts),
               per_warp(stores.sectors));
  }
}

void profile_all(cuda::Device& device) {
  fmt::print(
      "| pairs | metrics | kernel | PTX of a pair | shared loads | global loads: requests, lines, "
      "sectors | stores |\n|:--|:--|:--|--:|--:|--:|--:|\n");
  const selftest::Shape r4r{"12 x 14", {12, 12}, {14, 14}, 150}, r2r{"6 x 6", {6, 6}, {6, 6}, 85},
      one{"12 x 14, one reference", {12, 12}, {14, 14}, 150, 160};
  for (const selftest::NamedSet& set :
       selftest::named_sets({"DTW", "DTW nDTW PC AD MD", "DTW nDTW PC AD MD ED", "everything"})) {
    for (const selftest::Shape& shape : {r4r, r2r}) {
      for (const Mode& mode : modes) profile(device, shape, mode, set);
    }
  }
  profile(device, one, modes[0], selftest::named_sets({"DTW nDTW PC AD MD"})[0]);
}

}  // namespace

int main() {
  try {
    cudart().multiprocessors = 4;
    const auto found = cuda::find_device();
    profile_all(*found.device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
