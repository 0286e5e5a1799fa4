#include "host/cpu/backend.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "host/cpu/isa.hpp"
#include "host/cpu/job.hpp"
#include "host/cpu/tables.hpp"
#include "host/cpu/window.hpp"
#include "host/reference/reference.hpp"

namespace warpath::cpu {
namespace {

constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

// Of the pairs that are packed together.
constexpr double window_cells = 4e6;

float edge_length(const Distances& distances, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
  return static_cast<float>(length);
}

class Scorer {
 public:
  Scorer(const PairBatch& batch, const Tables& tables, const Convention& convention,
         const Options& options, Scores& scores)
      : batch_(batch),
        convention_(convention),
        options_(options),
        tables_(tables),
        isa_(chosen_isa()),
        scores_(scores) {
    job_ = {tables_.distance(),
            make_rules(options.metrics, convention, !batch.task_success.empty())};
    asked_flags_ = flags_of(options.metrics);
    for (int m = 0; m <= static_cast<int>(Metric::PLR); ++m) {
      if (options.metrics[m]) columns_.push_back(m);
    }
  }

  void run() {
    scores_.resize(batch_.pairs.size(), options_.metrics);
    if (job_.rules.given_lengths && any(options_.metrics, {Metric::EPL, Metric::LS, Metric::CLS})) {
      make_cls_lengths();
    }
    choose_rows();
    score_pieces();
    if (!too_large_.empty()) score_by_reference();
  }

 private:
  // Lengths by edge, where the convention has them inside CLS.
  void make_cls_lengths() {
    std::vector<Distances> scans;
    for (const Scan* scan : batch_.scans) scans.emplace_back(*scan, convention_.distance);
    cls_lengths_.query.assign(batch_.queries.size(), no_value);
    cls_lengths_.reference.assign(batch_.references.size(), no_value);
    for (const Pair& pair : batch_.pairs) {
      const Distances& edges = scans[pair.scan];
      cls_lengths_.query[pair.query] = edge_length(edges, batch_.queries[pair.query]);
      cls_lengths_.reference[pair.reference] =
          edge_length(edges, batch_.references[pair.reference]);
    }
  }

  void choose_rows() {
    rows_.resize(batch_.pairs.size());
    std::iota(rows_.begin(), rows_.end(), 0u);
    if (!tables_.has_all()) {
      const auto large = std::ranges::stable_partition(
          rows_, [&](std::uint32_t row) { return tables_.has(batch_.pairs[row].scan); });
      too_large_.assign(large.begin(), large.end());
      rows_.erase(large.begin(), large.end());
    }
    const std::size_t shared = gather_shared();
    const std::size_t window = window_size();
    for (std::size_t k = shared; k < rows_.size(); k += window) {
      pieces_.push_back({k, std::min(k + window, rows_.size()), false});
    }
  }

  // Pairs in a window: fewer of long ones, so that all threads have work and memory is bounded.
  std::size_t window_size() const {
    if (rows_.empty()) return options_.window;
    const auto mean = [](const PathSet& paths) {
      return 1.0 + static_cast<double>(paths.nodes.size()) / static_cast<double>(paths.size());
    };
    const double cells = mean(batch_.references) * mean(batch_.queries);
    const auto pairs = static_cast<std::size_t>(window_cells / cells);
    return std::min(options_.window, std::max<std::size_t>(pairs, isa_.lanes));
  }

  // A reference's own table costs a look-up for each of its cells; it pays once its queries have
  // more cells than that by half.
  bool is_shared(const Pair& pair, std::uint32_t uses) const {
    const std::size_t n = batch_.references.length(pair.reference);
    return uses >= static_cast<std::uint32_t>(isa_.lanes) && n <= shared_pitch &&
           2 * uses * batch_.queries.length(pair.query) >
               3 * static_cast<std::size_t>(tables_[pair.scan].pad);
  }

