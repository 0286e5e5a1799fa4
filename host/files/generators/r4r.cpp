#include "warpath/r4r.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>

#include "host/files/formats/graphs.hpp"
#include "host/files/generators/join_paths.hpp"
#include "host/files/generators/r4r_json.hpp"
#include "host/files/io/counted.hpp"

namespace warpath {
namespace {

void check(const R4rOptions& options) {
  if (!std::isfinite(options.threshold_m) || options.threshold_m < 0.0) {
    throw UsageError(
        fmt::format("the threshold is {}; give metres, 0 or more", options.threshold_m));
  }
  if (options.heading_threshold && !(*options.heading_threshold >= 0.0)) {
    throw UsageError(fmt::format("the threshold of headings is {}; give radians, 0 or more",
                                 *options.heading_threshold));
  }
}

// Returns the numbers of each scan's paths.
std::vector<std::vector<std::uint32_t>> members_of(const formats::PathAnnotations& annotations) {
  std::vector<std::vector<std::uint32_t>> members(annotations.scans.size());
  for (std::uint32_t p = 0; p < annotations.paths.size(); ++p) {
    members[annotations.paths[p].scan].push_back(p);
  }
  return members;
}

PathSummary summarize(const formats::PathAnnotations& annotations,
                      std::span<const generators::JoinedPaths> scans) {
  PathSummary summary;
  for (const generators::JoinedPaths& joined : scans) {
    for (std::size_t k = 0; k < joined.pairs.size(); ++k) {
      const generators::JoinedPair& pair = joined.pairs[k];
      generators::add_path(summary,
                           annotations.paths[pair.first].instructions.size() *
                               annotations.paths[pair.second].instructions.size(),
                           pair.distance, pair.shortest_distance, joined.paths.size_of(k),
                           joined.shortest.size_of(k));
    }
  }
  return summary;
}

// Refuses an empty result, and says what kept paths apart.
[[noreturn]] void refuse_nothing_joined(const R4r& r4r, const R4rOptions& options,
                                        const std::string& file) {
  const std::string_view within = options.compare == Compare::less ? "less than" : "at most";
  throw InputError(
      {file},
      r4r.too_turned > 0
          ? fmt::format("joins nothing: the headings of {} of paths {} {} m apart differ by more "
                        "than {} rad",
                        io::counted(r4r.too_turned, "pair"), within, options.threshold_m,
                        *options.heading_threshold)
          : fmt::format("joins nothing: no path begins {} {} m from the end of another of its scan",
                        within, options.threshold_m),
      r4r.too_turned > 0 ? "raise --heading-threshold, in radians"
                         : "raise --threshold, in metres");
}

}  // namespace

R4r make_r4r(const R4rOptions& options) {
  check(options);
  formats::Graphs graphs(options.graph_store, options.graphs, options.max_input_bytes);
  const formats::PathAnnotations annotations =
      formats::read_path_annotations(options.dataset, {options.max_input_bytes, &options.texts});
  graphs.require(annotations.scans);
  std::vector<const Scan*> scans;
  for (const std::string& scan : annotations.scans) scans.push_back(&graphs.scan(scan));
  const auto members = members_of(annotations);
  std::vector<generators::JoinedPaths> joined(scans.size());
  tbb::parallel_for(std::size_t{0}, scans.size(), [&](std::size_t s) {
    joined[s] = generators::join_paths(annotations, members[s], *scans[s], options);
  });
  R4r r4r;
  for (const generators::JoinedPaths& scan : joined) {
    r4r.too_far += scan.too_far;
    r4r.too_turned += scan.too_turned;
    generators::add_paths(r4r.r2r, scan.inputs);
  }
  r4r.r4r = summarize(annotations, joined);
  if (r4r.r4r.paths == 0) refuse_nothing_joined(r4r, options, annotations.file);
  r4r.json = generators::r4r_json(annotations, joined);
  for (const std::string& note : annotations.notes) {
    r4r.notes.push_back(annotations.file + ": " + note);
  }
  return r4r;
}

}  // namespace warpath
