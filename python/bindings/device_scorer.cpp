// Scores batches in a GPU's memory: raw entry points, which warpath/torch calls.
#include "warpath/device_scorer.hpp"

#include <memory>

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/reference_scorer.hpp"

namespace warpath::python {
namespace {

class DeviceScorerObject {
 public:
  explicit DeviceScorerObject(const ReferenceScorerObject& object) : metrics_(object.now->metrics) {
    const std::shared_ptr<const ReferenceScorer> now = object.now;
    const ReferenceScorer& host = *now;
    DeviceScorerOptions options;
    options.graphs = host.graphs;
    for (const Metric m : metrics_) options.metrics.insert(m);
    const nb::gil_scoped_release release;
    scorer_ = std::make_unique<DeviceScorer>(host.scans, host.references, host.scan_of,
                                             host.convention, options);
  }

  std::size_t workspace_bytes(std::uint32_t count, std::uint32_t length) const {
    return scorer_->workspace_bytes(room_for(count, length, 0));
  }
  std::size_t point_workspace_bytes(std::uint32_t count, std::uint32_t length,
                                    std::uint32_t reference_length) const {
    return scorer_->workspace_bytes(room_for(count, length, reference_length));
  }

  void warm_up(std::uint32_t count, std::uint32_t length, Address workspace, Address stream) {
    const nb::gil_scoped_release release;
    scorer_->warm_up(room_for(count, length, 0), at<void>(workspace), stream_at(stream));
  }
  void warm_up_points(std::uint32_t count, std::uint32_t length, std::uint32_t reference_length,
                      Address workspace, Address stream) {
    const nb::gil_scoped_release release;
    scorer_->warm_up(room_for(count, length, reference_length), at<void>(workspace),
                     stream_at(stream));
  }

  void score(std::uint32_t count, std::uint32_t length, std::uint32_t pitch,
             const IntegersAt& queries, const IntegersAt& lengths, const IntegersAt& reference,
             Address active, Address task_success, Address out, Address workspace, Address stream,
             bool check) {
    Batch batch;
    batch.count = count;
    batch.queries = {at(queries), rows_at(lengths, length, pitch)};
    batch.reference = at(reference);
    batch.active = at<const std::uint8_t>(active);
    batch.task_success = at<const float>(task_success);
    start(batch, out, workspace, stream, check);
  }

  void score_points(std::uint32_t count, std::uint32_t length, Address queries,
                    const IntegersAt& lengths, std::uint32_t references,
                    std::uint32_t reference_length, Address reference_points,
                    const IntegersAt& reference_lengths, const IntegersAt& reference,
                    Address active, Address task_success, Address out, Address workspace,
                    Address stream, bool check) {
    Batch batch;
    batch.count = count;
    batch.queries = {at<const float>(queries), rows_at(lengths, length, length)};
    batch.references = {at<const float>(reference_points),
                        rows_at(reference_lengths, reference_length, reference_length)};
    batch.reference = at(reference);
    batch.reference_count = references;
    batch.active = at<const std::uint8_t>(active);
    batch.task_success = at<const float>(task_success);
    start(batch, out, workspace, stream, check);
  }

 private:
  static Batch room_for(std::uint32_t count, std::uint32_t length, std::uint32_t reference_length) {
    Batch batch;
    batch.count = count;
    batch.queries.layout = rows_at({}, length, length);
    batch.references.layout = rows_at({}, reference_length, reference_length);
    return batch;
  }

  void start(const Batch& batch, Address out, Address workspace, Address stream, bool check) {
    ScoreArrays scores;
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
      scores.column[metrics_[k]] = at<float>(out) + k * batch.count;
    }
    const nb::gil_scoped_release release;
    if (check) scorer_->check(batch, at<void>(workspace), stream_at(stream));
    scorer_->score(batch, scores, at<void>(workspace), stream_at(stream));
  }

  std::vector<Metric> metrics_;
  std::unique_ptr<DeviceScorer> scorer_;
};

}  // namespace

void bind_device_scorer(nb::module_& m) {
  using Object = DeviceScorerObject;
  nb::class_<Object>(m, "DeviceScorer")
      .def(nb::init<const ReferenceScorerObject&>(), "host"_a, nb::keep_alive<1, 2>())
      .def("workspace_bytes", &Object::workspace_bytes, "count"_a, "length"_a)
      .def("point_workspace_bytes", &Object::point_workspace_bytes, "count"_a, "length"_a,
           "reference_length"_a)
      .def("warm_up", &Object::warm_up, "count"_a, "length"_a, "workspace"_a, "stream"_a)
      .def("warm_up_points", &Object::warm_up_points, "count"_a, "length"_a, "reference_length"_a,
           "workspace"_a, "stream"_a)
      .def("score", &Object::score, "count"_a, "length"_a, "pitch"_a, "queries"_a, "lengths"_a,
           "reference"_a, "active"_a, "task_success"_a, "out"_a, "workspace"_a, "stream"_a,
           "check"_a)
      .def("score_points", &Object::score_points, "count"_a, "length"_a, "queries"_a, "lengths"_a,
           "references"_a, "reference_length"_a, "reference_points"_a, "reference_lengths"_a,
           "reference"_a, "active"_a, "task_success"_a, "out"_a, "workspace"_a, "stream"_a,
           "check"_a);
}

}  // namespace warpath::python
