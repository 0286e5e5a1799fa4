// Prints the memory traffic of the kernels per 32 pairs as a Markdown table.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <regex>
#include <string>

#include "host/checks/benchmark/timing.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/kernel_traffic.hpp"

namespace {

using namespace warpath;
using namespace warpath::testing;

// Returns "score_in_shared_table, K = 12" from a mangled name; empty for kernels that pack.
std::string readable(const std::string& name) {
  static const std::regex form("[0-9]+(score_[a-z_]+)ILi([0-9]+)E");
  std::smatch m;
  return std::regex_search(name, m, form) ? fmt::format("{}, K = {}", m[1].str(), m[2].str())
                                          : std::string();
}

std::string per_warp(std::uint64_t n) {
  return fmt::format("{:.0f}", n * 32.0 / profiled_pairs);
}

void print(const std::string& pairs, const Workload& work, const benchmark::NamedSet& set) {
  ptx::Profile measured = profile(work, set.metrics);
  for (auto& [name, kernel] : measured) {
    if (readable(name).empty()) continue;
    const auto& shared = kernel.traffic[ptx::MemorySpace::shared][ptx::Direction::load];
    const auto& loads = kernel.traffic[ptx::MemorySpace::global][ptx::Direction::load];
    const auto& stores = kernel.traffic[ptx::MemorySpace::global][ptx::Direction::store];
    fmt::print("| {} | {} | {} | {:.0f} | {} in {} | {}, {}, {} | {}, {}, {} |\n", pairs, set.name,
               readable(name), static_cast<double>(kernel.instructions) / profiled_pairs,
               per_warp(shared.requests), per_warp(shared.wavefronts), per_warp(loads.requests),
               per_warp(loads.wavefronts), per_warp(loads.sectors), per_warp(stores.requests),
               per_warp(stores.wavefronts), per_warp(stores.sectors));
  }
}

void print_all() {
  fmt::print(
      "| pairs | metrics | kernel | PTX of a pair | shared loads | global loads: requests, lines, "
      "sectors | stores |\n|:--|:--|:--|--:|--:|--:|--:|\n");
  const checks::Shape r4r{"12 x 14", {12, 12}, {14, 14}, 150}, r2r{"6 x 6", {6, 6}, {6, 6}, 85};
  for (const benchmark::NamedSet& set :
       benchmark::named_sets({"DTW", "DTW nDTW PC AD MD ED", "everything"})) {
    for (const checks::Shape& shape : {r4r, r2r}) {
      print(shape.name + ", one scan", {shape}, set);
      print(shape.name + ", 61 scans", {shape, 61}, set);
      print(shape.name + ", 61 scans, totals", {shape, 61, false}, set);
    }
  }
  print("12 x 14, 160 of each reference", {{"", {12, 12}, {14, 14}, 150, 160}},
        benchmark::named_sets({"DTW nDTW PC AD MD"})[0]);
}

}  // namespace

int main() {
  try {
    cudart().multiprocessors = 1;
    print_all();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