  // Brings the pairs of shared references to the front, reference after reference, and makes pieces
  // of them. Returns their number.
  std::size_t gather_shared() {
    if (isa_.score_shared == nullptr) return 0;
    std::vector<std::uint32_t> end(batch_.references.size() + 1, 0);  // uses, then places in order
    for (const std::uint32_t row : rows_) ++end[batch_.pairs[row].reference + 1];
    if (std::ranges::max(end) < static_cast<std::uint32_t>(isa_.lanes)) return 0;
    const auto single = std::ranges::stable_partition(rows_, [&](std::uint32_t row) {
      const Pair& pair = batch_.pairs[row];
      return is_shared(pair, end[pair.reference + 1]);
    });
    const std::vector<std::uint32_t> shared(rows_.begin(), single.begin());
    std::ranges::fill(end, 0u);
    for (const std::uint32_t row : shared) ++end[batch_.pairs[row].reference + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    for (const std::uint32_t row : shared) rows_[end[batch_.pairs[row].reference]++] = row;
    std::size_t begin = 0;
    for (const std::uint32_t next : end) {
      for (; begin < std::min<std::size_t>(next, shared.size());) {
        const std::size_t stop = std::min<std::size_t>(next, begin + options_.window);
        pieces_.push_back({begin, stop, true});
        begin = stop;
      }
    }
    return shared.size();
  }

  void score_pieces() {
    tbb::enumerable_thread_specific<Window> windows;
    tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
    arena.execute([&] {
      tbb::parallel_for(std::size_t{0}, pieces_.size(),
                        [&](std::size_t k) { score_piece(pieces_[k], windows.local()); });
    });
  }

  struct Piece {
    std::size_t begin, end;  // of rows_
    bool shared;             // all of one reference
  };

  void score_piece(const Piece& piece, Window& window) {
    window.pack({rows_.data() + piece.begin, piece.end - piece.begin}, batch_, tables_,
                cls_lengths_, isa_, piece.shared);
    const Outputs& out = window.outputs(columns_);
    if (piece.shared) fill_shared_table(batch_.pairs[window.row(0)], window.shared_table);
    for (std::size_t g = 0; g < window.groups(); ++g) {
      if (piece.shared) {
        isa_.score_shared(job_, window.tasks(), g, window.shared_table.data(), window.workspace,
                          out);
      } else if (window.tasks().groups[g].shape == shape_alone) {
        score_alone(window, g, out);
      } else {
        isa_.score_group(job_, window.tasks(), g, window.workspace, out);
      }
    }
    write(window, out);
  }

  void fill_shared_table(const Pair& pair, std::vector<float>& table) const {
    const auto reference = batch_.references[pair.reference];
    const ScanTable& scan = tables_[pair.scan];
    const float* rows[shared_pitch];
    for (std::size_t i = 0; i < reference.size(); ++i) {
      rows[i] = tables_.distance() + scan.base + std::size_t{reference[i]} * scan.pitch;
    }
    table.resize(shared_entries(scan.pad));
    isa_.fill_shared(rows, static_cast<int>(reference.size()), scan.pad, table.data());
  }

  void score_alone(Window& window, std::size_t g, const Outputs& out) {
    const Tasks& tasks = window.tasks();
    const std::size_t begin = g * isa_.lanes;
    const bool length = job_.rules.want & kernels::want_reference;
    for (std::size_t p = begin; p < std::min(begin + isa_.lanes, window.pairs()); ++p) {
      const Pair& pair = batch_.pairs[window.row(p)];
      const auto reference = batch_.references[pair.reference];
      const LongTask task{reference.data(),
                          batch_.queries[pair.query].data(),
                          tasks.n[p],
                          tasks.m[p],
                          tables_[pair.scan],
                          length ? tables_.path_length(pair.scan, reference) : 0.0f,
                          tables_.distance(pair.scan, reference.front(), reference.back()),
                          tasks.task_success[p],
                          tasks.cls_query_length[p],
                          tasks.cls_reference_length[p]};
      isa_.score_long(job_, task, p, window.workspace, out);
    }
  }

  void write(const Window& window, const Outputs& out) {
    const std::size_t pairs = window.pairs();
    auto write_column = [&](auto* column, auto value) {
      if (window.in_order()) {
        auto* to = column + window.row(0);
        for (std::size_t p = 0; p < pairs; ++p) to[p] = value(p);
      } else {
        for (std::size_t p = 0; p < pairs; ++p) column[window.row(p)] = value(p);
      }
    };
    for (const int m : columns_) {
      const float* values = out.column[m];
      write_column(scores_.column[m].data(), [&](std::size_t p) { return double{values[p]}; });
    }
    for (std::size_t p = 0; p < pairs; ++p) out.flags[p] &= asked_flags_;
    write_column(scores_.status.data(), [&](std::size_t p) { return status_of(out.flags[p]); });
    write_column(scores_.zero_rules.data(),
                 [&](std::size_t p) { return static_cast<std::uint8_t>(out.flags[p] & 7); });
    write_counts(window, out.flags, write_column);
  }

  // Numbers of viewpoints need no kernel.
  void write_counts(const Window& window, const std::uint32_t* flags, auto write_column) {
    const Tasks& tasks = window.tasks();
    auto write_count = [&](Metric m, auto count) {
      if (!options_.metrics[static_cast<int>(m)]) return;
      write_column(scores_.column[static_cast<int>(m)].data(), [&](std::size_t p) {
        const bool has_value = (flags[p] & kernels::flag_unreachable) == 0;
        return has_value ? static_cast<double>(count(p)) : no_value;
      });
    };
    write_count(Metric::steps, [&](std::size_t p) { return tasks.m[p] - 1; });
    write_count(Metric::n_query, [&](std::size_t p) { return tasks.m[p]; });
    write_count(Metric::n_query_raw,
                [&](std::size_t p) { return batch_.n_query_raw[window.row(p)]; });
    write_count(Metric::n_ref, [&](std::size_t p) { return tasks.n[p]; });
  }

  // Pairs on scans that are too large for a table.
  void score_by_reference() {
    PairBatch part{batch_.scans, batch_.references, batch_.queries, {}, {}, {}};
    for (const std::uint32_t row : too_large_) {
      part.pairs.push_back(batch_.pairs[row]);
      part.n_query_raw.push_back(batch_.n_query_raw[row]);
      if (!batch_.task_success.empty()) part.task_success.push_back(batch_.task_success[row]);
    }
    const Scores scored = reference::score(part, convention_);
    for (std::size_t k = 0; k < too_large_.size(); ++k) {
      for (int m = 0; m < metric_count; ++m) {
        if (options_.metrics[m]) scores_.column[m][too_large_[k]] = scored.column[m][k];
      }
      scores_.status[too_large_[k]] = scored.status[k];
      scores_.zero_rules[too_large_[k]] = scored.zero_rules[k];
    }
  }

  const PairBatch& batch_;
  const Convention& convention_;
  const Options& options_;
  const Tables& tables_;
  const Isa& isa_;
  Job job_;
  Scores& scores_;
  std::uint32_t asked_flags_;
  std::vector<int> columns_;  // the metrics that kernels write
  ClsLengths cls_lengths_;
  std::vector<std::uint32_t> rows_;       // of pairs whose scan has a table, in the order of pieces
  std::vector<std::uint32_t> too_large_;  // of all others
  std::vector<Piece> pieces_;
};

}  // namespace

void score(const PairBatch& batch, const Tables& tables, const Convention& convention,
           const Options& options, Scores& scores) {
  Scorer(batch, tables, convention, options, scores).run();
}

Scores score(const PairBatch& batch, const Convention& convention, const Options& options) {
  Scores scores;
  score(batch, Tables(batch.scans, convention), convention, options, scores);
  return scores;
}

}  // namespace warpath::cpu
