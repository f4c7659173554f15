// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/file_table.hpp"

#include "present/matrix/matrix_output.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

constexpr matrix::AccessKind kAlone = matrix::AccessKind::kIndependent;
constexpr matrix::AccessKind kTogether = matrix::AccessKind::kCollective;

matrix::FileTraffic two_files() {
  matrix::FileTraffic traffic;
  traffic.files = {{"out.dat",
                    3,
                    {{0, true, kAlone, 2, 8000},
                     {1, true, kTogether, 1, 500},
                     {2, true, kTogether, 1, 500},
                     {1, false, kTogether, 1, 100},
                     {2, false, kTogether, 1, 100}}},
                   {"a,\"b\"", 1, {{0, false, kAlone, 1, 4}}}};
  return traffic;
}

TEST(FileTable, RanksThatDoTheSameShareALine) {
  EXPECT_EQ(file_table_text(two_files()),
            "files: 204 B read, 9.0 kB written\n"
            "  ranks                      read a rank  written a rank  file\n"
            "  0                                    -          8.0 kB  out.dat\n"
            "  1-2                              100 B           500 B  out.dat\n"
            "  0                                  4 B               -  a,\"b\"\n");
}

TEST(FileTable, SaysHowManyLinesAreLeftOut) {
  matrix::FileTraffic traffic;
  for (std::int64_t rank = 0; rank < 41; ++rank)
    traffic.files.push_back({std::to_string(rank), 1, {{rank, true, kAlone, 1, 8}}});
  const std::string text = file_table_text(traffic);
  EXPECT_NE(text.find("and 1 line more; --layers files -o FILE.csv has them all"), text.npos);
  EXPECT_EQ(file_table_text({}), "");
}

TEST(FileTable, WritesEachAccessAsCsv) {
  EXPECT_EQ(file_table_csv(two_files()), "file,rank,direction,kind,calls,bytes\n"
                                         "out.dat,0,write,independent,2,8000\n"
                                         "out.dat,1,write,collective,1,500\n"
                                         "out.dat,2,write,collective,1,500\n"
                                         "out.dat,1,read,collective,1,100\n"
                                         "out.dat,2,read,collective,1,100\n"
                                         "\"a,\"\"b\"\"\",0,read,independent,1,4\n");
}

TEST(FileTable, StandsInTheJsonOfAMatrix) {
  const matrix::FileTraffic traffic = two_files();
  const auto json = nlohmann::json::parse(to_json({}, &traffic));
  EXPECT_EQ(json["files"][0]["bytes"], 9200);
  EXPECT_EQ(json["files"][0]["accesses"][0]["rank"], 0);
  EXPECT_FALSE(nlohmann::json::parse(to_json({})).contains("files"));
}

} // namespace
} // namespace rondo::present
