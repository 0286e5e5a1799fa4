#include "host/cpu/backend.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "host/cpu/isa.hpp"
#include "host/cpu/tables.hpp"
#include "host/cpu/window.hpp"
#include "host/reference/reference.hpp"

namespace warpath::cpu {
namespace {

constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

kernels::Rules rules_of(const Convention& c, bool given_success, unsigned want) {
  return {static_cast<float>(c.threshold), static_cast<float>(c.spl_guard), c.success, c.oracle,
          c.spl_length, c.spl_zero, c.cls_zero, c.ndtw_norm, c.dtw_norm, c.edit_unit, c.edit_norm,
          given_success, c.cls_step == ClsStep::edge, want};
}

float edge_length(const Distances& distances, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
  return static_cast<float>(length);
}

bool any(const MetricSet& metrics, std::initializer_list<Metric> of) {
  return std::ranges::any_of(of, [&](Metric m) { return metrics[static_cast<int>(m)]; });
}

// The parts of the sweep that the metrics take.
unsigned want_of(const MetricSet& metrics, bool given_success) {
  using enum Metric;
  using namespace kernels;
  unsigned want = 0;
  if (any(metrics, {DTW, nDTW, SDTW})) want |= want_dtw;
  if (any(metrics, {PC, EPL, LS, CLS})) want |= want_coverage;
  if (any(metrics, {AD, MD})) want |= want_deviation;
  if (any(metrics, {NE, ONE, SR, OSR, SP, GP, SPL, SED})) want |= want_goal;
  if (metrics[static_cast<int>(SDTW)] && !given_success) want |= want_goal;
  if (any(metrics, {PL, LS, CLS, SPL})) want |= want_length;
  if (any(metrics, {ED, SED})) want |= want_edits;
  return want;
}

// The flags that the metrics may raise; kernels that make more raise others too.
std::uint32_t flags_of(const MetricSet& metrics) {
  using enum Metric;
  using namespace kernels;
  std::uint32_t flags = flag_unreachable;
  if (any(metrics, {SPL})) flags |= flag_zero_spl | flag_spl_undefined;
  if (any(metrics, {LS, CLS})) flags |= flag_zero_ls | flag_cls_undefined | flag_length_undefined;
  if (any(metrics, {SED})) flags |= flag_zero_sed;
  if (any(metrics, {DTW})) flags |= flag_dtw_undefined;
  if (any(metrics, {SDTW})) flags |= flag_no_task_success;
  return flags;
}

Status status_of(std::uint32_t flags) {
  using namespace kernels;
  if (flags < flag_unreachable) return Status::ok;
  if (flags & flag_unreachable) return Status::unreachable;
  if (flags & flag_length_undefined) return Status::length_undefined;
  if (flags & flag_spl_undefined) return Status::spl_undefined;
  if (flags & flag_cls_undefined) return Status::cls_undefined;
  if (flags & flag_dtw_undefined) return Status::dtw_undefined;
  return Status::no_task_success;
}

class Scorer {
 public:
  Scorer(const PairBatch& batch, const Convention& convention, const Options& options,
         Scores& scores)
      : batch_(batch),
        convention_(convention),
        options_(options),
        tables_(batch.scans, convention),
        isa_(chosen_isa()),
        scores_(scores) {
    const bool given_success = !batch.task_success.empty();
    const unsigned want = want_of(options.metrics, given_success);
    job_ = {tables_.distance(), rules_of(convention, given_success, want), want};
    asked_flags_ = flags_of(options.metrics);
    for (int m = 0; m < static_cast<int>(Metric::PLR); ++m) {
      if (options.metrics[m]) columns_.push_back(m);
    }
  }

  void run() {
    scores_.resize(batch_.pairs.size(), options_.metrics);
    make_reference_terms();
    if (job_.rules.given_lengths && any(options_.metrics, {Metric::EPL, Metric::LS, Metric::CLS})) {
      make_cls_lengths();
    }
    std::vector<std::uint32_t> too_large;
    choose_rows(too_large);
    score_windows();
    if (!too_large.empty()) score_by_reference(too_large);
    write_counts();
  }

 private:
  bool is_wanted(Metric m) const { return options_.metrics[static_cast<int>(m)]; }

