// SPDX-License-Identifier: Apache-2.0
// Real Paraver traces with the factors that BSC's own tool finds in them. They are no part of the
// project: skipped where RONDO_TEST_DATA does not say where they are.
#include "rondo/convert/paraver.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/time_stamps.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>
#include <zlib.h>

namespace rondo::convert {
namespace {

// What a plain reading of the text says.
struct Plain {
  std::map<std::int64_t, std::uint64_t> running_ns; // by rank
  std::map<std::int64_t, std::uint64_t> calls; // begun
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

Plain plain_reading(const std::string& path) {
  Plain plain;
  gzFile file = gzopen(path.c_str(), "rb");
  std::vector<char> buffer(1 << 20);
  while (gzgets(file, buffer.data(), static_cast<int>(buffer.size())) != nullptr) {
    std::istringstream line(buffer.data());
    std::vector<std::int64_t> fields;
    for (std::string field; std::getline(line, field, ':');)
      fields.push_back(std::strtoll(field.c_str(), nullptr, 10));
    if (fields.size() < 8 || buffer[0] == '#' || buffer[0] == 'c') continue;
    const std::int64_t rank = fields[3] - 1;
    if (fields[0] == 1 && fields[7] == 1)
      plain.running_ns[rank] += static_cast<std::uint64_t>(fields[6] - fields[5]);
    if (fields[0] == 3) ++plain.messages;
    if (fields[0] == 3) plain.bytes += static_cast<std::uint64_t>(fields[13]);
    for (std::size_t i = 6; fields[0] == 2 && i + 1 < fields.size(); i += 2) {
      const bool asks = fields[i] == 50000003 && (fields[i + 1] == 19 || fields[i + 1] == 20);
      if (fields[i] > 50000000 && fields[i] < 50000006 && fields[i + 1] != 0 && !asks)
        ++plain.calls[rank];
    }
  }
  gzclose(file);
  return plain;
}

// A row of modelfactors.csv: numbers of processes, and a value for each.
std::map<std::int64_t, double> factor(const std::string& folder, const std::string& name) {
  std::ifstream file(folder + "/modelfactors.csv");
  std::vector<std::string> ranks;
  std::map<std::int64_t, double> values;
  for (std::string row; std::getline(file, row);) {
    std::istringstream cells(row);
    std::vector<std::string> all;
    for (std::string cell; std::getline(cells, cell, ';');) all.push_back(cell);
    if (ranks.empty()) ranks = all;
    if (all.empty() || all[0] != name) continue;
    for (std::size_t i = 1; i < all.size(); ++i) values[std::stoll(ranks[i])] = std::stod(all[i]);
  }
  return values;
}

class RealParaver : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    const char* data = std::getenv("RONDO_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
    folder_ = std::string(data) + "/epoch";
    path_ = folder_ + "/epoch_" + std::to_string(GetParam()) + "proc.prv.gz";
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << path_ << " is not there";
    ImportOptions options;
    options.all_times = true;
    auto imported = read_paraver(path_, options);
    ASSERT_TRUE(imported) << imported.error().text();
    trace_ = std::move(imported->trace);
    for (const Remark& remark : imported->remarks) texts_ += remark.text() + "\n";
  }

  std::string folder_;
  std::string path_;
  std::string texts_;
  trace::Trace trace_;
};

TEST_P(RealParaver, UsefulTimeIsThatOfTheRunningStates) {
  Plain plain = plain_reading(path_);
  ASSERT_EQ(trace_.run.ranks, GetParam());
  EXPECT_TRUE(trace_.run.complete);
  EXPECT_EQ(texts_.find("inside of MPI calls"), std::string::npos) << texts_;
  for (std::int64_t rank = 0; rank < trace_.run.ranks; ++rank) {
    const trace::RankFacts& facts = trace_.ranks[static_cast<std::size_t>(rank)];
    std::uint64_t before_calls_ns = 0;
    trace::CallTime last;
    trace::TimeStampReader reader(*trace_.stamps_of(rank));
    for (auto time = reader.next(); time; time = reader.next()) {
      EXPECT_GE(time->start_ns, last.end_ns() + time->computation_ns);
      before_calls_ns += time->computation_ns;
      last = *time;
    }
    EXPECT_EQ(facts.computation_ns, plain.running_ns[rank]);
    EXPECT_EQ(facts.calls, plain.calls[rank]);
    // what follows the last call is what is left, and fits behind it
    ASSERT_GE(facts.computation_ns, before_calls_ns);
    EXPECT_LE(last.end_ns() + facts.computation_ns - before_calls_ns, facts.span_ns);
  }
}

TEST_P(RealParaver, FactorsAreThoseOfItsOwnTool) {
  std::uint64_t most_ns = 0;
  std::uint64_t sum_ns = 0;
  for (const trace::RankFacts& facts : trace_.ranks) {
    most_ns = std::max(most_ns, facts.computation_ns);
    sum_ns += facts.computation_ns;
  }
  const auto most = static_cast<double>(most_ns);
  const double mean = static_cast<double>(sum_ns) / static_cast<double>(trace_.run.ranks);
  const auto runtime = static_cast<double>(trace_.ranks[0].span_ns);
  const auto expect = [&](const std::string& name, double found) {
    const auto values = factor(folder_, name);
    if (!values.contains(GetParam())) return; // it was not asked about so many
    const double wanted = values.at(GetParam());
    EXPECT_NEAR(found, wanted, 1e-6 * wanted) << name;
  };
  expect("Runtime (us)", runtime / 1e3);
  expect("Parallel efficiency", 100 * mean / runtime);
  expect("Load balance", 100 * mean / most);
  expect("Communication efficiency", 100 * most / runtime);
}

TEST_P(RealParaver, EveryMessageHasItsCalls) {
  const Plain plain = plain_reading(path_);
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  for (const trace::RankClass& one : trace_.classes) {
    for (const std::int64_t rank : one.ranks.ranks()) {
      trace::CallReader reader(trace_, one, rank);
      while (const trace::CallInstance* call = reader.next()) {
        const int dest = call->function->word_of("dest");
        if (dest < 0 || call->words[static_cast<std::size_t>(dest)] == trace::kProcNull) continue;
        ++sent;
        const int count =
            std::max(call->function->word_of("sendcount"), call->function->word_of("count"));
        bytes += static_cast<std::uint64_t>(call->words[static_cast<std::size_t>(count)]);
      }
    }
  }
  EXPECT_EQ(sent, plain.messages);
  EXPECT_EQ(bytes, plain.bytes);
  EXPECT_EQ(texts_.find("ends of messages"), std::string::npos) << texts_;
}

INSTANTIATE_TEST_SUITE_P(Epoch, RealParaver, ::testing::Values(1, 2, 4, 8, 16));

} // namespace
} // namespace rondo::convert
