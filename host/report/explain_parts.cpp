#include "host/report/explain_parts.hpp"

#include <fmt/format.h>

#include "host/io/clean_text.hpp"
#include "host/io/wrap.hpp"
#include "host/reference/reference.hpp"

namespace warpath::explanation {

std::string title_of(const ItemRow& row, const std::string& file, std::string_view how,
                     Status status) {
  return clean_text(fmt::format("{}: item {}{}{}, status {}", file, row.instr_id,
                                row.scan.empty() ? "" : " of scan " + row.scan, how,
                                info(status).name)) +
         "\n\n";
}

std::string without_scores(std::string_view lack, Status status, int max_width) {
  return wrap(fmt::format("{}: items with this status {}; {}", lack, info(status).problem,
                          info(status).remedy),
              max_width, "", "  ");
}

void keep_warping(const Eigen::MatrixXd& distances, ExplainedItem& item) {
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

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace warpath::explanation
