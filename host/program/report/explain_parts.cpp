#include "host/program/report/explain_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "host/core/base/clean_text.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/io/wrap.hpp"

namespace warpath::report::explanation {

std::string title_of(const ItemRow& row, const std::string& file, std::string_view how,
                     Status status) {
  return base::clean_text(fmt::format("{}: item {}{}{}, status {}", file, row.instr_id,
                                      row.scan.empty() ? "" : " of scan " + row.scan, how,
                                      info(status).name)) +
         "\n\n";
}

std::string instruction_of(const formats::Dataset& dataset, std::string_view instr_id,
                           int max_width) {
  const auto item = std::ranges::find(dataset.items, instr_id, &formats::Item::id);
  if (item == dataset.items.end() || dataset.instructions.empty()) return "";
  const std::string& text =
      dataset.instructions[static_cast<std::size_t>(item - dataset.items.begin())];
  if (text.empty()) return "";
  std::string language = item->language.empty() ? "" : fmt::format(" ({})", item->language);
  std::string out;
  std::string first = fmt::format("instruction of {}{}: ", item->id, language);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    out +=
        io::wrap(base::clean_text(first + std::string(rest.substr(0, end))), max_width, "", "  ");
    first = "  ";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out + '\n';
}

void add_instructions(const formats::Dataset& dataset, std::vector<report::ExplainedItem>& items) {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t k = 0; k < dataset.items.size(); ++k) positions[dataset.items[k].id] = k;
  for (report::ExplainedItem& item : items) {
    const auto found = positions.find(item.instr_id);
    if (found == positions.end()) continue;
    item.language = dataset.items[found->second].language;
    if (!dataset.instructions.empty()) item.instruction = dataset.instructions[found->second];
  }
}

std::string without_scores(std::string_view lack, Status status, int max_width) {
  return io::wrap(fmt::format("{}: items with this status {}; {}", lack, info(status).problem,
                              info(status).remedy),
                  max_width, "", "  ");
}

void keep_warping(const Eigen::MatrixXd& distances, report::ExplainedItem& item) {
  for (Eigen::Index i = 0; i < distances.rows(); ++i) {
    for (Eigen::Index j = 0; j < distances.cols(); ++j) item.distances.push_back(distances(i, j));
  }
  for (const auto& [i, j] : reference::optimal_warping(distances).steps) {
    item.warping.emplace_back(i, j);
  }
}

std::string describe_builds(const std::function<double(FastDtw)>& fast_cost, double exact,
                            unsigned radius) {
  const double pure = fast_cost(FastDtw::pure), compiled = fast_cost(FastDtw::compiled);
  if (pure == compiled) return "";
  return fmt::format("FastDTW of radius {}: {} by the pure build, {} by the compiled; exact {}\n\n",
                     radius, pure, compiled, exact);
}

std::string_view directions_of(const Scan& scan) {
  if (scan.lattice() != nullptr) {
    return "distances are of fast marching: d(a, b) is marched from b to a, and may differ from "
           "d(b, a)\n\n";
  }
  if (!scan.is_directed()) return {};
  return "the graph is directed: d(a, b) is the way from a to b, d(q, r) from the query to the "
         "reference\n\n";
}

Table turns_of(const Scan& scan, std::span<const Node> way) {
  const auto step = [&](std::size_t k) {
    const auto &from = scan.positions()[way[k - 1]], &to = scan.positions()[way[k]];
    return std::array{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  };
  const auto turns_at = [&](std::size_t k) {
    constexpr double rounding = 1e-6;
    const auto before = step(k), after = step(k + 1);
    return std::abs(before[0] - after[0]) > rounding || std::abs(before[1] - after[1]) > rounding ||
           std::abs(before[2] - after[2]) > rounding;
  };
  Table table{{"way to the goal", "viewpoint", "x", "y", "z", "so far"}, {}, "rlrrrr"};
  double metres = 0.0;
  for (std::size_t k = 0; k < way.size(); ++k) {
    if (k > 0) metres += std::hypot(step(k)[0], step(k)[1], step(k)[2]);
    const bool is_end = k == 0 || k + 1 == way.size();
    if (!is_end && !turns_at(k)) continue;
    const auto& p = scan.positions()[way[k]];
    table.rows.push_back({fmt::format("{}", k + 1), scan.viewpoint(way[k]), number(p[0]),
                          number(p[1]), number(p[2]), number(metres)});
  }
  return table;
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace warpath::report::explanation
