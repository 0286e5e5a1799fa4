#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "host/benchmark/bandwidth.hpp"
#include "host/benchmark/benchmark.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"
#include "host/cpu/cpu_kernels.hpp"
#include "host/report/table.hpp"
#include "host/scorer/break_even.hpp"

namespace warpath {
namespace {

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

// Describes the device and the bandwidths that bound batches from the host.
std::string device_text() {
  const cuda::FoundDevice found = cuda::find_device();
  const benchmark::Bandwidth bandwidth = benchmark::measure_bandwidth(*found.device);
  return fmt::format("{}; GB/s: {:.1f} up, {:.1f} down, {:.0f} writing its memory\n",
                     found.device->name(), bandwidth.upload * 1e-9, bandwidth.download * 1e-9,
                     bandwidth.fill * 1e-9);
}

std::string rates_text(const std::vector<Rate>& rates, unsigned threads) {
  Table table{{"shape", "metrics", "1 thread", fmt::format("{} threads", threads), "reference",
               "GPU", "GPU, resident", "resident pairs", "Gcells/s, 1 thread", "Gcells/s, GPU"},
              {},
              "llrrrrrrrr"};
  for (const Rate& r : rates) {
    table.rows.push_back(
        {r.shape, r.metrics, pairs_per_second(r.one_thread), pairs_per_second(r.all_threads),
         pairs_per_second(r.reference), pairs_per_second(r.cuda), pairs_per_second(r.resident),
         r.resident_pairs > 0 ? fmt::to_string(r.resident_pairs) : "",
         gcells_per_second(r.one_thread, r.cells), gcells_per_second(r.resident, r.cells)});
  }
  return table.render(Table::Style::text);
}

struct BenchCommand {
  explicit BenchCommand(CLI::App& command) {
    add_backend_option(command, backend);
    command.add_option("--seconds", options.seconds, "time for each measurement")
        ->check(CLI::Range(0.001, 600.0))
        ->capture_default_str();
    command.add_flag("--save", save,
                     "measure from how many pairs on a GPU pays here, and let auto go by it");
  }

  void run(Io& io) {
    options.backend = resolve_backend(find_backend(backend), max_pairs).backend;
    const unsigned threads = std::thread::hardware_concurrency();
    const bool on_cpu = options.backend != Backend::reference;
    const std::string isa = on_cpu ? fmt::format(", {}", cpu::chosen_kernels().name) : "";
    io.out << fmt::format("pairs/s; back end {}{}, {} CPUs, {}\n", name(options.backend), isa,
                          threads, cpu_model())
           << std::flush;
    if (options.backend == Backend::cuda) io.out << device_text() << std::flush;
    io.out << rates_text(run_bench(options), threads);
    if (save) save_measured(io);
  }

  void save_measured(Io& io) const {
    resolve_backend(Backend::cuda, 0);  // throws if there is no device
    const std::size_t pairs = benchmark::measure_break_even();
    io.out << fmt::format("a GPU pays from {} pairs on; kept in {}\n", pairs,
                          save_break_even(pairs));
  }

  benchmark::BenchOptions options;
  std::string backend = "cpu";
  bool save = false;
};

}  // namespace

void add_bench(CLI::App& app, Io& io) {
  CLI::App* command =
      app.add_subcommand("bench", "Time this machine's back ends: pairs/s by shape");
  auto options = std::make_shared<BenchCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
