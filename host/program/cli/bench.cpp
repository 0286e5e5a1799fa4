#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <regex>
#include <thread>

#include "host/checks/benchmark/bandwidth.hpp"
#include "host/checks/benchmark/benchmark.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/scorer/break_even.hpp"
#include "host/files/io/json_writer.hpp"
#include "host/files/io/output_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/report/table.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

using benchmark::DeviceRow;
using benchmark::Rate;

// Maximum of pairs in a measurement; a GPU is always faster for that many.
constexpr std::size_t max_pairs = 1'000'000;

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string pairs_per_second(double rate) {
  if (rate <= 0.0) return "";
  if (rate >= 1e6) return fmt::format("{:.1f} M", rate * 1e-6);
  return rate >= 1e3 ? fmt::format("{:.1f} k", rate * 1e-3) : fmt::format("{:.0f}  ", rate);
}

std::string gcells_per_second(double pairs_per_second, double cells) {
  return pairs_per_second > 0.0 ? fmt::format("{:.2f}", pairs_per_second * cells * 1e-9) : "";
}

std::string device_text(cuda::Device& device, const benchmark::Bandwidth& bandwidth) {
  return fmt::format(
      "{}; GB/s: {:.1f} up, {:.1f} down, {:.0f} writing its memory, {:.0f} reading and writing\n",
      device.name(), bandwidth.upload * 1e-9, bandwidth.download * 1e-9, bandwidth.fill * 1e-9,
      bandwidth.copy * 1e-9);
}

std::string rates_text(const std::vector<Rate>& rates, unsigned threads) {
  report::Table table{{"shape", "metrics", "1 thread", fmt::format("{} threads", threads),
                       "reference", "Gcells/s, 1 thread"},
                      {},
                      "llrrrr"};
  for (const Rate& r : rates) {
    table.rows.push_back({r.shape, r.metrics, pairs_per_second(r.one_thread),
                          pairs_per_second(r.all_threads), pairs_per_second(r.reference),
                          gcells_per_second(r.one_thread, r.cells)});
  }
  return table.render(report::Table::Style::text);
}

std::string rates_text(const std::vector<DeviceRow>& rows) {
  report::Table table{
      {"GPU", "shape", "metrics", "pairs", "median", "least", "greatest", "Gcells/s"},
      {},
      "lllrrrrr"};
  for (const DeviceRow& r : rows) {
    const auto& [median, low, high] = r.per_second;
    table.rows.push_back({r.group, r.shape, r.metrics, fmt::to_string(r.pairs),
                          pairs_per_second(median), pairs_per_second(low), pairs_per_second(high),
                          gcells_per_second(median, r.cells)});
  }
  return table.render(report::Table::Style::text);
}

void write_device(io::JsonWriter& json, cuda::Device& device,
                  const benchmark::Bandwidth& bandwidth) {
  json.text("device", device.name());
  json.open("bandwidth", '{');  // GB/s
  json.number("up", bandwidth.upload * 1e-9);
  json.number("down", bandwidth.download * 1e-9);
  json.number("fill", bandwidth.fill * 1e-9);
  json.number("read and write", bandwidth.copy * 1e-9);
  json.close('}');
}

void write_rows(io::JsonWriter& json, const benchmark::Results& results) {
  json.open("rows", '[');
  for (const DeviceRow& r : results.device) {
    json.open("", '{');
    json.text("group", r.group);
    json.text("shape", r.shape);
    json.text("metrics", r.metrics);
    json.integer("pairs", r.pairs);
    json.number("cells", r.cells);
    json.open("per_second", '{');
    json.number("median", r.per_second.median);
    json.number("low", r.per_second.low);
    json.number("high", r.per_second.high);
    json.close('}');
    json.close('}');
  }
  json.close(']');
  json.open("cpu", '[');
  for (const Rate& r : results.cpu) {
    json.open("", '{');
    json.text("shape", r.shape);
    json.text("metrics", r.metrics);
    json.number("cells", r.cells);
    json.number("one_thread", r.one_thread);
    json.number("all_threads", r.all_threads);
    json.number("reference", r.reference);
    json.close('}');
  }
  json.close(']');
}

struct BenchCommand {
  explicit BenchCommand(Command& command) {
    add_backend_option(command, backend);
    command.add_option("--seconds", options.seconds, "time for each measurement")
        .check(number_within(0.001, 600.0))
        .show_default();
    command.add_option("--rows", options.rows,
                       "only rows \"GROUP: SHAPE, METRICS\" of a GPU that match this regular "
                       "expression");
    command.add_option("--json", json_file, "write the numbers to this file, too");
    command.add_option("--save", save,
                       "measure from how many pairs on a GPU pays here, and let auto go by it");
  }

  void run(Io& io) {
    check_rows();
    options.backend = resolve_backend(find_backend(backend), max_pairs).backend;
    if (!options.rows.empty() && options.backend != Backend::cuda) {
      throw UsageError(
          fmt::format("--rows chooses among a GPU's rows, and {} has none: give "
                      "--backend cuda, or leave --rows out",
                      name(options.backend)));
    }
    const unsigned threads = std::thread::hardware_concurrency();
    const bool on_cpu = options.backend != Backend::reference;
    const std::string isa = on_cpu ? fmt::format(", {}", cpu::chosen_kernels().name) : "";
    io.out << fmt::format("pairs/s; back end {}{}, {} CPUs, {}\n", name(options.backend), isa,
                          threads, cpu_model())
           << std::flush;
    io::JsonWriter json;
    json.open("", '{');
    json.text("back_end", name(options.backend));
    if (options.backend == Backend::cuda) {
      cuda::Device& device = cuda::device_or_error();
      const benchmark::Bandwidth bandwidth = benchmark::measure_bandwidth(device);
      io.out << device_text(device, bandwidth) << std::flush;
      write_device(json, device, bandwidth);
    }
    const benchmark::Results results = run_bench(options);
    if (!results.cpu.empty()) io.out << rates_text(results.cpu, threads);
    if (!results.device.empty()) io.out << "\n" << rates_text(results.device);
    write_rows(json, results);
    json.close('}');
    if (!json_file.empty()) write_json(json.take());
    if (save) save_measured(io);
  }

  void save_measured(Io& io) const {
    resolve_backend(Backend::cuda, 0);  // throws if there is no device
    const std::size_t pairs = benchmark::measure_break_even();
    io.out << fmt::format("a GPU pays from {} pairs on; kept in {}\n", pairs,
                          scorer::save_break_even(pairs));
  }

  void check_rows() const {
    try {
      std::regex(options.rows);
    } catch (const std::regex_error& error) {
      throw UsageError(fmt::format("--rows {}: {}; give a regular expression of ECMAScript",
                                   options.rows, error.what()));
    }
  }

  void write_json(const std::string& text) const {
    io::OutputFiles outputs;
    outputs.add(json_file, text);
    outputs.commit();
  }

  benchmark::BenchOptions options;
  std::string backend = "cpu", json_file;
  bool save = false;
};

}  // namespace

void add_bench(Command& program, Io& io) {
  Command& command =
      program.add_command("bench", "Time this machine's back ends: pairs/s by shape");
  auto options = std::make_shared<BenchCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
