#include "host/program/report/json_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/program/report/metric_table.hpp"
#include "host/program/report/print_parts.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

std::string json_unit(const MetricInfo& m, const Convention& convention) {
  if (m.unit == Unit::fraction) return "fraction";
  if (m.unit == Unit::count) return "count";
  const std::string unit = unit_name(m, convention);
  return unit.empty() ? "ratio" : unit;
}

// Names of metrics as training code and dashboards spell them, where these differ from ours.
constexpr std::pair<Metric, std::string_view> flat_names[] = {
    {Metric::SR, "sr"},        {Metric::OSR, "oracle_sr"},  {Metric::SPL, "spl"},
    {Metric::PL, "lengths"},   {Metric::NE, "nav_error"},   {Metric::ONE, "oracle_error"},
    {Metric::GP, "gp"},        {Metric::RGS, "rgs"},        {Metric::RGSPL, "rgspl"},
    {Metric::tour_SR, "t-sr"}, {Metric::tour_SPL, "t-spl"},
};

std::string_view flat_name(const MetricInfo& m) {
  const auto* const found =
      std::ranges::find(flat_names, m.metric, [](const auto& e) { return e.first; });
  return found != std::end(flat_names) ? found->second : m.name;
}

void write_flat_estimate(std::string_view name, const Estimate& estimate, const MetricInfo& m,
                         std::uint64_t n, io::JsonWriter& json) {
  const double scale = m.unit == Unit::fraction ? 100.0 : 1.0;
  json.number(name, estimate.mean ? std::optional(scale * *estimate.mean) : std::nullopt);
  if (estimate.n != n) json.integer(std::string(name) + "_n", estimate.n);
}

void write_snaps(std::string_view key, const SnapSummary& snaps, io::JsonWriter& json) {
  json.open(key, '{');
  json.integer("n", snaps.n);
  json.integer("placed", snaps.placed);
  json.number("mean", snaps.mean);
  json.number("max", snaps.max);
  json.close('}');
}

// Writes what is known of navigation meshes alone.
void write_meshes(const PositionDistances& distances, io::JsonWriter& json) {
  json.text("habitat", distances.habitat);
  if (distances.agent) {
    json.open("agent", '{');
    json.raw("height", fmt::format("{}", (*distances.agent)[0]));  // the digits of a float
    json.raw("radius", fmt::format("{}", (*distances.agent)[1]));
    json.close('}');
  } else {
    json.null("agent");
  }
  const MeasuredWays& ways = *distances.ways;
  json.integer("measured", ways.n);
  json.open("infinite", '{');
  json.integer("off_mesh", ways.off_mesh);
  json.integer("other_island", ways.other_island);
  json.integer("too_long", ways.too_long);
  json.integer("search_ended", ways.search_ended);
  json.close('}');
}

void write_run_info(const RunInfo& run_info, io::JsonWriter& json) {
  json.open("run_info", '{');
  json.open("command_line", '[');
  for (const std::string& word : run_info.command_line) json.text("", word);
  json.close(']');
  json.text("date", run_info.date);
  json.integer("threads", run_info.threads);
  if (run_info.backend.backend != Backend::automatic) {
    json.text("backend", name(run_info.backend.backend));
  }
  if (!run_info.backend.note.empty()) json.text("backend_note", run_info.backend.note);
  json.close('}');
}

}  // namespace

void write_input(const JsonInput& input, io::JsonWriter& json) {
  json.open(input.key, '{');
  json.text(input.path_key, input.path);
  json.text("hash", input.hash);
  if (!input.format_key.empty()) json.text(input.format_key, input.format);
  json.close('}');
}

void open_report(const InputDescription& inputs, const Convention& convention, bool is_double,
                 io::JsonWriter& json) {
  json.open("", '{');
  json.text("warpath", WARPATH_VERSION);
  write_input({.key = "dataset",
               .path_key = "file",
               .path = inputs.dataset_file,
               .hash = inputs.dataset_hash,
               .format_key = "format_description",
               .format = inputs.dataset_description},
              json);
  write_input({.key = "graphs",
               .path_key = "path",
               .path = inputs.graphs_path,
               .hash = inputs.graphs_hash,
               .format_key = "format_description",
               .format = inputs.graphs_detection},
              json);
  if (!inputs.objects_path.empty()) {
    write_input({.key = "objects",
                 .path_key = "path",
                 .path = inputs.objects_path,
                 .hash = inputs.objects_hash,
                 .format_key = "format_description",
                 .format = inputs.objects_description},
                json);
  }
  if (!inputs.tours_file.empty()) {
    json.open("tours", '{');
    json.text("file", inputs.tours_file);
    json.text("format_description", inputs.tours_description);
    json.close('}');
  }
  write_convention(convention, inputs.task, json);
  json.text("precision", is_double ? "double" : "single");
}

