// SPDX-License-Identifier: Apache-2.0
// Each single change to a program must be found, where it is.
#include "rondo/generate/comparison.hpp"
#include "tests/support/recorded.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace rondo::generate {
namespace {

using support::Caller;
using support::kDouble;
using support::kInt;
using support::kWorld;
using support::recorded;
using trace::request_by_age;

// One call of a made-up program, before it is recorded.
struct Spoken {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> arguments;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> arrays{};
  std::uint16_t error = 0;
};

void speak(Caller& caller, const Spoken& spoken) {
  const trace::Function& function = *trace::find_function(spoken.name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
  event[0] = fold::header_word(function.id, spoken.error);
  event[1] = caller.site;
  const auto put = [&](const std::string& field, std::int64_t value) {
    event[fold::kEventHead + static_cast<std::size_t>(function.word_of(field))] = value;
  };
  for (const auto& [field, value] : spoken.arguments) put(field, value);
  for (const auto& [field, values] : spoken.arrays) put(field, caller.array(values));
  caller.builder.record(event.data(), event.size(), 0, 0);
}

using Script = std::function<std::vector<Spoken>(std::int64_t rank)>;

trace::Trace play(std::int64_t ranks, const Script& script) {
  trace::Trace trace = recorded(ranks, [&](Caller& caller) {
    for (const Spoken& spoken : script(caller.rank)) speak(caller, spoken);
  });
  trace.run.complete = true;
  return trace;
}

std::vector<Spoken> conversation(std::int64_t rank) {
  std::vector<Spoken> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back({"MPI_Irecv",
                     {{"count", 8},
                      {"datatype", kDouble},
                      {"source", (rank + 3) % 4},
                      {"tag", i % 2},
                      {"comm", kWorld}}});
    calls.push_back({"MPI_Isend",
                     {{"count", 8},
                      {"datatype", kDouble},
                      {"dest", (rank + 1) % 4},
                      {"tag", i % 2},
                      {"comm", kWorld}}});
    calls.push_back(
        {"MPI_Waitall", {}, {{"array_of_requests", {request_by_age(1), request_by_age(0)}}}});
    calls.push_back(
        {"MPI_Bcast", {{"count", 2}, {"datatype", kInt}, {"root", 0}, {"comm", kWorld}}});
    calls.push_back({"MPI_Allreduce",
                     {{"sendbuf", trace::kInPlace},
                      {"count", 1},
                      {"datatype", kDouble},
                      {"op", -3},
                      {"comm", kWorld}}});
  }
  return calls;
}

// The changes that can be made to a call: each argument, one after the other.
std::vector<Spoken> changed(const Spoken& spoken) {
  std::vector<Spoken> all;
  for (std::size_t i = 0; i < spoken.arguments.size(); ++i) {
    Spoken other = spoken;
    auto& [name, value] = other.arguments[i];
    if (name == "datatype") {
      value = value == kInt ? kDouble : kInt;
    } else if (name == "comm") {
      value = support::kSelf;
    } else if (name == "op") {
      value = -1;
    } else if (name == "sendbuf") {
      value = 0;
    } else {
      value = (value + 1) % 4;
    }
    all.push_back(other);
  }
  for (std::size_t i = 0; i < spoken.arrays.size(); ++i) {
    Spoken other = spoken;
    std::swap(other.arrays[i].second.front(), other.arrays[i].second.back());
    all.push_back(other);
  }
  all.push_back(spoken);
  all.back().error = 3;
  return all;
}

trace::Trace with_changed_rank(std::int64_t rank, const std::vector<Spoken>& calls) {
  return play(4, [&](std::int64_t r) { return r == rank ? calls : conversation(r); });
}

void expect_found(const trace::Trace& original, std::int64_t rank, const std::vector<Spoken>& calls,
                  std::size_t at) {
  const Comparison found = compare(original, with_changed_rank(rank, calls));
  ASSERT_EQ(found.differences.size(), 1U) << "call " << at;
  EXPECT_EQ(found.differences[0].ranks, std::vector<std::int64_t>{rank});
  EXPECT_EQ(found.differences[0].a.call, at);
}

TEST(Comparison, FindsEverySingleChangeWhereItIs) {
  const trace::Trace original = play(4, conversation);
  EXPECT_TRUE(compare(original, play(4, conversation)).same());
  std::mt19937 random(7);
  const auto calls = conversation(0);
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const auto rank = static_cast<std::int64_t>(random() % 4);
    const auto before = conversation(rank);
    for (const Spoken& other : changed(before[at])) {
      auto after = before;
      after[at] = other;
      expect_found(original, rank, after, at);
    }
    auto shorter = before;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_FALSE(compare(original, with_changed_rank(rank, shorter)).same())
        << "without call " << at;
    auto longer = before;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at),
                  {"MPI_Barrier", {{"comm", kWorld}}});
    expect_found(original, rank, longer, at);
    if (at + 1 < calls.size()) {
      auto swapped = before;
      std::swap(swapped[at], swapped[at + 1]);
      expect_found(original, rank, swapped, at);
    }
  }
}

TEST(Comparison, FindsAnEndThatComesTooEarly) {
  auto calls = conversation(2);
  calls.pop_back();
  const trace::Trace original = play(4, conversation);
  const Comparison found = compare(original, with_changed_rank(2, calls));
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].kind, DifferenceKind::kOneEnds);
  EXPECT_FALSE(found.differences[0].a.is_end);
  EXPECT_TRUE(found.differences[0].b.is_end);
}

} // namespace
} // namespace rondo::generate
