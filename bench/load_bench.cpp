#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <ctime>
#include <filesystem>

#include "bench/generate.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

// Measures CPU time as the library does: waiting for a core is not a property of the code.
template <class Work>
double seconds(Work work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void count(State& state, std::size_t items, std::size_t bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

// @pre simdjson's padding follows the text, as read_input leaves it
void parse(simdjson::dom::parser& parser, const std::string& text) {
  DoNotOptimize(parser.parse(text.data(), text.size(), false).error());
}

void parse_once(const std::string& text) {
  simdjson::dom::parser parser;
  parse(parser, text);
}

// Parses with a new parser, as every reader of a single file does.
void simdjson_dom(State& state) {
  const std::string text = io::read_input(r4r_files().predictions);
  for (auto _ : state) parse_once(text);
  count(state, r4r_files().items, text.size());
}

// Parses with a reused parser, whose memory is allocated and warm.
void simdjson_dom_reused(State& state) {
  const std::string text = io::read_input(r4r_files().predictions);
  simdjson::dom::parser parser;
  for (auto _ : state) parse(parser, text);
  count(state, r4r_files().items, text.size());
}

// Times a reader and the parser alone in alternation, so that both see the same state of the
// machine. x_dom is the reader's time divided by the parser's.
template <class Read>
void against_parser(State& state, const std::string& plain_file, Read read) {
  const std::string text = io::read_input(plain_file);
  double reading = 0.0, parsing = 0.0;
  for (auto _ : state) {
    parsing += seconds([&] { parse_once(text); });
    const double time = seconds([&] {
      formats::StringTable viewpoints;
      DoNotOptimize(read(viewpoints));
    });
    state.SetIterationTime(time);
    reading += time;
  }
  state.counters["x_dom"] = reading / parsing;
  count(state, r4r_files().items, text.size());
}

void predictions(State& state) {
  const std::string& file = r4r_files().predictions;
  against_parser(state, file,
                 [&](formats::StringTable& v) { return formats::read_predictions(file, {}, v); });
}

void predictions_gz(State& state) {
  against_parser(state, r4r_files().predictions, [&](formats::StringTable& v) {
    return formats::read_predictions(r4r_files().predictions_gz, {}, v);
  });
}

void dataset(State& state) {
  const std::string& file = r4r_files().dataset;
  against_parser(state, file, [&](formats::StringTable& v) {
    return formats::read_dataset(file, {}, formats::ReferenceChoice::path, v);
  });
}

// A pairs file is not one JSON document, so there is no parser time to compare with.
void pairs(State& state) {
  const std::string& file = r4r_files().pairs;
  const std::size_t bytes = io::read_input(file).size();
  for (auto _ : state) {
    formats::StringTable viewpoints;
    DoNotOptimize(formats::read_pairs(file, viewpoints));
  }
  count(state, r4r_files().items, bytes);
}

// Reads a file only: its bytes, unpacked.
void bytes_of(State& state, const std::string& file) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = io::read_input(file);
    DoNotOptimize(text.data());
    bytes = text.size();
  }
  count(state, r4r_files().items, bytes);
}
void read_plain(State& state) {
  bytes_of(state, r4r_files().predictions);
}
void read_gz(State& state) {
  bytes_of(state, r4r_files().predictions_gz);
}

// Reads the graphs of all scans; items are viewpoints.
void graphs(State& state) {
  const std::string& folder = r4r_files().graphs;
  std::vector<std::string> scans;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    scans.push_back(name.substr(0, name.find("_connectivity.json")));
  }
  for (auto _ : state) {
    formats::Graphs all(folder);
    for (const std::string& scan : scans) DoNotOptimize(&all.scan(scan));
  }
  state.SetItemsProcessed(
      static_cast<std::int64_t>(state.iterations() * r4r.scans * r4r.viewpoints));
}

BENCHMARK(simdjson_dom)->Name("load/simdjson_dom")->Unit(benchmark::kMillisecond);
BENCHMARK(simdjson_dom_reused)->Name("load/simdjson_dom_reused")->Unit(benchmark::kMillisecond);
BENCHMARK(predictions)->Name("load/predictions")->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(read_plain)->Name("load/bytes")->Unit(benchmark::kMillisecond);
BENCHMARK(predictions_gz)
    ->Name("load/predictions_gz")
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK(read_gz)->Name("load/bytes_gz")->Unit(benchmark::kMillisecond);
BENCHMARK(dataset)->Name("load/dataset")->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(pairs)->Name("load/pairs")->Unit(benchmark::kMillisecond);
BENCHMARK(graphs)->Name("load/graphs")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpath::bench
