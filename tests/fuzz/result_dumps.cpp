// The reader of per-episode results, and the rules that average them.

#include <cmath>

#include "host/files/aggregate/rules.hpp"
#include "host/files/formats/result_dump.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

void check_dump(const formats::ResultDump& dump) {
  require(!dump.episodes.empty(), "a file without episodes is accepted");
  require(!dump.measures.empty(), "a file without measures is accepted");
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

}  // namespace

// The first byte chooses what becomes of duplicates and of values that are not there.
void fuzz_result_dumps(Bytes input) {
  const std::size_t choice = take_choice(input, 12);
  const auto duplicates = static_cast<formats::DumpDuplicates>(choice % 4);
  aggregate::OursOptions options;
  options.invalid = static_cast<Invalid>(choice / 4);
  const MemoryFile file(text_of(input));
  const std::vector<std::string> files{file.path()};
  formats::ResultDump dump;
  read_or_refuse([&] {
    dump = formats::read_result_dumps(files, duplicates, max_bytes);
    check_dump(dump);
    for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules())
      check_rule(dump, rule, options);
  });
  check_chunks([&](const io::Reading& reading, formats::StringTable&) {
    return formats::read_result_dumps(files, duplicates, reading);
  });
}

}  // namespace warpath::fuzz