std::string close_report(const RunInfo& run_info, const JsonOptions& options,
                         io::JsonWriter& json) {
  if (options.has_run_info) write_run_info(run_info, json);
  json.close('}');
  return json.take();
}

void write_interval(Interval interval, std::string_view of, io::JsonWriter& json) {
  json.open("interval", '{');
  json.number("level", 0.95);
  json.text("ci", name(interval));
  if (!of.empty()) json.text("of", of);
  json.close('}');
}

void write_convention(const Convention& convention, std::string_view task, io::JsonWriter& json,
                      std::initializer_list<std::string_view> without) {
  json.text("preset", convention.preset);
  const std::string note = other_task_note(convention, task);
  if (!note.empty()) json.text("preset_note", note);
  json.open("convention", '{');
  for (const Setting& setting : settings()) {
    if (std::ranges::find(without, setting.name) != without.end()) continue;
    if (setting.values == "NUMBER")
      json.raw(setting.name, setting.get(convention));
    else
      json.text(setting.name, setting.get(convention));
  }
  json.close('}');
}

void write_estimate(const Estimate& estimate, const MetricInfo& m, const Convention& convention,
                    io::JsonWriter& json) {
  json.number("mean", estimate.mean);
  if (estimate.ci95)
    json.numbers("ci95", {(*estimate.ci95)[0], (*estimate.ci95)[1]});
  else
    json.null("ci95");
  json.integer("n", estimate.n);
  json.integer("of", estimate.of);
  json.integer("clusters", estimate.clusters);
  json.text("unit", json_unit(m, convention));
}

void write_distances(const PositionDistances& distances, io::JsonWriter& json) {
  json.open("distances", '{');
  json.text("source", distances.source);
  json.text("of", distances.of);
  if (distances.files > 0) json.integer(distances.ways ? "meshes" : "grids", distances.files);
  if (!distances.hash.empty()) json.text("hash", distances.hash);
  if (distances.ways) write_meshes(distances, json);
  if (!distances.connect.empty()) {
    if (distances.connect == "fmm") {
      json.text("connect", distances.connect);
    } else {
      json.integer("connect", std::stoull(distances.connect));
    }
    json.number("max_snap", distances.max_snap);
  }
  if (distances.positions) {
    json.open("snapped", '{');
    write_snaps("positions", *distances.positions, json);
    write_snaps(distances.ways ? "goals" : "dataset", *distances.goals, json);
    json.close('}');
  }
  json.close('}');
}

void write_counts(const ItemStatistics& summary, io::JsonWriter& json) {
  json.integer("items", summary.items);
  json.open("status", '{');
  for (int s = 0; s < status_count; ++s) {
    const std::uint64_t n = summary.statuses[s];
    if (n > 0) json.integer(info(static_cast<Status>(s)).name, n);
  }
  json.close('}');
  json.open("zero_rules", '{');
  json.integer("SPL", summary.zero_spl);
  json.integer("LS", summary.zero_ls);
  json.integer("SED", summary.zero_sed);
  json.close('}');
}

void write_flat(const ItemSummary& summary, const std::vector<Metric>& metrics,
                io::JsonWriter& json) {
  const std::uint64_t n = max_n(summary, metrics);
  for (const Metric metric : metrics) {
    const MetricInfo& m = info(metric);
    const Estimate& e = summary.of(metric);
    write_flat_estimate(flat_name(m), e, m, n, json);
  }
  json.integer("n", n);
  json.integer("of", summary.counts.items);
}

void write_flat_own(const Estimate& estimate, const MetricInfo& m, std::uint64_t n,
                    io::JsonWriter& json) {
  write_flat_estimate(m.name, estimate, m, n, json);
}

}  // namespace warpath::report
