// Tests how R4R is laid out beside the figures of its paper.

#include "host/program/report/r4r_report.hpp"

#include <gtest/gtest.h>

namespace warpath::testing {
namespace {

// Makes a summary of paths of 10 m with three instructions each, but for some of the last path.
PathSummary summary_of(std::uint64_t samples) {
  PathSummary summary;
  summary.samples = samples;
  summary.paths = (samples + 2) / 3;
  summary.length.add(10.0);
  summary.lengths.add(10.0);
  summary.shortest.add(10.0);
  summary.shortests.add(10.0);
  summary.viewpoints.add(6.0);
  summary.shortest_viewpoints.add(6.0);
  return summary;
}

std::string report_of(std::uint64_t r2r_samples, const R4rOptions& options = {}) {
  R4r r4r;
  r4r.r2r = summary_of(r2r_samples);
  r4r.r4r = summary_of(45'234);
  return report::r4r_report(r4r, options, {1000, false});
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(R4rReport, SaysWhichFiguresOfValUnseenAreMisprintedOrUnknown) {
  const std::string report = report_of(2349);
  for (const char* part : {"R2R val_unseen    783     2349  10.00       10.00  6.00        6.00\n",
                           "  as printed              2249      —           —", "R4R val_unseen",
                           "  as printed             45162   20.2        10.1",
                           "the paper prints 2249 samples of R2R val_unseen, a misprint of 2349",
                           "45162 of R4R", "—: printed, but not known here"}) {
    expect_in(report, part);
  }
}

TEST(R4rReport, TellsSplitsByTheirInstructions) {
  expect_in(report_of(1021), "R2R val_seen");
  EXPECT_EQ(report_of(1021).find("misprint"), std::string::npos);
  EXPECT_EQ(report_of(2350).find("as printed"), std::string::npos);
}

TEST(R4rReport, ComparesPathsThatWereJoinedOtherwiseWithR2rAlone) {
  R4rOptions options;
  options.threshold_m = 2.0;
  const std::string report = report_of(2349, options);
  expect_in(report, "2249");
  EXPECT_EQ(report.find("as printed             45162"), std::string::npos) << report;
  expect_in(report, "no figure of R4R fits");
}

}  // namespace
}  // namespace warpath::testing
