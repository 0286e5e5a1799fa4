// Scores one pair with an installed warpath, checks the numbers, and checks that an error of the
// library is caught as its own class.

#include <cmath>
#include <iostream>
#include <vector>
#include <warpath/warpath.hpp>

namespace {

using warpath::Metric;

bool fails = false;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "consumer: wrong " << what << '\n';
  fails = true;
}

// Scores three viewpoints in a line, 2 m apart; the agent turns back before the goal.
double ndtw_of_a_pair(warpath::Backend backend) {
  const std::vector<warpath::Edge> edges{{0, 1}, {1, 2}};
  const warpath::Scan scan("line", {"a", "b", "c"}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, edges);

  warpath::PairBatch batch;
  batch.scans = {&scan};
  batch.references.elements = {0, 1, 2};
  batch.references.end_path();
  batch.queries.elements = {0, 1};
  batch.queries.end_path();
  batch.pairs = {{.scan = 0, .reference = 0, .query = 0}};
  return warpath::score(batch, warpath::Convention{}, backend).at(Metric::nDTW, 0);
}

bool refuses_an_unknown_preset() {
  try {
    warpath::find_preset("no such preset");
  } catch (const warpath::UsageError&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const double ndtw = std::exp(-2.0 / (3 * 3.0));  // DTW 2 m, three viewpoints, threshold 3 m
  expect(std::abs(ndtw_of_a_pair(warpath::Backend::reference) - ndtw) < 1e-15, "nDTW by reference");
  expect(std::abs(ndtw_of_a_pair(warpath::Backend::cpu) - ndtw) < 1e-6, "nDTW by cpu");
  expect(warpath::info(Metric::nDTW).name == "nDTW", "name of nDTW");
  expect(refuses_an_unknown_preset(), "answer to an unknown preset");
  expect(WARPATH_VERSION_MAJOR >= 0 && sizeof(WARPATH_VERSION) > 5, "version");
  return fails ? 1 : 0;
}
