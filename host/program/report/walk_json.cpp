#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/core/means/integer_text.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/program/report/json_parts.hpp"
#include "host/program/report/walk_report.hpp"

namespace warpath::report {
namespace {

class WalkJson {
 public:
  WalkJson(const WalkReport& report, const JsonOptions& options)
      : report_(report),
        options_(options),
        summary_(evaluation::summarize_independent(report.statistics.summary)) {}

  std::string write() {
    const bool is_double = report_.statistics.precision == Precision::double_precision;
    open_report(report_, report_.convention, is_double, json_);
    write_interval(Interval::none, "the sampling of walks", json_);
    write_walks();
    write_warnings();
    json_.open("runs", '[');
    json_.open("", '{');
    json_.text("name", "random");
    if (options_.flat_names) {
      write_flat(summary_, report_.metrics, json_);
    } else {
      json_.text("signature", signature_of(report_).text());
      write_metrics();
      write_counts(report_.statistics.summary, json_);
    }
    json_.close('}');
    json_.close(']');
    return close_report(report_.run_info, options_, json_);
  }

 private:
  void write_walks() {
    json_.open("walks", '{');
    json_.integer("definition", walk_definition);
    json_.integer("count", report_.walks);
    json_.integer("seed", report_.seed);
    json_.text("sample", name(report_.sample));
    json_.integer("references", report_.references);
    json_.open("steps", '{');
    json_.text("from", report_.steps_description);
    json_.text("hash", report_.steps_hash);
    json_.open("counts", '{');
    for (const auto& [number, count] : report_.steps) {
      json_.integer(fmt::format("{}", number), count);
    }
    json_.close('}');
    json_.close('}');
    if (report_.shard) {
      json_.open("shard", '{');
      json_.integer("number", report_.shard->number);
      json_.integer("of", report_.shard->of);
      json_.integer("first", report_.first());
      json_.integer("count", report_.count());
      json_.close('}');
    }
    json_.integer("done", report_.done());
    json_.raw("complete", report_.is_complete() ? "true" : "false");
    json_.close('}');
  }

  void write_warnings() {
    json_.open("warnings", '[');
    for (const std::string& warning : report_.warnings) json_.text("", warning);
    json_.close(']');
  }

  void write_metrics() {
    json_.open("metrics", '{');
    for (const Metric m : report_.metrics) {
      const Statistics& values = report_.statistics.summary.metrics[m];
      json_.open(info(m).name, '{');
      write_estimate(summary_.of(m), info(m), report_.convention, json_);
      json_.number("minimum", values.minimum());
      json_.number("maximum", values.maximum());
      write_histogram(report_.statistics.histograms[m]);
      json_.open("sums", '{');
      json_.integer("grid_bits", Statistics::grid_bits(info(m).unit));
      json_.text("values", means::decimal(values.moments().sum));
      json_.text("squares", means::decimal(values.moments().squares));
      json_.close('}');
      json_.close('}');
    }
    json_.close('}');
  }

  void write_histogram(const Histogram& histogram) {
    std::vector<std::uint64_t> counts;
    for (int bin = 0; bin < histogram.bins(); ++bin) counts.push_back(histogram.count(bin));
    json_.open("histogram", '{');
    json_.number("width", histogram.width());
    json_.integer("underflow", histogram.underflow());
    json_.raw("counts", fmt::format("[{}]", fmt::join(counts, ", ")));
    json_.integer("overflow", histogram.overflow());
    json_.close('}');
  }

  const WalkReport& report_;
  const JsonOptions& options_;
  const ItemSummary summary_;
  io::JsonWriter json_;
};

}  // namespace

std::string report_json(const WalkReport& report, const JsonOptions& options) {
  return WalkJson(report, options).write();
}

}  // namespace warpath::report
