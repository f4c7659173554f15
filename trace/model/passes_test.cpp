// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/passes.hpp"

#include "tests/support/streams.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace rondo::trace {
namespace {

// A rank that sends in loops, with a tag that takes turns where it is a column.
Trace sending(Nest nest, std::vector<Column> columns, std::size_t symbols) {
  auto program = std::make_shared<Program>();
  const Function& send = *find_function("MPI_Send");
  for (std::size_t i = 0; i < symbols; ++i) {
    Call call;
    call.function = send.id;
    call.site = static_cast<std::uint32_t>(i);
    call.words.resize(send.words());
    if (i < columns.size())
      call.words[static_cast<std::size_t>(send.word_of("tag"))] = {Word::Form::kColumn,
                                                                   static_cast<std::int64_t>(i)};
    program->calls.push_back(std::move(call));
  }
  program->nest = std::move(nest);
  program->columns = std::move(columns);
  Trace trace;
  trace.run.ranks = 1;
  RankClass c;
  c.ranks = RankSet::of({0});
  c.program = std::move(program);
  trace.classes.push_back(std::move(c));
  return trace;
}

// Counts calls by site and tag, and knows the last one.
class Counter final : public PassFollower {
public:
  std::uint64_t fingerprint() const override { return static_cast<std::uint64_t>(last_); }
  void begin_period() override {
    kept_ = counts_;
    kept_last_ = last_;
  }
  std::uint64_t most_repeats() override {
    return kept_.size() == counts_.size() && kept_last_ == last_ ? most_ : 0;
  }
  void repeat(std::uint64_t times) override {
    for (auto& [key, count] : counts_) count += times * (count - kept_.at(key));
  }

