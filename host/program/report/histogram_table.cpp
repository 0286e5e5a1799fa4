#include "host/program/report/histogram_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpath::report {
namespace {

constexpr double max_bar = 20.0;  // characters

// Counts the values of wider bins; the last count is of the values above all bins.
std::vector<std::uint64_t> counts_of(const Histogram& histogram, int width) {
  const int bins = (histogram.bins() + width - 1) / width;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins) + 1, 0);
  for (int b = 0; b < histogram.bins(); ++b) {
    counts[static_cast<std::size_t>(b / width)] += histogram.count(b);
  }
  counts.back() = histogram.overflow();
  return counts;
}

std::string label_of(std::size_t bin, std::size_t bins, int width) {
  const auto begin = static_cast<int>(bin) * width;
  if (bin == bins) return fmt::format("{} or more", begin);
  return width == 1 ? fmt::format("{}", begin) : fmt::format("{} to {}", begin, begin + width);
}

}  // namespace

Table histogram_table(const std::string& quantity, std::span<const NamedHistogram> histograms,
                      int width) {
  Table table{{quantity}, {}, "r"};
  std::vector<std::vector<std::uint64_t>> counts;
  std::size_t first = ~std::size_t{0}, last = 0;
  double max_share = 0.0;
  const auto share = [&](std::size_t h, std::size_t bin) {
    const auto n = static_cast<double>(std::max<std::uint64_t>(histograms[h].histogram->n(), 1));
    return static_cast<double>(counts[h][bin]) / n;
  };
  for (std::size_t h = 0; h < histograms.size(); ++h) {
    table.header.insert(table.header.end(), {histograms[h].name, ""});
    table.align += "rl";
    counts.push_back(counts_of(*histograms[h].histogram, width));
    for (std::size_t bin = 0; bin < counts[h].size(); ++bin) {
      if (counts[h][bin] == 0) continue;
      first = std::min(first, bin);
      last = std::max(last, bin);
      max_share = std::max(max_share, share(h, bin));
    }
  }
  for (std::size_t bin = first; bin <= last; ++bin) {
    std::vector<std::string> row{label_of(bin, counts.front().size() - 1, width)};
    for (std::size_t h = 0; h < histograms.size(); ++h) {
      const auto bar = std::llround(max_bar * share(h, bin) / max_share);
      row.push_back(fmt::format("{}", counts[h][bin]));
      row.emplace_back(static_cast<std::size_t>(bar), '=');
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpath::report
