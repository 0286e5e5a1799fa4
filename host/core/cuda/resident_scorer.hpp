#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/device_tables.hpp"
#include "host/core/cuda/packed_pairs.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/packing.hpp"
#include "kernels/views/statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/reference_scorer.hpp"
#include "warpath/views.hpp"

namespace warpath::cuda {

/// Keeps references on a device: one after the other, or, if they may be replaced, in rows.
class ResidentReferences {
 public:
  /// Uploads everything and waits. @param scan_of by reference
  ResidentReferences(Device& device, const PathSet& references,
                     std::span<const std::uint32_t> scan_of, const DeviceTables& tables,
                     const ReferenceScorerOptions& options, Stream stream);

  std::uint32_t size() const { return size_; }
  std::uint32_t max_length() const { return view_.layout.max_length; }
  /// Tells whether store may be called.
  bool may_change() const { return lengths_.data() != nullptr; }
  const kernels::PathArray& view() const { return view_; }
  const std::uint32_t* scan_of() const { return scan_of_.data(); }
  const kernels::ReferenceTerms* terms() const { return terms_.data(); }
  /// Starts to write references first … anew. @pre there is room
  void store(std::uint32_t first, std::uint32_t count, const kernels::PathArray& paths,
             const kernels::IntegerArray& scan_of, Stream stream);

 private:
  kernels::TermsView terms_view();

  Device& device_;
  const DeviceTables& tables_;
  std::uint32_t size_;
  kernels::PathArray view_{};
  DeviceArray<std::uint16_t> nodes_;
  DeviceArray<std::uint32_t> offsets_, lengths_, scan_of_;
  DeviceArray<kernels::ReferenceTerms> terms_;
};

/// Limits of a batch of continuous paths.
struct PointRoom {
  std::uint32_t count, max_length, max_reference_length;
};
inline PointRoom room_of(const Batch& batch) {
  return {batch.count, batch.queries.layout.max_length, batch.references.layout.max_length};
}

/// Keeps the tables of scans and the references on a device and scores batches that lie there.
class ResidentScorer {
 public:
  /// Uploads everything and waits.
  /// @param scan_of by reference
  /// @param tables distances of the scans under the convention; every scan has a table
  /// @throws InputError if the convention has lengths by edge inside CLS, which only the host
  /// knows; CudaError
  ResidentScorer(Device& device, const PathSet& references, std::span<const std::uint32_t> scan_of,
                 const batch::DistanceTables& tables, const Convention& convention,
                 const ReferenceScorerOptions& options);
  ResidentScorer(const ResidentScorer&) = delete;
  ResidentScorer& operator=(const ResidentScorer&) = delete;

  std::size_t workspace_bytes(const Batch& batch) const;
  void score(const Batch& batch, const ScoreArrays& scores, void* workspace, Stream stream) const;
  void add_to_statistics(const Batch& batch, const kernels::AggregateView& totals, void* workspace,
                         Stream stream) const;
  void warm_up(const Batch& batch, void* workspace, Stream stream) const;
  /// Waits and returns what is wrong with the first pair that cannot be scored, if any.
  kernels::PairProblem check(const Batch& batch, void* workspace, Stream stream) const;

  ResidentReferences& references() { return *references_; }
  const ResidentReferences& references() const { return *references_; }

 private:
  struct Workspace;
  struct PointWorkspace;

  /// Tells whether pairs of such a batch are sorted and packed first.
  bool is_packed(std::uint32_t count) const;
  /// Says whether queries go with their reference, and how its own table is kept.
  enum class OwnTable { none, plain, replicated };
  Dispatch make_dispatch(const PathSet& references, std::span<const std::uint32_t> scan_of,
                         OwnTable own, std::uint32_t max_query, bool may_change) const;
  const Dispatch& dispatch_for(std::uint32_t count, std::uint32_t max_length) const;
  PackCapacity direct_capacity(std::uint32_t count, std::uint32_t max_length) const;
  PackCapacity packed_capacity(std::uint32_t count, std::uint32_t max_length,
                               const Dispatch& dispatch) const;
  PackCapacity capacity(std::uint32_t count, std::uint32_t max_length) const;
  std::size_t bytes_of(const PackCapacity& capacity) const;
  Workspace workspace(void* memory, std::uint32_t count, std::uint32_t max_length) const;
  kernels::PairsView pairs(const Batch& batch) const;
  void start(const Batch& batch, const kernels::BatchView& view, bool by_place,
             const Workspace& memory, Stream stream) const;
  kernels::ResultView results_in(std::span<float> columns, std::span<std::uint32_t> flags,
                                 std::uint32_t count) const;
  kernels::Rules point_rules(bool given_success) const;
  /// @param by_place the arrays by whose order results lie; null: they lie in the pairs' own rows
  void aggregate(const kernels::AggregateView& totals, const kernels::ResultView& results,
                 const kernels::PairsView& pairs, const PackArrays* by_place, Stream stream) const;
  /// Starts to check pairs, waits, and returns what is wrong with the first.
  kernels::PairProblem check(const kernels::CheckView& view, Stream stream) const;
  PointWorkspace point_workspace(void* memory, const PointRoom& room) const;
  std::size_t point_workspace_bytes(const PointRoom& room) const;
  void score_points(const Batch& batch, const ScoreArrays& scores, void* workspace,
                    Stream stream) const;
  void add_points(const Batch& batch, const kernels::AggregateView& totals, void* workspace,
                  Stream stream) const;
  void warm_up_points(const PointRoom& room, void* workspace, Stream stream) const;
  kernels::PairProblem check_points(const Batch& batch, void* workspace, Stream stream) const;
  void start_points(const Batch& batch, const kernels::Rules& rules,
                    const kernels::ResultView& results, const PointWorkspace& memory,
                    Stream stream) const;
  void start_directly(const kernels::PairsView& pairs, const kernels::BatchView& view,
                      const Workspace& memory, Stream stream) const;

  Device& device_;
  const MetricSet metrics_;
  const Convention convention_;
  const bool are_symmetric_;
  kernels::QuantitySet set_, point_set_;
  kernels::BatchView view_{};
  std::optional<DeviceTables> tables_;
  std::optional<ResidentReferences> references_;
  kernels::GroupShape shape_;
  /// By OwnTable, and by whether queries are too long for tiles.
  Dispatch dispatch_[3][2];
};

}  // namespace warpath::cuda
