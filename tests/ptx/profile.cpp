#include "tests/ptx/profile.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warpath::testing::ptx {
namespace {

/// By lane.
using Request = std::map<std::size_t, Visit>;

std::size_t bank_cycles(const Request& request) {
  std::map<std::size_t, std::map<std::uint64_t, std::set<std::uint64_t>>>
      words;  // by part and bank
  for (const auto& [lane, visit] : request) {
    for (auto word = visit.address / 4; word <= (visit.address + visit.bytes - 1) / 4; ++word) {
      words[lane * visit.bytes / 128][word % 32].insert(word);
    }
  }
  std::size_t cycles = 0;
  for (const auto& [part, banks] : words) {
    std::size_t most = 0;
    for (const auto& [bank, in_bank] : banks) most = std::max(most, in_bank.size());
    cycles += most;
  }
  return cycles;
}

std::size_t count_parts(const Request& request, std::size_t size) {
  std::set<std::uint64_t> parts;
  for (const auto& [lane, visit] : request) {
    for (auto part = visit.address / size; part <= (visit.address + visit.bytes - 1) / size;
         ++part) {
      parts.insert(part);
    }
  }
  return parts.size();
}

}  // namespace

void KernelProfile::add_warp(const std::vector<std::vector<Visit>>& lanes) {
  std::map<std::pair<std::uint32_t, int>, Request> requests;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    std::map<std::uint32_t, int> times;
    for (const Visit& visit : lanes[lane]) {
      requests[{visit.pc, times[visit.pc]++}].emplace(lane, visit);
    }
  }
  for (const auto& [key, request] : requests) {
    const Visit& any = request.begin()->second;
    Traffic& t = traffic[any.where][any.direction];
    ++t.requests;
    if (any.where == Where::shared) {
      t.wavefronts += bank_cycles(request);
    } else {
      t.wavefronts += count_parts(request, 128);
      t.sectors += count_parts(request, 32);
    }
  }
}

}  // namespace warpath::testing::ptx
