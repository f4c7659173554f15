// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/call_meaning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace rondo::trace {
namespace {

const CallMeaning& meaning(std::string_view name) { return meaning_of(*find_function(name)); }

std::string field_at(std::string_view name, int word) {
  for (const Field& field : find_function(name)->fields) {
    if (find_function(name)->word_of(field.name) == word) return std::string(field.name);
  }
  return "";
}

TEST(CallMeaning, SaysWhereTheWordsOfAMessageStand) {
  const CallMeaning& means = meaning("MPI_Sendrecv");
  EXPECT_EQ(means.act, Act::kTransfer);
  EXPECT_EQ(field_at("MPI_Sendrecv", means.dest), "dest");
  EXPECT_EQ(field_at("MPI_Sendrecv", means.send_tag), "sendtag");
  EXPECT_EQ(field_at("MPI_Sendrecv", means.receive_tag), "recvtag");
  EXPECT_EQ(field_at("MPI_Sendrecv", means.receive_count), "recvcount");
  EXPECT_TRUE(meaning("MPI_Irecv").receives());
  EXPECT_FALSE(meaning("MPI_Irecv").sends());
  EXPECT_EQ(meaning("MPI_Irecv").send_tag, CallMeaning::kNoWord);
  EXPECT_EQ(meaning("MPI_Imrecv").act, Act::kTakeMatched);
}

TEST(CallMeaning, IsTheSameForLargeCounts) {
  for (const Function& function : all_functions()) {
    if (!function.name.ends_with("_c")) continue;
    const Function* small = find_function(function.name.substr(0, function.name.size() - 2));
    if (small == nullptr) continue;
    EXPECT_EQ(meaning_of(function).act, meaning_of(*small).act) << function.name;
    EXPECT_EQ(meaning_of(function).gets, meaning_of(*small).gets) << function.name;
    EXPECT_EQ(meaning_of(function).send_kind, meaning_of(*small).send_kind) << function.name;
  }
}

bool is_among(int word, std::initializer_list<int> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether the meaning has a field of a call that moves data, or completes what does.
bool has_word(const CallMeaning& means, FieldKind kind, int word) {
  switch (kind) {
  case FieldKind::kRank:
    return is_among(word, {means.dest, means.source, means.target});
  case FieldKind::kTag:
    return is_among(word, {means.send_tag, means.receive_tag});
  case FieldKind::kDatatype:
    return is_among(word, {means.send_type, means.receive_type, means.target_type});
  case FieldKind::kStatus:
    return is_among(word, {means.status, means.statuses});
  case FieldKind::kRoot:
    return word == means.root;
  case FieldKind::kComm:
    return word == means.comm;
  case FieldKind::kWin:
    return word == means.window;
  case FieldKind::kRequest:
    return is_among(word, {means.request, means.requests});
  default:
    return true;
  }
}

// By the kinds of the fields alone, which the rules hardly look at.
TEST(CallMeaning, LeavesNoWordOfAMessageOut) {
  for (const Function& function : all_functions()) {
    const CallMeaning& means = meaning_of(function);
    const bool moves = means.act == Act::kTransfer || means.act == Act::kCollective ||
                       means.act == Act::kOneSided || means.act == Act::kComplete;
    for (const Field& field : function.fields) {
      if (!moves && field.kind != FieldKind::kRequest) continue;
      EXPECT_TRUE(has_word(means, field.kind, function.word_of(field.name)))
          << function.name << " " << field.name;
    }
  }
}

TEST(CallMeaning, NamesTheOperationOfEveryCollective) {
  for (const Function& function : all_functions()) {
    const bool is_collective =
        function.role == Role::kCollective || function.role == Role::kNeighbor;
    EXPECT_EQ(meaning_of(function).collective != Collective::kNone, is_collective) << function.name;
  }
  EXPECT_EQ(name_of(meaning("MPI_Ineighbor_alltoallw").collective), "neighbor_alltoallw");
  EXPECT_EQ(name_of(meaning("MPI_Reduce_scatter_block_init_c").collective), "reduce_scatter_block");
}

TEST(CallMeaning, TellsWaitsFromTests) {
  EXPECT_TRUE(meaning("MPI_Waitsome").waits());
  EXPECT_TRUE(meaning("MPI_Testsome").may_find_nothing);
  EXPECT_EQ(meaning("MPI_Testsome").completes, Completes::kSome);
  EXPECT_TRUE(meaning("MPI_Request_get_status").keeps_request);
  EXPECT_FALSE(meaning("MPI_Test").keeps_request);
}

TEST(CallView, ReadsWhatTheFunctionHas) {
  const std::int64_t words[] = {0, 4, 3, kAnySource, kAnyTag, kWorldSlot, 7, 99, 32};
  const CallView call(meaning("MPI_Recv"), words);
  EXPECT_EQ(call.source(), kAnySource);
  EXPECT_EQ(call.dest(), kProcNull);
  EXPECT_EQ(call.receive_count(), 4);
  EXPECT_EQ(call.partitions(), 1);
  EXPECT_TRUE(call.has_found());
  EXPECT_EQ(call.status().source, 7);
  EXPECT_EQ(call.status().bytes, 32);
}

} // namespace
} // namespace rondo::trace
