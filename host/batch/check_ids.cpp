#include "host/batch/check_ids.hpp"

#include "host/batch/check_views.hpp"

namespace warpath::batch {

using namespace kernels;

bool are_below(const Integers& integers, std::size_t n, std::uint32_t limit) {
  return with_type(integers, [&]<class T>(const T* x) {
    Word<T> any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= outside(x[i], limit);
    return !is_outside(any);
  });
}

bool are_all(const Integers& integers, std::size_t n, std::uint32_t value) {
  return with_type(integers, [&]<class T>(const T* x) {
    Word<T> any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= Word<T>{x[i]} ^ value;
    return any == 0;
  });
}

void check_pairs(const CheckView& view, std::string_view kind) {
  const PairsView& pairs = view.pairs;
  CheckView without_nodes = view;
  without_nodes.pairs.queries.nodes = {nullptr, 4};
  for (std::uint32_t i = 0; i < pairs.count; ++i) {
    if (!pairs.is_active(i)) continue;
    report(problem_of(without_nodes, i), kind);
    const PathsView& queries = pairs.queries;
    if (!queries.nodes.exist()) continue;
    const auto viewpoints =
        static_cast<std::uint32_t>(pairs.scans[pairs.scan_of[pairs.reference(i)]].pad);
    if (are_below(queries.path(i), queries.length(i), viewpoints)) continue;
    report(problem_of(view, i), kind);
  }
}

}  // namespace warpath::batch
