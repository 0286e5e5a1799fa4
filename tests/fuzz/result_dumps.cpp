// The reader of per-episode results, and the rules that average them.

#include <cmath>

#include "host/files/aggregate/rules.hpp"
#include "host/files/formats/result_dump.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

void check_dump(const formats::ResultDump& dump) {
  require(!dump.episodes.empty(), "a file without episodes is accepted");
  require(!dump.measures.empty() || dump.positions, "a file without measures is accepted");
  for (const formats::DumpMeasure& measure : dump.measures) {
    require(measure.values.size() == dump.episodes.size(), "an episode has no place for a value");
  }
}

void check_rule(const formats::ResultDump& dump, const aggregate::AggregateRule& rule,
                const aggregate::OursOptions& options) {
  const aggregate::RuleResult result = rule.apply(dump, options);
  const bool is_ours = rule.source.empty();
  require(is_ours || !result.refusal, "a program's rule refuses in our name");
  if (result.has_failed()) return;
  for (const aggregate::RuleMean& mean : result.means) {
    require(mean.n + mean.dropped == dump.episodes.size(), "a value vanishes");
    require(mean.zeroed <= mean.n, "more values count 0 than there are");
    if (is_ours) require(!mean.mean || std::isfinite(*mean.mean), "ours is not finite");
    if (is_ours) require(mean.mean.has_value() == (mean.n > 0), "a mean has no values");
  }
}

// Each episode has its own path.
void check_paths(const formats::ResultDump& dump) {
  const formats::Predictions& paths = *dump.positions;
  require(paths.entries.size() == dump.episodes.size(), "an entry has no path");
  require(paths.positions->points.size() == paths.entries.size(), "a path is of no entry");
  for (std::size_t e = 0; e < paths.entries.size(); ++e) {
    require(paths.entries[e].id == dump.episodes[e].id, "a path is of another entry");
    require(paths.entries[e].trajectory.path == e, "a path is not where its entry says");
    const std::size_t given = paths.positions->distances.size_of(e);
    require(paths.entries[e].trajectory.malformed || given == 0 ||
                given == paths.positions->points.size_of(e),
            "a path has distances of another");
  }
}

}  // namespace

// The first byte chooses what becomes of duplicates and of values that are not there, and whether
// paths are read.
void fuzz_result_dumps(Bytes input) {
  const std::size_t choice = take_choice(input, 24);
  const auto content = static_cast<formats::DumpContent>(choice / 12);
  const auto duplicates = static_cast<formats::DumpDuplicates>(choice % 4);
  aggregate::OursOptions options;
  options.invalid = static_cast<Invalid>(choice % 12 / 4);
  const MemoryFile file(text_of(input));
  const std::vector<std::string> files{file.path()};
  formats::ResultDump dump;
  read_or_refuse([&] {
    dump = formats::read_result_dumps(files, duplicates, max_bytes, content);
    check_dump(dump);
    if (dump.positions) check_paths(dump);
    for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules())
      check_rule(dump, rule, options);
  });
  check_chunks([&](const io::Reading& reading, formats::StringTable&) {
    return formats::read_result_dumps(files, duplicates, reading);
  });
}

}  // namespace warpath::fuzz