  void make_reference_terms() {
    using enum Metric;
    const std::size_t count = batch_.references.size();
    terms_.assign(count, {no_value, no_value, no_value});
    const bool by_reference = convention_.ndtw_norm == NdtwNorm::reference_length ||
                              convention_.dtw_norm == DtwNorm::reference_length;
    const bool length = any(options_.metrics, {PLR, EPL, LS, CLS, SPL}) ||
                        (by_reference && any(options_.metrics, {DTW, nDTW, SDTW}));
    uses_.assign(count, 0);
    for (const Pair& pair : batch_.pairs) {
      if (uses_[pair.reference]++ > 0 || !tables_.has(pair.scan)) continue;
      const auto path = batch_.references[pair.reference];
      terms_[pair.reference].length = length ? tables_.path_length(pair.scan, path) : no_value;
      terms_[pair.reference].start_to_goal =
          tables_.distance(pair.scan, path.front(), path.back());
    }
  }

  // Lengths by edge, where the convention has them inside CLS.
  void make_cls_lengths() {
    std::vector<Distances> scans;
    for (const Scan* scan : batch_.scans) scans.emplace_back(*scan, convention_.distance);
    cls_query_lengths_.assign(batch_.queries.size(), no_value);
    for (const Pair& pair : batch_.pairs) {
      const Distances& edges = scans[pair.scan];
      cls_query_lengths_[pair.query] = edge_length(edges, batch_.queries[pair.query]);
      terms_[pair.reference].cls_length = edge_length(edges, batch_.references[pair.reference]);
    }
  }

  // A reference's own table costs a look-up for each of its cells; it pays once its queries have
  // more cells than that by half.
  bool is_shared(const Pair& pair) const {
    const std::size_t n = batch_.references.length(pair.reference);
    return isa_.score_shared != nullptr && n <= shared_pitch &&
           2 * uses_[pair.reference] * batch_.queries.length(pair.query) >
               3 * static_cast<std::size_t>(tables_[pair.scan].pad) &&
           uses_[pair.reference] >= static_cast<std::size_t>(isa_.lanes);
  }

  // Pairs of shared references, reference after reference; then all others in the order given.
  void choose_rows(std::vector<std::uint32_t>& too_large) {
    std::vector<std::uint32_t> single;
    for (std::uint32_t row = 0; row < batch_.pairs.size(); ++row) {
      const Pair& pair = batch_.pairs[row];
      if (!tables_.has(pair.scan)) too_large.push_back(row);
      else (is_shared(pair) ? rows_ : single).push_back(row);
    }
    std::ranges::stable_sort(rows_, {}, [&](std::uint32_t row) { return batch_.pairs[row].reference; });
    for (std::size_t k = 0; k < rows_.size();) {
      const std::size_t begin = k;
      const std::uint32_t reference = batch_.pairs[rows_[k]].reference;
      while (k < rows_.size() && batch_.pairs[rows_[k]].reference == reference &&
             k - begin < options_.window) {
        ++k;
      }
      pieces_.push_back({begin, k, true});
    }
    const std::size_t first = rows_.size();
    rows_.insert(rows_.end(), single.begin(), single.end());
    for (std::size_t k = first; k < rows_.size(); k += options_.window) {
      pieces_.push_back({k, std::min(k + options_.window, rows_.size()), false});
    }
  }

  void score_windows() {
    tbb::enumerable_thread_specific<Window> windows;
    tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
    arena.execute([&] {
      tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t k) {
        score_piece(pieces_[k], windows.local());
      });
    });
  }

  struct Piece {
    std::size_t begin, end;  // of rows_
    bool shared;             // all of one reference
  };

  void score_piece(const Piece& piece, Window& window) {
    window.fill({rows_.data() + piece.begin, piece.end - piece.begin}, batch_, tables_, terms_,
                cls_query_lengths_);
    const Outputs& out = window.outputs(columns_);
    if (piece.shared) fill_shared_table(batch_.pairs[rows_[piece.begin]], window.shared_table);
    for (std::size_t p = 0; p < window.size(); p += isa_.lanes) {
      if (piece.shared) {
        isa_.score_shared(job_, window.tasks(), p, window.shared_table.data(), window.workspace, out);
      } else {
        score_side_by_side(window, p, out);
      }
    }
    write(window, out);
  }

  void fill_shared_table(const Pair& pair, std::vector<float>& table) const {
    const auto reference = batch_.references[pair.reference];
    const ScanTable& scan = tables_[pair.scan];
    const std::size_t front = shared_shape(static_cast<int>(reference.size())) - reference.size();
    table.assign(static_cast<std::size_t>(scan.pad) * shared_pitch,
                 std::numeric_limits<float>::infinity());
    for (std::int32_t v = 0; v < scan.pad; ++v) {
      const float* row = tables_.distance() + scan.base + static_cast<std::size_t>(v) * scan.pitch;
      float* out = table.data() + static_cast<std::size_t>(v) * shared_pitch + front;
      for (std::size_t i = 0; i < reference.size(); ++i) out[i] = row[reference[i]];
    }
  }

