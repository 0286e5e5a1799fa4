#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "host/core/definitions/later_settings.hpp"
#include "host/core/means/integer_text.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/program/report/walk_report.hpp"
#include "warpath/error.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

constexpr const char* remedy = "name the files that warpath random --shard k/n --json FILE wrote";

// Reads one JSON object; errors name its file and key.
class Object {
 public:
  Object(std::string file, json::Object object) : file_(std::move(file)), object_(object) {}

  bool has(std::string_view key) const { return formats::has_key(object_, key); }
  json::Object object() const { return object_; }
  json::Value get(std::string_view key) const { return formats::require(object_, key, {file_}); }
  InputError::Where at(std::string_view key) const { return {file_, {}, std::string(key)}; }

  Object inner(std::string_view key) const {
    return {file_, formats::as_object(get(key), at(key))};
  }
  json::Array list(std::string_view key) const { return formats::as_array(get(key), at(key)); }
  std::string text(std::string_view key) const {
    return std::string(formats::as_string(get(key), at(key)));
  }
  std::uint64_t integer(std::string_view key) const { return integer(get(key), key); }
  std::uint64_t integer(json::Value value, std::string_view key) const {
    std::uint64_t number = 0;
    if (!value.get(number)) fail(key, "is no whole number");
    return number;
  }
  std::optional<double> number(std::string_view key) const {
    const json::Value value = get(key);
    return value.is_null() ? std::nullopt : std::optional(formats::as_number(value, at(key)));
  }
  Statistics::Integer wide_integer(std::string_view key) const {
    const auto integer = means::integer_of(text(key));
    if (!integer) fail(key, "is no whole number of 128 bits");
    return *integer;
  }
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    throw InputError(at(key), problem, "the file was changed: write it again");
  }

 private:
  std::string file_;
  json::Object object_;
};

void check_kind(const Object& root, const std::string& file) {
  if (!root.has("warpath") || !root.has("runs")) {
    throw InputError({file}, "is no report of warpath", remedy);
  }
  if (!root.has("walks")) {
    throw InputError({file}, "is a report of warpath eval, not of random walks", remedy);
  }
  const std::string version = root.text("warpath");
  if (root.inner("walks").integer("definition") != walk_definition) {
    throw InputError({file, "walks", "definition"}, "is not that of this version's walks",
                     "score all shards and merge them with one version");
  }
  if (version != WARPATH_VERSION) {
    throw InputError({file}, fmt::format("was written by version {}", version),
                     fmt::format("this is {}: score all shards and merge them with one version",
                                 WARPATH_VERSION));
  }
}

void read_inputs(const Object& root, InputDescription& inputs) {
  const Object dataset = root.inner("dataset"), graphs = root.inner("graphs");
  inputs.dataset_file = dataset.text("file");
  inputs.dataset_hash = dataset.text("hash");
  inputs.dataset_description = dataset.text("format_description");
  inputs.graphs_path = graphs.text("path");
  inputs.graphs_hash = graphs.text("hash");
  inputs.graphs_detection = graphs.text("format_description");
  for (const json::Value warning : root.list("warnings")) {
    inputs.warnings.emplace_back(formats::as_string(warning, root.at("warnings")));
  }
}

Convention read_convention(const Object& root) {
  Convention convention = find_preset(root.text("preset")).convention;
  const Object values = root.inner("convention");
  for (const auto field : values.object()) {
    if (std::ranges::find(settings(), field.key, &Setting::name) != settings().end()) continue;
    throw InputError(values.at(field.key), "is no setting of this version",
                     "score all shards and merge them with one version");
  }
  const std::span<const std::string_view> later = definitions::later_settings;
  for (const Setting& setting : settings()) {
    const bool is_later = std::ranges::find(later, setting.name) != later.end();
    if (is_later && !values.has(setting.name)) {
      setting.set(convention, setting.get({}));
      continue;
    }
    const json::Value value = values.get(setting.name);
    setting.set(convention,
                value.is_string()
                    ? values.text(setting.name)
                    : fmt::format("{}", formats::as_number(value, values.at(setting.name))));
  }
  return convention;
}

StepCounts read_steps(const Object& counts) {
  StepCounts steps;
  for (const auto field : counts.object()) {
    std::uint32_t number = 0;
    const char* end = field.key.data() + field.key.size();
    const auto read = std::from_chars(field.key.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end) {
      counts.fail(field.key, "is no number of steps");
    }
    steps[number] = counts.integer(field.value, field.key);
  }
  return steps;
}

