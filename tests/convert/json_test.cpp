// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/json.hpp"

#include "tests/convert/ti_folder.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace rondo::convert {
namespace {

using nlohmann::json;

// Expands the loop nest of a class as the JSON has it.
class Expansion {
public:
  explicit Expansion(const json& nest) : loops_(nest["loops"]) {
    for (const json& loop : loops_) trip_counts_.push_back(values(loop["trip_counts"]));
    taken_.resize(loops_.size());
  }
  void expand(const json& terms, const char* symbol, std::vector<int>& out) {
    for (const json& term : terms) {
      if (term.contains(symbol)) {
        out.push_back(term[symbol]);
        continue;
      }
      const std::size_t loop = term["loop"];
      const std::int64_t count = trip_counts_[loop].at(taken_[loop]++);
      for (std::int64_t i = 0; i < count; ++i) expand(loops_[loop]["body"], symbol, out);
    }
  }
  static std::vector<std::int64_t> values(const json& column) {
    std::vector<std::int64_t> values;
    if (column.contains("values")) return column["values"];
    if (column.contains("runs")) {
      for (const json& run : column["runs"])
        values.insert(values.end(), run["count"].get<std::size_t>(),
                      run["value"].get<std::int64_t>());
      return values;
    }
    std::vector<int> symbols;
    Expansion(column).expand(column["sequence"], "difference", symbols);
    values.push_back(column["first"]);
    for (const int symbol : symbols)
      values.push_back(values.back() +
                       column["differences"][static_cast<std::size_t>(symbol)].get<std::int64_t>());
    return values;
  }

private:
  const json& loops_;
  std::vector<std::vector<std::int64_t>> trip_counts_;
  std::vector<std::size_t> taken_;
};

json json_of(const TiFolder& folder) {
  const auto imported = folder.read();
  EXPECT_TRUE(imported);
  return json::parse(to_json(imported->trace));
}

TEST(TraceJson, HasRunRanksAndDefinitions) {
  const TiFolder folder;
  folder.write_rank(0, {"bcast 3 0 1", "compute 500"});
  folder.write_rank(1, {"bcast 3 0 1"});
  const json j = json_of(folder);
  EXPECT_EQ(j["schema"], 1);
  EXPECT_EQ(j["run"]["ranks"], 2);
  EXPECT_EQ(j["run"]["complete"], true);
  EXPECT_EQ(j["ranks"][0]["computation_ns"], 500);
  EXPECT_EQ(j["ranks"][1]["calls"], 3);
  EXPECT_EQ(j["definitions"]["datatypes"][0], (json{{"datatype", "MPI_INT"},
                                                    {"name", "MPI_INT"},
                                                    {"size_bytes", 4},
                                                    {"extent_bytes", 4},
                                                    {"ranks", "0-1"}}));
}

TEST(TraceJson, CallsHaveReadableArguments) {
  const TiFolder folder;
  folder.write_rank(0, {"irecv 1 7 5 0", "isend 1 7 5 0", "waitall 2", "recv -333 1 1 0"});
  folder.write_rank(1, {"irecv 0 7 5 0", "isend 0 7 5 0", "waitall 2", "recv -333 1 1 0"});
  const json j = json_of(folder);
  ASSERT_EQ(j["classes"].size(), 1U);
  const json& calls = j["classes"][0]["calls"];
  EXPECT_EQ(calls[1]["function"], "MPI_Irecv");
  EXPECT_EQ(calls[1]["arguments"], (json{{"count", 5},
                                         {"datatype", "MPI_DOUBLE"},
                                         {"source", {{"rank_plus_modulo", 1}}},
                                         {"tag", 7},
                                         {"comm", "MPI_COMM_WORLD"}}));
  EXPECT_EQ(calls[1]["makes_request"], true);
  EXPECT_EQ(calls[3]["arguments"], (json{{"array_of_requests", {{{"age", 1}}, {{"age", 0}}}}}));
  EXPECT_EQ(calls[4]["arguments"]["source"], "MPI_ANY_SOURCE");
}

TEST(TraceJson, LargeValuesStayWhole) {
  const TiFolder folder;
  folder.write_rank(0, {"bcast 2147483647 0 1", "send 0 32767 26520 0"});
  const json c = json_of(folder)["classes"][0];
  EXPECT_EQ(c["calls"][1]["arguments"]["count"], 2147483647);
  EXPECT_EQ(c["calls"][2]["arguments"]["count"], 26520);
  EXPECT_EQ(c["calls"][2]["arguments"]["tag"], 32767);
}

TEST(TraceJson, LoopNestsExpandToTheCalls) {
  const TiFolder folder;
  Lines actions;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 3 + i; ++k) actions.push_back("send 0 " + std::to_string(k % 2) + " 5 0");
    actions.push_back("barrier");
  }
  folder.write_rank(0, actions);
  const json c = json_of(folder)["classes"][0];
  std::vector<int> symbols;
  Expansion(c).expand(c["program"], "call", symbols);
  std::vector<std::string> names;
  for (const int symbol : symbols)
    names.push_back(c["calls"][static_cast<std::size_t>(symbol)]["function"]);
  const auto imported = folder.read();
  const Lines lines = lines_of(imported->trace, 0);
  ASSERT_EQ(names.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(names[i], lines[i].substr(0, lines[i].find('(')));
}

TEST(TraceJson, ColumnsReadBack) {
  const TiFolder folder;
  Lines actions;
  std::vector<std::int64_t> counts;
  for (int i = 0; i < 100; ++i) {
    counts.push_back(i * 8 + 3);
    actions.push_back("send 0 1 " + std::to_string(counts.back()) + " 0");
  }
  folder.write_rank(0, actions);
  const json c = json_of(folder)["classes"][0];
  std::vector<std::int64_t> found;
  for (const json& call : c["calls"]) {
    if (call["function"] != "MPI_Send" || !call["arguments"]["count"].is_object()) continue;
    found =
        Expansion::values(c["columns"][call["arguments"]["count"]["column"].get<std::size_t>()]);
  }
  EXPECT_EQ(found, counts);
}

TEST(TraceJson, TimesAreHistograms) {
  const TiFolder folder;
  folder.write_rank(0, {"compute 1000", "barrier"});
  const json c = json_of(folder)["classes"][0];
  const auto place = std::find_if(c["times"].begin(), c["times"].end(),
                                  [](const json& p) { return p["computation"]["sum_ns"] == 1000; });
  ASSERT_NE(place, c["times"].end());
  EXPECT_EQ((*place)["computation"]["histogram"],
            (json::array({{{"from_ns", 896}, {"count", 1}}})));
  EXPECT_EQ(c["times"][0]["before"], "start");
}

TEST(TraceJson, BytesThatAreNoTextDoNotBreakIt) {
  trace::Trace trace;
  trace.run.command = "a\xff\x01";
  EXPECT_TRUE(json::accept(to_json(trace)));
}

} // namespace
} // namespace rondo::convert
