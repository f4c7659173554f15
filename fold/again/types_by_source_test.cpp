// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/types_by_source.hpp"

#include <gtest/gtest.h>

namespace rondo::fold {
namespace {

using Keeps = TypesBySource::Keeps;

// Calls of a rank, one after the other.
class Caller {
public:
  Caller(TypesBySource& types, std::int64_t rank) : types_(types), rank_(rank) {}

  std::int64_t makes(std::int64_t slot, std::uint32_t site) {
    return call("MPI_Type_contiguous", "newtype", slot, site);
  }
  std::int64_t sends(std::int64_t slot) { return call("MPI_Send", "datatype", slot, 9); }
  std::int64_t frees(std::int64_t slot) { return call("MPI_Type_free", "datatype", slot, 9); }

private:
  std::int64_t call(std::string_view name, std::string_view field, std::int64_t slot,
                    std::uint32_t site) {
    trace::CallInstance call;
    call.function = trace::find_function(name);
    call.site = site;
    call.words.assign(call.function->words(), trace::kNothing);
    const auto at = static_cast<std::size_t>(call.function->word_of(field));
    std::vector<std::int64_t> words = call.words;
    words[at] = slot;
    types_.change(rank_, call, words);
    return words[at];
  }

  TypesBySource& types_;
  std::int64_t rank_;
};

TEST(TypesBySource, OneForEachPlaceWhateverSlotItHad) {
  TypesBySource types(Keeps::kApart);
  Caller caller(types, 0);
  const std::int64_t a = caller.makes(0, 5);
  const std::int64_t b = caller.makes(1, 6);
  EXPECT_NE(a, b);
  EXPECT_EQ(caller.sends(0), a);
  EXPECT_EQ(caller.frees(0), a);
  EXPECT_EQ(caller.frees(1), b);
  EXPECT_EQ(caller.makes(0, 6), b); // in the other's slot
  EXPECT_EQ(caller.sends(0), b);
  EXPECT_EQ(Caller(types, 1).makes(3, 5), a); // on another rank
}

TEST(TypesBySource, ThoseThatAreThereAtATimeAreApart) {
  TypesBySource types(Keeps::kApart);
  Caller caller(types, 0);
  const std::int64_t first = caller.makes(0, 5);
  const std::int64_t second = caller.makes(1, 5);
  EXPECT_NE(first, second);
  EXPECT_EQ(caller.sends(0), first);
  EXPECT_EQ(caller.frees(0), first);
  EXPECT_EQ(caller.makes(0, 5), first);
  EXPECT_EQ(caller.sends(1), second);

  TypesBySource together(Keeps::kNothing);
  Caller other(together, 0);
  EXPECT_EQ(other.makes(0, 5), other.makes(1, 5));
}

TEST(TypesBySource, PredefinedOnesStayAndUnknownOnesHaveSlotsOfTheirOwn) {
  TypesBySource types(Keeps::kApart);
  Caller caller(types, 0);
  EXPECT_EQ(caller.sends(-3), -3);
  const std::int64_t unknown = caller.sends(7);
  EXPECT_EQ(caller.sends(7), unknown);
  EXPECT_NE(caller.sends(8), unknown);
  EXPECT_NE(caller.makes(7, 5), unknown);
}

TEST(TypesBySource, SizesAreTheLargestOfASlot) {
  trace::Trace trace;
  for (const auto& [slot, bytes] : {std::pair{-2, 8}, {0, 24}, {1, 40}})
    trace.datatypes.push_back({slot, "", bytes, 2 * bytes, {}});
  TypesBySource types(Keeps::kApart);
  Caller caller(types, 0);
  caller.makes(0, 5);
  caller.frees(0);
  const std::int64_t slot = caller.makes(1, 5);
  const auto all = types.definitions(trace);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].size_bytes, 8);
  EXPECT_EQ(all[1].slot, slot);
  EXPECT_EQ(all[1].size_bytes, 40);
  EXPECT_EQ(all[1].extent_bytes, 80);
}

} // namespace
} // namespace rondo::fold
