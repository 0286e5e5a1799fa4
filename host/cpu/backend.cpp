#include "host/cpu/backend.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "host/cpu/isa.hpp"
#include "host/cpu/tables.hpp"
#include "host/reference/reference.hpp"

namespace warpath::cpu {
namespace {

using kernels::Flag;

constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

kernels::Rules rules_of(const Convention& c, bool given_success) {
  return {static_cast<float>(c.threshold), static_cast<float>(c.spl_guard), c.success, c.oracle,
          c.spl_length, c.spl_zero, c.cls_zero, c.ndtw_norm, c.dtw_norm, c.edit_unit, c.edit_norm,
          given_success};
}

// The parts of the sweep that the metrics take.
unsigned want_of(const MetricSet& metrics, bool given_success) {
  using enum Metric;
  using namespace kernels;
  unsigned want = 0;
  auto need = [&](std::initializer_list<Metric> of, unsigned parts) {
    for (const Metric m : of) {
      if (metrics[static_cast<int>(m)]) want |= parts;
    }
  };
  need({DTW, nDTW}, want_dtw);
  need({SDTW}, given_success ? want_dtw : want_dtw | want_goal);
  need({PC, EPL}, want_coverage);
  need({LS, CLS}, want_coverage | want_length);
  need({AD, MD}, want_deviation);
  need({NE, ONE, SR, OSR, SP, GP}, want_goal);
  need({PL}, want_length);
  need({SPL}, want_length | want_goal);
  need({ED}, want_edits);
  need({SED}, want_edits | want_goal);
  return want;
}

// What all pairs with one reference share.
struct ReferenceTerms {
  float length, start_to_goal;
};

// One window's results before they go to their rows; one per thread.
struct Window {
  Workspace workspace;
  std::vector<std::uint32_t> order, count;
  std::vector<Task> tasks;
  std::vector<float> values;
  std::vector<std::uint32_t> flags;
};

class Scorer {
 public:
  Scorer(const PairBatch& batch, const Convention& convention, const Options& options)
      : batch_(batch),
        convention_(convention),
        options_(options),
        tables_(batch.scans, convention),
        isa_(chosen_isa()),
        scores_(batch.pairs.size()) {
    const bool given_success = !batch.task_success.empty();
    job_ = {tables_.distance(), tables_.step(), rules_of(convention, given_success),
            want_of(options.metrics, given_success)};
    for (int m = 0; m < metric_count; ++m) {
      // Numbers of viewpoints need no kernel.
      if (options.metrics[m] && m < static_cast<int>(Metric::PLR)) columns_.push_back(m);
    }
    make_reference_terms();
  }

  Scores run() {
    std::vector<std::uint32_t> too_large;
    for (std::uint32_t row = 0; row < batch_.pairs.size(); ++row) {
      (tables_.has(batch_.pairs[row].scan) ? rows_ : too_large).push_back(row);
    }
    score_windows();
    if (!too_large.empty()) score_by_reference(too_large);
    return std::move(scores_);
  }

