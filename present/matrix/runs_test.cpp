// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/runs.hpp"

#include "present/draw/colours.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using testing::HasSubstr;

MeasuredRun run_of(const std::string& name, std::int64_t ranks, std::uint64_t messages) {
  matrix::StatisticsBuilder builder(ranks);
  builder.add_point_to_point(0, 1, messages, 1000);
  builder.add_collective("MPI_Bcast", static_cast<std::uint64_t>(3 * ranks), 0);
  if (ranks > 4) builder.add_collective("MPI_Barrier", static_cast<std::uint64_t>(ranks), 0);
  return {name, builder.build()};
}

std::vector<MeasuredRun> two_runs() { return {run_of("app.4", 4, 40), run_of("app.8", 8, 6)}; }

TEST(Runs, StandSideBySideInTables) {
  const std::string text = runs_text(two_runs());
  EXPECT_THAT(text, HasSubstr("  app.4        4          10           3        23 %"));
  EXPECT_THAT(text, HasSubstr("  app.8        8         0.8           4        84 %"));
  EXPECT_THAT(text, HasSubstr("\nCollectives, per rank     app.4     app.8\n"
                              "  MPI_Bcast                   3         3\n"
                              "  MPI_Barrier                 -         1\n"));
  EXPECT_THAT(text, HasSubstr("\n  up to 1 KiB                  40         6\n"));
}

TEST(Runs, AreBrokenIntoBlocksWhereTheyAreTooMany) {
  std::vector<MeasuredRun> many;
  for (int i = 0; i < 20; ++i) many.push_back(run_of("program." + std::to_string(i), 4, 1));
  std::size_t widest = 0;
  std::size_t start = 0;
  const std::string text = runs_text(many);
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    widest = std::max(widest, end - start);
    start = end + 1;
  }
  EXPECT_LE(widest, 100u);
  EXPECT_THAT(text, HasSubstr("program.19"));
}

TEST(Runs, AreAListInJson) {
  const auto json = nlohmann::json::parse(runs_json(two_runs(), Pairs::kInclude));
  EXPECT_EQ(json["schema"], 1);
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["name"], "app.8");
  EXPECT_EQ(json["runs"][1]["ranks"], 8);
  EXPECT_FALSE(json["runs"][1].contains("schema"));
  EXPECT_EQ(json["runs"][0]["entries"][0]["messages"], 40);
}

TEST(Runs, AreDrawnAsBars) {
  const auto all = draw_runs(two_runs(), RunsFigure::kAll, PictureFormat::kSvg);
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, testing::StartsWith("<?xml"));
  const auto one = draw_runs(two_runs(), RunsFigure::kSizes, PictureFormat::kSvg);
  EXPECT_LT(one->size(), all->size());
  EXPECT_EQ(draw_runs(two_runs(), RunsFigure::kRatio, PictureFormat::kPng)->substr(1, 3), "PNG");
  const std::vector<MeasuredRun> silent = {{"silent", matrix::StatisticsBuilder(2).build()}};
  EXPECT_TRUE(draw_runs(silent, RunsFigure::kAll, PictureFormat::kSvg));
  EXPECT_EQ(draw_runs({}, RunsFigure::kAll, PictureFormat::kSvg).error().code, ErrorCode::kUsage);
  EXPECT_EQ(parse_runs_figure("bars").error().code, ErrorCode::kUsage);
}

TEST(Runs, HaveAsManyCollectivesInAPictureAsCanBeRead) {
  matrix::StatisticsBuilder builder(2);
  for (char c = 'a'; c < 'a' + 20; ++c)
    builder.add_collective(std::string("MPI_") + c, static_cast<std::uint64_t>(2 * (c - 'a' + 1)),
                           0);
  const std::vector<MeasuredRun> runs = {{"many", builder.build()}};
  const std::string svg = *draw_runs(runs, RunsFigure::kCollectives, PictureFormat::kSvg);
  EXPECT_THAT(svg, HasSubstr("<title>many (2 ranks), j: 10</title>"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("<title>many (2 ranks), i: ")));
  EXPECT_THAT(svg, HasSubstr("<title>many (2 ranks), 9 others: 45</title>"));
}

TEST(Runs, FarApartOnALogarithmicAxis) {
  const std::vector<MeasuredRun> runs = {run_of("few", 4, 3), run_of("many", 8, 3'000'000)};
  const std::string svg = *draw_runs(runs, RunsFigure::kSizes, PictureFormat::kSvg);
  EXPECT_THAT(svg, HasSubstr("messages of at most so many bytes, log scale</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>many (8 ranks), 1 KiB: 3.0 M</title>"));
  const std::string near = *draw_runs(two_runs(), RunsFigure::kSizes, PictureFormat::kSvg);
  EXPECT_THAT(near, testing::Not(HasSubstr("log scale")));
}

TEST(Runs, ManyHaveNamesInTwoLinesOfOneSize) {
  std::vector<MeasuredRun> runs;
  for (int i = 0; i < 12; ++i) runs.push_back(run_of("program." + std::to_string(i), 8, 3));
  const std::string svg = *draw_runs(runs, RunsFigure::kRatio, PictureFormat::kSvg);
  EXPECT_THAT(svg, HasSubstr(">program.11</text>"));
  EXPECT_THAT(svg, HasSubstr(">(8 ranks)</text>"));
  const std::string few = *draw_runs(two_runs(), RunsFigure::kRatio, PictureFormat::kSvg);
  EXPECT_THAT(few, HasSubstr(">app.8 (8 ranks)</text>"));
}

TEST(Runs, HaveColoursThatDiffer) {
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Colour x = distinct_colour(a);
      const Colour y = distinct_colour(b);
      const double apart =
          std::abs(x.red - y.red) + std::abs(x.green - y.green) + std::abs(x.blue - y.blue);
      EXPECT_GT(apart, 0.2) << a << " and " << b;
    }
  }
}

} // namespace
} // namespace rondo::present
