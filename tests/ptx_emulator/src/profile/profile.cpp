#include "ptx/profile.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ptx {
namespace {

constexpr std::size_t line_bytes = 128, sector_bytes = 32, bank_bytes = 4, bank_count = 32;

/// Accesses that the lanes of a warp make together, by lane.
using Request = std::map<std::size_t, MemoryAccess>;

template <class F>
void for_each_unit(const MemoryAccess& access, std::size_t unit_bytes, F f) {
  const std::uint64_t last = (access.address + access.bytes - 1) / unit_bytes;
  for (std::uint64_t unit = access.address / unit_bytes; unit <= last; ++unit) f(unit);
}

// Returns the cycles of a request. Lanes are served together up to 128 bytes; the bank with the
// most words decides.
std::size_t bank_cycles(const Request& request) {
  using WordsOfBank = std::map<std::uint64_t, std::set<std::uint64_t>>;
  std::map<std::size_t, WordsOfBank> words;  // by part of the warp
  for (const auto& [lane, access] : request) {
    WordsOfBank& part = words[lane * access.bytes / line_bytes];
    for_each_unit(access, bank_bytes,
                  [&](std::uint64_t word) { part[word % bank_count].insert(word); });
  }
  std::size_t cycles = 0;
  for (const auto& [part, banks] : words) {
    std::size_t max_words = 0;
    for (const auto& [bank, in_bank] : banks) max_words = std::max(max_words, in_bank.size());
    cycles += max_words;
  }
  return cycles;
}

std::size_t count_units(const Request& request, std::size_t unit_bytes) {
  std::set<std::uint64_t> units;
  for (const auto& [lane, access] : request) {
    for_each_unit(access, unit_bytes, [&](std::uint64_t unit) { units.insert(unit); });
  }
  return units.size();
}

}  // namespace

void KernelProfile::add_warp(const std::vector<std::vector<MemoryAccess>>& lanes) {
  std::map<std::pair<std::uint32_t, int>, Request>
      requests;  // by instruction and its number of executions
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    std::map<std::uint32_t, int> times;
    for (const MemoryAccess& access : lanes[lane]) {
      requests[{access.pc, times[access.pc]++}].emplace(lane, access);
    }
  }
  for (const auto& [key, request] : requests) {
    const MemoryAccess& any = request.begin()->second;
    Traffic& sum = traffic[any.space][any.direction];
    ++sum.requests;
    if (any.space == MemorySpace::shared) {
      sum.wavefronts += bank_cycles(request);
    } else {
      sum.wavefronts += count_units(request, line_bytes);
      sum.sectors += count_units(request, sector_bytes);
    }
  }
}

}  // namespace ptx
