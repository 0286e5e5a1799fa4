#include "host/checks/resident_batch.hpp"

#include <bit>

#include "host/core/batch/results.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::checks {
namespace {

constexpr std::uint8_t mark_byte = 0xee;
constexpr std::uint32_t mark_word = 0xeeeeeeee;

template <class Pairs>
HostPaths queries_of(const Pairs& batch, const Form& form) {
  Order queries;
  for (const auto& pair : batch.pairs) queries.push_back(pair.query);
  return HostPaths(batch.queries, queries).laid_out(form.in_rows);
}

template <class Pairs>
std::vector<std::int64_t> references_of(const Pairs& batch) {
  std::vector<std::int64_t> references;
  for (const auto& pair : batch.pairs) references.push_back(pair.reference);
  return references;
}

}  // namespace

std::string name_of(const Form& form) {
  return "ids of " + std::to_string(form.id_bytes) + " bytes, " +
         (form.in_rows ? "rows of " : "in turn by ") + std::to_string(form.number_bytes) +
         (form.has_both ? ", both" : "");
}

PathsOnDevice::PathsOnDevice(cuda::Device& device, const HostPaths& paths, const Form& form)
    : pitch_(paths.pitch), max_length_(paths.max_length), in_space_(!paths.points.empty()) {
  if (in_space_)
    points_.emplace(device, paths.points);
  else
    viewpoints_.emplace(device, paths.viewpoints, form.id_bytes);
  if (pitch_ == 0) offsets_.emplace(device, paths.offsets, form.number_bytes);
  if (pitch_ > 0 || form.has_both) lengths_.emplace(device, paths.lengths, form.number_bytes);
}

PathsView PathsOnDevice::view() const {
  Layout layout{.pitch = pitch_, .max_length = max_length_};
  if (offsets_) layout.offsets = *offsets_;
  if (lengths_) layout.lengths = *lengths_;
  if (in_space_) return {points_->data(), layout};
  return {*viewpoints_, layout};
}

PositionsView PathsOnDevice::positions() const {
  if (in_space_) return PositionsView(points_->data());
  return PositionsView(Integers(*viewpoints_));
}

void PathsOnDevice::write(const HostPaths& paths) {
  if (in_space_)
    points_->write(paths.points);
  else
    viewpoints_->write(paths.viewpoints);
}

BatchOnDevice::BatchOnDevice(cuda::Device& device, const PairBatch& batch,
                             const std::vector<std::uint8_t>& active, const Form& form)
    : count_(static_cast<std::uint32_t>(batch.pairs.size())),
      queries_(device, queries_of(batch, form), form),
      reference_(device, references_of(batch), form.number_bytes),
      active_(device, active),
      task_success_(device, {batch.task_success.begin(), batch.task_success.end()}) {}

BatchOnDevice::BatchOnDevice(cuda::Device& device, const PointBatch& batch,
                             const std::vector<std::uint8_t>& active, const Form& form)
    : count_(static_cast<std::uint32_t>(batch.pairs.size())),
      reference_count_(static_cast<std::uint32_t>(batch.references.size())),
      references_(std::in_place, device, HostPaths(batch.references).laid_out(form.in_rows), form),
      queries_(device, queries_of(batch, form), form),
      reference_(device, references_of(batch), form.number_bytes),
      active_(device, active),
      task_success_(device, {batch.task_success.begin(), batch.task_success.end()}) {}

Batch BatchOnDevice::view() const {
  return {.count = count_,
          .queries = queries_.view(),
          .references = references_ ? references_->view() : PathsView(),
          .reference = reference_,
          .reference_count = reference_count_,
          .active = active_.data(),
          .task_success = task_success_.data()};
}

ResultsOnDevice::ResultsOnDevice(cuda::Device& device, const MetricSet& metrics,
                                 std::uint32_t count)
    : device_(device), metrics_(metrics), count_(count), flags_(device, count) {
  for (const Metric m : batch::kernel_metrics(metrics)) columns_.insert(m);
  values_ = {device, static_cast<std::size_t>(columns_.size()) * count};
}

void ResultsOnDevice::mark(cuda::Stream stream) {
  device_.fill(values_.device.data(), mark_byte, values_.device.size() * sizeof(float), stream);
  device_.fill(flags_.device.data(), mark_byte, count_ * sizeof(std::uint32_t), stream);
}

ScoreArrays ResultsOnDevice::view() const {
  ScoreArrays scores;
  float* column = values_.device.data();
  for (const Metric m : columns_) {
    scores.column[m] = column;
    column += count_;
  }
  scores.flags = flags_.device.data();
  return scores;
}

void ResultsOnDevice::download(cuda::Stream stream) {
  values_.download(device_, values_.host.size(), stream);
  flags_.download(device_, count_, stream);
}

Scores ResultsOnDevice::scores(const Order& rows) const {
  const std::uint32_t asked = definitions::flags_of(metrics_);
  Scores scores(rows.size(), columns_);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const float* value = values_.host.data() + rows[k];
    for (const Metric m : columns_) {
      scores.at(m, k) = double{*value};
      value += count_;
    }
    scores.status[k] = definitions::status_of(flags_.host[rows[k]] & asked);
    scores.zero_rules[k] = kernels::zero_rules_of(flags_.host[rows[k]] & asked);
  }
  return scores;
}

bool ResultsOnDevice::is_marked(std::size_t row) const {
  bool marked = flags_.host[row] == mark_word;
  for (std::size_t at = row; at < values_.host.size(); at += count_) {
    marked = marked && std::bit_cast<std::uint32_t>(values_.host[at]) == mark_word;
  }
  return marked;
}

}  // namespace warpath::checks
