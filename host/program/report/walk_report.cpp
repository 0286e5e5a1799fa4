#include "host/program/report/walk_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/io/whole_number.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns the number of the first walk of a shard; that of the one behind the last is `walks`.
std::uint64_t first_of(std::uint64_t walks, std::uint64_t number, std::uint64_t of) {
  return static_cast<std::uint64_t>(Wide{walks} * (number - 1) / of);
}

// Returns "6" or "from=93aa01bc"; nothing where steps are counted in the dataset itself.
void add_steps(const WalkReport& report, Signature& signature) {
  if (report.steps_hash.empty())
    signature.add("steps", fmt::format("{}", report.steps.begin()->first));
  else if (report.steps_hash != report.dataset_hash)
    signature.add_hash("steps", report.steps_hash, "from=");
}

}  // namespace

std::uint64_t WalkReport::first() const {
  return shard ? first_of(walks, shard->number, shard->of) : 0;
}

std::uint64_t WalkReport::count() const {
  return shard ? first_of(walks, shard->number + 1, shard->of) - first() : walks;
}

WalkShard parse_shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = io::parse_whole_number(std::string_view(text).substr(0, slash));
  const auto of =
      io::parse_whole_number(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (!number || !of || *number == 0 || *number > *of) {
    throw UsageError(fmt::format(
        "--shard: '{}' is not k/n with k from 1 to n, such as 1/4, 2/4, 3/4 and 4/4", text));
  }
  return {*number, *of};
}

Signature signature_of(const WalkReport& report) {
  Signature signature;
  signature.add_convention(report.convention);
  signature.add_dataset(report, report.reference);
  signature.add_graphs(report);
  // The first walks of a run are those of a shorter one.
  const std::uint64_t walks = report.shard ? report.walks : report.done();
  signature.add("walks", fmt::format("{}", walks));
  signature.add("seed", fmt::format("{}", report.seed));
  signature.add("sample", std::string(name(report.sample)));
  add_steps(report, signature);
  if (report.shard) {
    signature.add("shard", report.is_complete()
                               ? shard_text(*report.shard)
                               : fmt::format("{},{}", shard_text(*report.shard), report.done()));
  }
  signature.add_statuses(report.statistics.summary);
  signature.add_version();
  return signature;
}

std::string shard_text(const WalkShard& shard) {
  return fmt::format("{}/{}", shard.number, shard.of);
}

}  // namespace warpath::report
