#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "host/program/report/csv_writer.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {
namespace {

std::string rows_of(const EvalReport& report, const AgentResult& run, const CsvOptions& options,
                    std::size_t begin, std::size_t end) {
  constexpr std::size_t bytes_of_texts = 64, bytes_of_number = 14;
  const std::size_t columns = report.metrics.size() + run.own.size();
  CsvWriter csv(options, (end - begin) * (bytes_of_texts + bytes_of_number * columns));
  const bool is_double = is_double_precision(report);
  RecentNumbers recent;
  for (std::size_t r = begin; r < end; ++r) {
    const ItemRow& row = run.rows[r];
    for (const std::string* text : {&run.name, &row.instr_id, &row.scan}) csv.text(*text);
    csv.word(info(row.status).name);
    if (!row.pair) {
      csv.missing(columns);
    } else {
      for (const Metric m : report.metrics)
        csv.number(run.scores.at(m, *row.pair), is_double, recent);
      for (const OwnColumn& own : run.own) csv.number(own.values[r], true);
    }
    csv.end_row();
  }
  return csv.take();
}

// Makes the rows of the next parts while the last ones are written.
class CsvParts {
 public:
  CsvParts(const EvalReport& report, const CsvOptions& options)
      : report_(report), options_(options) {
    std::string header(csv_report_beginning);
    for (const Metric m : report.metrics) header.append(",").append(info(m).name);
    for (const OwnMetric& own : report.own) header.append(",").append(own.name);
    parts_.push_back(header + '\n');
    begin_next();
  }
  CsvParts(const CsvParts&) = delete;
  CsvParts& operator=(const CsvParts&) = delete;
  // Whoever does not take all parts has met an error of his own.
  ~CsvParts() {
    try {
      making_.cancel();
      making_.wait();
    } catch (...) {
    }
  }

  bool next(std::string& part) {
    if (used_ == parts_.size()) {
      making_.wait();
      parts_ = std::exchange(next_parts_, {});
      used_ = 0;
      if (parts_.empty()) return false;
      begin_next();
    }
    part = std::move(parts_[used_++]);
    return true;
  }

 private:
  struct Rows {
    const AgentResult* run;
    std::size_t begin, end;
  };

  // Chooses the rows of up to `max_parts` parts.
  std::vector<Rows> choose() {
    constexpr std::size_t rows_of_part = 512, max_parts = 16;
    std::vector<Rows> chosen;
    while (chosen.size() < max_parts && run_ < report_.runs.size()) {
      const AgentResult& run = report_.runs[run_];
      const std::size_t end = std::min(row_ + rows_of_part, run.rows.size());
      chosen.push_back({&run, row_, end});
      row_ = end;
      if (row_ < run.rows.size()) continue;
      ++run_;
      row_ = 0;
    }
    return chosen;
  }

  void begin_next() {
    making_.run([this, chosen = choose()] {
      next_parts_.resize(chosen.size());
      tbb::parallel_for(std::size_t{0}, chosen.size(), [&](std::size_t k) {
        next_parts_[k] = rows_of(report_, *chosen[k].run, options_, chosen[k].begin, chosen[k].end);
      });
    });
  }

  const EvalReport& report_;
  const CsvOptions options_;
  std::size_t run_ = 0, row_ = 0;  // from which the next parts are made
  std::vector<std::string> parts_, next_parts_;
  std::size_t used_ = 0;  // of parts_
  tbb::task_group making_;
};

}  // namespace

io::OutputFiles::NextPart csv_parts(const EvalReport& report, const CsvOptions& options) {
  return [parts = std::make_shared<CsvParts>(report, options)](std::string& part) {
    return parts->next(part);
  };
}

std::string report_csv(const EvalReport& report, const CsvOptions& options) {
  std::string csv, part;
  for (const auto next = csv_parts(report, options); next(part);) csv += part;
  return csv;
}

}  // namespace warpath::report
