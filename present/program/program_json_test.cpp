// SPDX-License-Identifier: Apache-2.0
#include "present/program/program_json.hpp"

#include "rondo/base/escape.hpp"
#include "tests/support/random_spmd.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using nlohmann::json;

trace::Trace random_trace(std::uint64_t seed) {
  std::vector<fold::RecordingPart> parts;
  std::vector<std::size_t> order;
  for (const auto& rank : support::random_spmd(seed, 2, 3)) {
    order.push_back(parts.size());
    parts.push_back(rank->part());
  }
  return fold::resolve(support::merged(std::move(parts), order));
}

std::string said(const trace::Trace& trace, std::optional<std::int64_t> rank) {
  std::vector<const trace::RankClass*> classes;
  for (const trace::RankClass& c : trace.classes)
    if (!rank || c.ranks.contains(*rank)) classes.push_back(&c);
  std::string text;
  say_program_json(trace, classes, rank, nullptr, [&](const std::string& piece) { text += piece; });
  return text;
}

template <class Terms> std::size_t terms_in(const Terms& terms) {
  std::size_t count = 0;
  for (const json& term : terms) count += 1 + (term.contains("body") ? terms_in(term["body"]) : 0);
  return count;
}

// Pieces that were put together are the document as a whole.
TEST(ProgramJson, IsWrittenAsAnyDocument) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const trace::Trace trace = random_trace(seed);
    for (const std::optional<std::int64_t> rank : {std::optional<std::int64_t>(), {4}}) {
      const std::string text = said(trace, rank);
      const json document = json::parse(text, nullptr, false);
      ASSERT_FALSE(document.is_discarded()) << text;
      EXPECT_EQ(text, escape::json_text(document) + "\n") << "seed " << seed;
    }
  }
}

TEST(ProgramJson, HasEveryTermOfEachClassAndWhoExecutesIt) {
  const trace::Trace trace = random_trace(3);
  const json document = json::parse(said(trace, {}));
  ASSERT_EQ(document["classes"].size(), trace.classes.size());
  for (std::size_t i = 0; i < trace.classes.size(); ++i) {
    const json& row = document["classes"][i];
    EXPECT_EQ(row["ranks"], json(trace.classes[i].ranks.ranks()));
    EXPECT_GE(terms_in(row["program"]), row["terms"].get<std::size_t>());
  }
  std::size_t guards = 0;
  for (const json& row : document["programs"]) {
    const auto count = [&](const auto& self, const json& terms) -> void {
      for (const json& term : terms) {
        guards += term.contains("ranks") ? 1U : 0U;
        if (term.contains("body")) self(self, term["body"]);
      }
    };
    count(count, row["program"]);
  }
  EXPECT_GT(guards, 0U);
}

} // namespace
} // namespace rondo::present