  void add(const CallInstance& call) {
    const std::int64_t tag = call.words[static_cast<std::size_t>(call.function->word_of("tag"))];
    ++counts_[{call.site, tag}];
    last_ = tag;
  }
  using Counts = std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t>;
  const Counts& counts() const { return counts_; }
  void set_most(std::uint64_t most) { most_ = most; }

private:
  Counts counts_;
  Counts kept_;
  std::int64_t last_ = 0;
  std::int64_t kept_last_ = 0;
  std::uint64_t most_ = ~std::uint64_t{0};
};

struct Read {
  Counter::Counts counts;
  std::uint64_t played = 0;
  std::uint64_t left_out = 0;
};

Read read(const Trace& trace, std::uint64_t most = ~std::uint64_t{0}) {
  CallReader reader(trace, trace.classes.front(), 0);
  Counter counter;
  counter.set_most(most);
  PassReader passes(reader, counter);
  while (const CallInstance* call = passes.next()) counter.add(*call);
  return {counter.counts(), passes.played(), passes.left_out()};
}

Counter::Counts all_of(const Trace& trace) {
  CallReader reader(trace, trace.classes.front(), 0);
  Counter counter;
  while (const CallInstance* call = reader.next()) counter.add(*call);
  return counter.counts();
}

Term call(std::uint32_t symbol) { return Term::symbol(symbol); }
Loop repeated(std::vector<Term> body, std::vector<trace::Run> counts) {
  return {std::move(body), Column::from_runs(std::move(counts))};
}

TEST(PassReader, CountsWhatComesAgain) {
  const Trace trace = sending(
      Nest({repeated({call(0), call(1)}, {{1'000'000, 1}})}, {Term::loop(0), call(2)}), {}, 3);
  const Read once = read(trace);
  EXPECT_EQ(once.counts, (Counter::Counts{{{0, 0}, 1'000'000}, {{1, 0}, 1'000'000}, {{2, 0}, 1}}));
  EXPECT_LT(once.played, 200U);
  EXPECT_EQ(once.played + once.left_out, 2'000'001U);
}

// Nobody would get through, call by call.
TEST(PassReader, TakesAsLongForLongerLoops) {
  const Trace trace =
      sending(Nest({repeated({call(0)}, {{std::int64_t{1} << 40, 1}})}, {Term::loop(0)}), {}, 1);
  EXPECT_EQ(read(trace).counts.at({0, 0}), std::uint64_t{1} << 40);
}

// A loop of a few passes around one of many, whose counts differ.
TEST(PassReader, GoesIntoTheLongerLoop) {
  std::vector<trace::Run> counts;
  for (std::int64_t i = 0; i < 20; ++i) counts.push_back({100'000 + 777 * i, 1});
  const Trace trace =
      sending(Nest({repeated({call(0)}, counts), repeated({Term::loop(0), call(1)}, {{20, 1}})},
                   {Term::loop(1)}),
              {}, 2);
  const Read once = read(trace);
  EXPECT_EQ(once.counts, (Counter::Counts{{{0, 0}, 20 * 100'000 + 777 * 190}, {{1, 0}, 20}}));
  EXPECT_LT(once.played, 4000U);
}

TEST(PassReader, FindsPeriodsOfColumns) {
  std::vector<trace::Run> runs;
  for (int i = 0; i < 3000; ++i) runs.insert(runs.end(), {{3, 1}, {5, 2}, {8, 2}});
  runs.push_back({9, 1}); // and then none
  const Trace trace = sending(Nest({repeated({call(0)}, {{15'001, 1}})}, {Term::loop(0)}),
                              {Column::from_runs(runs)}, 1);
  const Read once = read(trace);
  EXPECT_EQ(once.counts, all_of(trace));
  EXPECT_LT(once.played, 200U);
}

TEST(PassReader, PlaysWhatDoesNotComeAgain) {
  std::vector<std::int64_t> tags;
  for (std::int64_t i = 0; i < 5000; ++i) tags.push_back(i * i % 3001);
  const Trace trace = sending(Nest({repeated({call(0)}, {{5000, 1}})}, {Term::loop(0)}),
                              {Column::from_values(tags)}, 1);
  const Read once = read(trace);
  EXPECT_EQ(once.counts, all_of(trace));
  EXPECT_EQ(once.left_out, 0U);
}

// The same as differences, which do not stand there one by one.
TEST(PassReader, FindsPeriodsOfLongColumns) {
  constexpr std::int64_t kTimes = std::int64_t{1} << 36;
  const Column tags = Column::from_differences(
      3, {2, 3, -5}, Nest({repeated({call(0), call(1), call(2)}, {{kTimes, 1}})}, {Term::loop(0)}));
  const Trace trace =
      sending(Nest({repeated({call(0)}, {{3 * kTimes + 1, 1}})}, {Term::loop(0)}), {tags}, 1);
  const auto times = static_cast<std::uint64_t>(kTimes);
  EXPECT_EQ(read(trace).counts,
            (Counter::Counts{{{0, 3}, times + 1}, {{0, 5}, times}, {{0, 8}, times}}));
}

TEST(ColumnReader, FindsAndLeavesOutWhatComesAgain) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    support::Random random(seed);
    const auto [nest, stream] = support::random_nest(random, 5);
    const Column column = Column::from_differences(7, {0, 1, -1, 2, 0}, nest);
    std::vector<std::int64_t> values(column.size());
    ColumnReader(column).read(values);
    const std::uint64_t first = support::pick(random, values.size());
    const std::uint64_t period = 1 + support::pick(random, 6);
    constexpr std::uint64_t kMost = 40;
    if (first + period > values.size()) continue;
    std::uint64_t times = 1;
    while (times < kMost && first + (times + 1) * period <= values.size() &&
           std::equal(values.begin() + static_cast<std::ptrdiff_t>(first),
                      values.begin() + static_cast<std::ptrdiff_t>(first + period),
                      values.begin() + static_cast<std::ptrdiff_t>(first + times * period)))
      ++times;
    ColumnReader reader(column);
    reader.skip(first);
    ASSERT_EQ(reader.repeats(period, kMost), times) << seed;
    reader.skip(times * period, period);
    ASSERT_EQ(reader.taken(), first + times * period) << seed;
    const std::uint64_t behind = first + times * period;
    ASSERT_EQ(reader.next(), behind < values.size() ? std::optional(values[behind]) : std::nullopt)
        << seed;
    found += times > 2 ? 1 : 0;
  }
  EXPECT_GT(found, 20U);
}

// Who follows may say that it will be another one after some time.
TEST(PassReader, LeavesOutAsMuchAsItIsAllowed) {
  const Trace trace = sending(Nest({repeated({call(0)}, {{10'000, 1}})}, {Term::loop(0)}), {}, 1);
  for (const std::uint64_t most : {0U, 2U, 3U, 700U, 9000U}) {
    const Read once = read(trace, most);
    EXPECT_EQ(once.counts, all_of(trace)) << most;
    EXPECT_EQ(once.left_out > 0, most >= 3) << most;
  }
}

} // namespace
} // namespace rondo::trace