void read_walks(const Object& walks, WalkReport& report) {
  report.walks = walks.integer("count");
  report.seed = walks.integer("seed");
  report.sample = find_walk_sample(walks.text("sample"));
  report.references = walks.integer("references");
  const Object steps = walks.inner("steps");
  report.steps_description = steps.text("from");
  report.steps_hash = steps.text("hash");
  report.steps = read_steps(steps.inner("counts"));
  if (report.steps.empty()) steps.fail("counts", "is empty");
  if (!walks.has("shard")) return;
  const Object shard = walks.inner("shard");
  report.shard = {shard.integer("number"), shard.integer("of")};
  if (report.shard->number == 0 || report.shard->number > report.shard->of) {
    shard.fail("number", "is not from 1 to n");
  }
}

Histogram read_histogram(const Object& object, Unit unit) {
  std::vector<std::uint64_t> cells{object.integer("underflow")};
  for (const json::Value count : object.list("counts")) {
    cells.push_back(object.integer(count, "counts"));
  }
  cells.push_back(object.integer("overflow"));
  if (cells.size() != static_cast<std::size_t>(Histogram::bins_of(unit).count) + 2) {
    object.fail("counts", "has another number of bins");
  }
  return Histogram(unit, cells);
}

void read_metric(const Object& object, Metric metric, BatchStatistics& statistics) {
  const Unit unit = info(metric).unit;
  const Object sums = object.inner("sums");
  if (sums.integer("grid_bits") != static_cast<std::uint64_t>(Statistics::grid_bits(unit))) {
    sums.fail("grid_bits", "is not that of this version");
  }
  Statistics::Moments moments;
  moments.n = object.integer("n");
  moments.sum = sums.wide_integer("values");
  moments.squares = sums.wide_integer("squares");
  moments.minimum = object.number("minimum").value_or(moments.minimum);
  moments.maximum = object.number("maximum").value_or(moments.maximum);
  statistics.summary.metrics[metric] = Statistics(unit, moments);
  statistics.histograms[metric] = read_histogram(object.inner("histogram"), unit);
  if (statistics.histograms[metric].n() != moments.n)
    object.fail("n", "differs from the histogram");
}

void read_run(const Object& run, WalkReport& report) {
  ItemStatistics& counts = report.statistics.summary;
  counts.items = run.integer("items");
  const Object statuses = run.inner("status"), rules = run.inner("zero_rules");
  for (int s = 0; s < status_count; ++s) {
    const std::string_view key = info(static_cast<Status>(s)).name;
    if (statuses.has(key)) counts.statuses[s] = statuses.integer(key);
  }
  counts.zero_spl = rules.integer("SPL");
  counts.zero_ls = rules.integer("LS");
  counts.zero_sed = rules.integer("SED");
  const Object metrics = run.inner("metrics");
  for (const auto field : metrics.object()) {
    const auto metric = find_metric(field.key);
    if (!metric) metrics.fail(field.key, "is no metric");
    read_metric(metrics.inner(field.key), *metric, report.statistics);
    report.metrics.push_back(*metric);
  }
  if (report.metrics.empty()) run.fail("metrics", "is empty");
}

Precision read_precision(const Object& root) {
  const std::string precision = root.text("precision");
  if (precision == "double") return Precision::double_precision;
  if (precision != "single") root.fail("precision", "is neither single nor double");
  return Precision::single_precision;
}

WalkReport read(const formats::JsonFile& document) {
  const std::string& name = document.path();
  const auto object = formats::object_in(document.root());
  if (!object) throw InputError({name}, "is no report of warpath", remedy);
  const Object root(name, *object);
  check_kind(root, name);
  WalkReport report;
  read_inputs(root, report);
  report.convention = read_convention(root);
  report.statistics.precision = read_precision(root);
  read_walks(root.inner("walks"), report);
  const json::Array runs = root.list("runs");
  if (runs.size() != 1) root.fail("runs", "has not one run");
  const Object run(name, formats::as_object(runs.at(0), root.at("runs")));
  if (!run.has("metrics")) {
    throw InputError({name}, "has no sums to merge", "write it without --flat-names");
  }
  Signature signature;  // reports of earlier versions have none
  if (run.has("signature")) signature = parse_signature(run.text("signature"));
  report.format = signature.value_of("format");
  report.reference = signature.value_of("reference");
  read_run(run, report);
  report.printed =
      report.metrics.size() == path_metric_table().size() ? headline_metrics() : report.metrics;
  return report;
}

}  // namespace

WalkReport read_walk_report(const std::string& file) {
  const formats::JsonFile document(file);
  try {
    return read(document);
  } catch (const UsageError& e) {  // a name that is none
    throw InputError({document.path()}, e.what(), "the file was changed: write it again");
  }
}

}  // namespace warpath::report