 private:
  void score_windows() {
    const std::size_t pairs = rows_.size();
    const std::size_t windows = (pairs + options_.window - 1) / options_.window;
    tbb::enumerable_thread_specific<Window> locals;
    tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
    arena.execute([&] {
      tbb::parallel_for(std::size_t{0}, windows, [&](std::size_t w) {
        score_window(w * options_.window, std::min((w + 1) * options_.window, pairs),
                     locals.local());
      });
    });
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

  void make_reference_terms() {
    reference_terms_.assign(batch_.references.size(), {no_value, no_value});
    std::vector<bool> made(batch_.references.size(), false);
    for (const Pair& pair : batch_.pairs) {
      if (made[pair.reference] || !tables_.has(pair.scan)) continue;
      made[pair.reference] = true;
      const auto path = batch_.references[pair.reference];
      reference_terms_[pair.reference] = {
          tables_.path_length(pair.scan, path),
          tables_.distance(pair.scan, path.front(), path.back())};
    }
  }

  Task task_of(std::size_t row) const {
    const Pair& pair = batch_.pairs[row];
    const auto reference = batch_.references[pair.reference];
    const auto query = batch_.queries[pair.query];
    const ReferenceTerms& terms = reference_terms_[pair.reference];
    return {reference.data(), query.data(), static_cast<std::int32_t>(reference.size()),
            static_cast<std::int32_t>(query.size()), tables_[pair.scan], terms.length,
            terms.start_to_goal,
            batch_.task_success.empty() ? no_value : static_cast<float>(batch_.task_success[row])};
  }

  // Sorted by (|R|, |Q|), so that pairs side by side are of like size: a counting sort of each
  // length, long ones together in the last bin.
  void sort_by_length(std::size_t begin, std::size_t end, Window& w) const {
    constexpr std::size_t bins = 256;
    const std::size_t pairs = end - begin;
    std::vector<Task> unsorted;  // not kept: cheap beside the scoring
    unsorted.reserve(pairs);
    w.order.resize(pairs);
    for (std::size_t k = begin; k < end; ++k) unsorted.push_back(task_of(rows_[k]));
    std::vector<std::uint32_t> by_query(pairs);
    auto pass = [&](const std::uint32_t* from, std::uint32_t* to, auto length) {
      w.count.assign(bins + 1, 0);
      for (std::size_t k = 0; k < pairs; ++k) ++w.count[1 + length(unsorted[from[k]])];
      std::partial_sum(w.count.begin(), w.count.end(), w.count.begin());
      for (std::size_t k = 0; k < pairs; ++k) to[w.count[length(unsorted[from[k]])]++] = from[k];
    };
    std::vector<std::uint32_t> as_given(pairs);
    std::iota(as_given.begin(), as_given.end(), 0u);
    const auto bin = [](std::int32_t n) {
      return static_cast<std::size_t>(std::min<std::int32_t>(n, bins - 1));
    };
    pass(as_given.data(), by_query.data(), [&](const Task& t) { return bin(t.m); });
    pass(by_query.data(), w.order.data(), [&](const Task& t) { return bin(t.n); });
    w.tasks.clear();
    for (const std::uint32_t k : w.order) w.tasks.push_back(unsorted[k]);
  }

  void score_window(std::size_t begin, std::size_t end, Window& w) {
    sort_by_length(begin, end, w);
    const std::size_t pairs = end - begin, stride = pairs + slack;
    w.values.resize(stride * columns_.size());
    w.flags.assign(stride, 0);
    Outputs out{};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      out.column[columns_[c]] = w.values.data() + c * stride;
    }
    out.flags = w.flags.data();
    for (std::size_t p = 0; p < pairs; p += isa_.lanes) {
      const int count = static_cast<int>(std::min<std::size_t>(isa_.lanes, pairs - p));
      score_side_by_side(w.tasks.data() + p, count, w, out, p);
    }
    for (std::size_t k = 0; k < pairs; ++k) write_row(rows_[begin + w.order[k]], k, stride, w);
  }

  // A group takes as long as its longest pair: where that leaves most lanes idle, each pair has all
  // lanes to itself.
  void score_side_by_side(const Task* tasks, int count, Window& w, const Outputs& out,
                          std::size_t p) {
    std::int64_t longest = 0, columns = 0, cells = 0;
    for (int l = 0; l < count; ++l) {
      longest = std::max<std::int64_t>(longest, tasks[l].n);
      columns = std::max<std::int64_t>(columns, tasks[l].m);
      cells += static_cast<std::int64_t>(tasks[l].n) * tasks[l].m;
    }
    const bool is_long = longest > 64 && columns > 64;
    if (!is_long || 2 * cells > longest * columns * isa_.lanes) {
      isa_.score_group(job_, tasks, count, w.workspace, out, p);
      return;
    }
    for (int l = 0; l < count; ++l) isa_.score_long(job_, tasks[l], w.workspace, out, p + l);
  }

  void write_row(std::size_t row, std::size_t k, std::size_t stride, const Window& w) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      scores_.column[columns_[c]][row] = w.values[c * stride + k];
    }
    const std::uint32_t flags = w.flags[k];
    scores_.zero_rules[row] = static_cast<std::uint8_t>(flags & 7);
    scores_.status[row] = status_of(flags);
    write_counts(row, w.tasks[k], scores_.status[row] == Status::unreachable);
  }

  static Status status_of(std::uint32_t flags) {
    using namespace kernels;
    if (flags < flag_unreachable) return Status::ok;
    if (flags & flag_unreachable) return Status::unreachable;
    if (flags & flag_length_undefined) return Status::length_undefined;
    if (flags & flag_spl_undefined) return Status::spl_undefined;
    if (flags & flag_cls_undefined) return Status::cls_undefined;
    if (flags & flag_dtw_undefined) return Status::dtw_undefined;
    return Status::no_task_success;
  }

  void write_counts(std::size_t row, const Task& task, bool unreachable) {
    using enum Metric;
    auto set = [&](Metric m, double value) {
      if (options_.metrics[static_cast<int>(m)]) scores_.at(m, row) = value;
    };
    set(n_query_raw, batch_.n_query_raw[row]);
    if (unreachable) return;
    set(PLR, task.reference_length < 1e-30f ? 0.0f : task.reference_length);
    set(steps, task.m - 1);
    set(n_query, task.m);
    set(n_ref, task.n);
  }

  const PairBatch& batch_;
  const Convention& convention_;
  const Options& options_;
  Tables tables_;
  const Isa& isa_;
  Job job_;
  std::vector<int> columns_;  // the metrics that kernels write
  std::vector<ReferenceTerms> reference_terms_;
  std::vector<std::uint32_t> rows_;  // those whose scan has a table
  Scores scores_;
};

}  // namespace

Scores score(const PairBatch& batch, const Convention& convention, const Options& options) {
  return Scorer(batch, convention, options).run();
}

}  // namespace warpath::cpu
