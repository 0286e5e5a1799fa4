#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/chunk.hpp"
#include "host/core/cuda/kept_inputs.hpp"
#include "host/core/cuda/options.hpp"
#include "host/core/cuda/references.hpp"
#include "warpath/convention.hpp"

namespace warpath::cuda {

/// Holds what all of a batch's pairs share: the rules, and the scans' tables on the device.
class PreparedBatch {
 public:
  /// Uploads the tables, unless they are kept, and waits for them. All arguments must outlive this
  /// object.
  /// @param totals where results are added up; null: they are copied back
  /// @param kept of the scorer that makes the call; null: nothing is kept
  PreparedBatch(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
                const Convention& convention, const Options& options,
                const kernels::AggregateView* totals, KeptInputs* kept = nullptr);
  PreparedBatch(const PreparedBatch&) = delete;
  PreparedBatch& operator=(const PreparedBatch&) = delete;

  Device& device() const { return device_; }
  const PairBatchView& batch() const { return batch_; }
  /// Returns the rows whose scans have a table.
  const Rows& rows() const { return rows_; }

 private:
  friend class PreparedSpan;

  /// Returns the bytes of a viewpoint as it is uploaded.
  std::uint32_t id_bytes() const;
  kernels::DispatchPolicy policy(const References& references, std::size_t pairs) const;
  Dispatch dispatch(const References& references, std::size_t pairs) const;

  Device& device_;
  const PairBatchView batch_;
  const MetricSet asked_metrics_;
  const std::size_t small_batch_;
  const std::vector<Metric> metrics_;  // that the kernels compute
  const kernels::AggregateView* const totals_;
  UniqueStream stream_;
  const kernels::Rules rules_;
  const bool are_symmetric_;  // the tables of the scans
  const std::vector<std::uint32_t> listed_;
  const Rows rows_;
  const std::size_t budget_;
  mutable KeptInputs own_;
  KeptInputs& kept_;
  const std::shared_ptr<const DeviceTables> tables_;
  const std::uint32_t max_query_;
  const batch::ClsLengths cls_;
};

/// Holds the references of a span of a batch's rows on the device, and what else its chunks read.
class PreparedSpan {
 public:
  /// Takes rows from `first` on until their references fill a quarter of the memory.
  PreparedSpan(const PreparedBatch& batch, std::size_t first);
  PreparedSpan(const PreparedSpan&) = delete;
  PreparedSpan& operator=(const PreparedSpan&) = delete;

  std::size_t end() const { return references_.end(); }  ///< the first row not taken
  const ChunkContext& context() const { return context_; }
  /// Returns the capacity of chunks of at most `pairs` pairs, such that `chunks` of them fit into
  /// the memory that is left.
  /// @throws InputError if not even one pair fits
  ChunkCapacity capacity(std::size_t pairs, std::size_t chunks) const;

 private:
  std::shared_ptr<const DeviceReferences> upload(std::size_t first) const;
  kernels::BatchView tables() const;
  ChunkContext make_context(std::size_t first) const;

  const PreparedBatch& batch_;
  const References references_;
  const std::shared_ptr<const DeviceReferences> device_references_;
  const ChunkContext context_;
};

}  // namespace warpath::cuda
