#include "host/checks/resident_scorers.hpp"

#include <fmt/format.h>

#include "host/checks/host_paths.hpp"
#include "host/checks/pairs.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "warpath/error.hpp"

namespace warpath::checks {

ScorerInputs::ScorerInputs(const PairBatch& batch, std::uint32_t room, const Request& request)
    : scans(batch.scans), convention(request.convention) {
  options.metrics = request.metrics;
  options.place = Place::gpu();
  if (room == 0) {
    references = batch.references;
    scan_of = scans_of(batch);
  } else {
    options.max_references = room;
    options.max_reference_length = HostPaths(batch.references).max_length;
  }
}

InternalScorer::InternalScorer(cuda::Device& device, const ScorerInputs& inputs)
    : device_(device),
      metrics_(inputs.options.metrics),
      scorer_(device, inputs.references, inputs.scan_of,
              batch::DistanceTables(inputs.scans, inputs.convention, batch::LargeTables::all),
              inputs.convention, inputs.options) {}

void InternalScorer::store(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                           const Integers& scan_of, cuda::Stream stream) {
  scorer_.references().store(first, count, batch::view_of(paths), batch::view_of(scan_of), stream);
}

void InternalScorer::warm_up(const Batch& batch, void* workspace, cuda::Stream stream) const {
  scorer_.warm_up(batch, workspace, stream);
}

std::string InternalScorer::find_bad_pair(const Batch& batch, void* workspace,
                                          cuda::Stream stream) const {
  const kernels::PairProblem problem = scorer_.check(batch, workspace, stream);
  if (problem.fault == kernels::PairFault::none) return "";
  return fmt::format("pair {}", problem.pair);
}

PublicScorer::PublicScorer(cuda::Device& device, const ScorerInputs& inputs)
    : device_(device),
      scorer_(inputs.scans, inputs.references, inputs.scan_of, inputs.convention, inputs.options) {}

void PublicScorer::store(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                         const Integers& scan_of, cuda::Stream stream) {
  scorer_.write_references(first, count, paths, scan_of, stream);
}

void PublicScorer::warm_up(const Batch& batch, void* workspace, cuda::Stream stream) const {
  scorer_.warm_up(batch, {.workspace = workspace, .stream = stream});
}

std::string PublicScorer::find_bad_pair(const Batch& batch, void* workspace,
                                        cuda::Stream stream) const {
  try {
    scorer_.score(batch, {}, {.workspace = workspace, .stream = stream, .check = true});
    return "";
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(':'));
  }
}

}  // namespace warpath::checks