  // A group takes as long as its longest pair: where that leaves most lanes idle, each pair has all
  // lanes to itself.
  void score_side_by_side(Window& window, std::size_t p, const Outputs& out) {
    const Tasks& tasks = window.tasks();
    const std::size_t count = std::min<std::size_t>(isa_.lanes, window.size() - p);
    std::int64_t longest = 0, columns = 0, cells = 0;
    for (std::size_t l = p; l < p + count; ++l) {
      longest = std::max<std::int64_t>(longest, tasks.n[l]);
      columns = std::max<std::int64_t>(columns, tasks.m[l]);
      cells += static_cast<std::int64_t>(tasks.n[l]) * tasks.m[l];
    }
    const bool is_long = longest > 64 && columns > 64;
    if (!is_long || 2 * cells > longest * columns * isa_.lanes) {
      isa_.score_group(job_, tasks, p, window.workspace, out);
      return;
    }
    for (std::size_t l = p; l < p + count; ++l) {
      isa_.score_long(job_, tasks, l, window.workspace, out);
    }
  }

  void write(const Window& window, const Outputs& out) {
    for (const int m : columns_) {
      double* column = scores_.column[m].data();
      for (std::size_t p = 0; p < window.size(); ++p) column[window.row(p)] = out.column[m][p];
    }
    for (std::size_t p = 0; p < window.size(); ++p) {
      const std::uint32_t flags = out.flags[p] & asked_flags_;
      scores_.status[window.row(p)] = status_of(flags);
      scores_.zero_rules[window.row(p)] = static_cast<std::uint8_t>(flags & 7);
    }
  }

  // What needs no kernel: numbers of viewpoints, and PL(R).
  void write_counts() {
    using enum Metric;
    const MetricSet& metrics = options_.metrics;
    if (!any(metrics, {PLR, steps, n_query, n_query_raw, n_ref})) return;
    auto set = [&](Metric m, std::size_t row, double value, bool has_value) {
      if (is_wanted(m)) {
        scores_.at(m, row) = has_value ? value : std::numeric_limits<double>::quiet_NaN();
      }
    };
    for (const std::uint32_t row : rows_) {
      const Pair& pair = batch_.pairs[row];
      const bool reachable = scores_.status[row] != Status::unreachable;
      const auto m = static_cast<double>(batch_.queries.length(pair.query));
      const float length = terms_[pair.reference].length;
      set(PLR, row, length < 1e-30f ? 0.0f : length, reachable);
      set(steps, row, m - 1, reachable);
      set(n_query, row, m, reachable);
      set(n_query_raw, row, batch_.n_query_raw[row], reachable);
      set(n_ref, row, static_cast<double>(batch_.references.length(pair.reference)), reachable);
    }
  }

  // Pairs on scans that are too large for a table.
  void score_by_reference(const std::vector<std::uint32_t>& rows) {
    PairBatch part{batch_.scans, batch_.references, batch_.queries, {}, {}, {}};
    for (const std::uint32_t row : rows) {
      part.pairs.push_back(batch_.pairs[row]);
      part.n_query_raw.push_back(batch_.n_query_raw[row]);
      if (!batch_.task_success.empty()) part.task_success.push_back(batch_.task_success[row]);
    }
    const Scores scored = reference::score(part, convention_);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (int m = 0; m < metric_count; ++m) {
        if (options_.metrics[m]) scores_.column[m][rows[k]] = scored.column[m][k];
      }
      scores_.status[rows[k]] = scored.status[k];
      scores_.zero_rules[rows[k]] = scored.zero_rules[k];
    }
  }

  const PairBatch& batch_;
  const Convention& convention_;
  const Options& options_;
  Tables tables_;
  const Isa& isa_;
  Job job_;
  Scores& scores_;
  std::uint32_t asked_flags_;
  std::vector<int> columns_;  // the metrics that kernels write
  std::vector<ReferenceTerms> terms_;
  std::vector<float> cls_query_lengths_;  // by query; empty where CLS takes PL
  std::vector<std::size_t> uses_;    // pairs of each reference
  std::vector<std::uint32_t> rows_;  // those whose scan has a table, in the order of pieces
  std::vector<Piece> pieces_;
};

}  // namespace

void score(const PairBatch& batch, const Convention& convention, const Options& options,
           Scores& scores) {
  Scorer(batch, convention, options, scores).run();
}

Scores score(const PairBatch& batch, const Convention& convention, const Options& options) {
  Scores scores;
  score(batch, convention, options, scores);
  return scores;
}

}  // namespace warpath::cpu
