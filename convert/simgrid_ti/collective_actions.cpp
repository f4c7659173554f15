// SPDX-License-Identifier: Apache-2.0
// Collective operations as actions. Those are about MPI_COMM_WORLD only, and all ranks name both
// sides of a rooted one, whether MPI looks at it or not.
#include "convert/simgrid_ti/datatypes.hpp"
#include "convert/simgrid_ti/rank_actions.hpp"

#include <numeric>

namespace rondo::convert::internal {
namespace {

using trace::Collective;
using trace::Mode;

bool is_world(const trace::Communicators::View& view, std::int64_t ranks) {
  if (view.id == trace::Communicators::kWorld) return true;
  if (view.all != ranks || view.peer_count != ranks) return false;
  for (std::int64_t i = 0; i < ranks; ++i) {
    if (view.world_rank(i) != i) return false;
  }
  return true;
}

} // namespace

void RankActions::put(std::string_view action, std::initializer_list<std::int64_t> arguments) {
  line(action);
  for (const std::int64_t value : arguments) argument(value);
}

void RankActions::collective() {
  const trace::Function& function = *call_->function;
  const trace::Communicators::View& view = run_.comms.of(rank_, word("comm"));
  const bool is_blocking = function.mode == Mode::kBlocking;
  const bool goes_on = is_blocking || lowers("is a nonblocking or persistent collective operation",
                                             "as its messages, where it is completed");
  if (function.mode == Mode::kPersistent) return make_slot();
  if (!goes_on) return;
  const bool is_whole = is_world(view, run_.trace.run.ranks);
  if (is_blocking && !is_whole && !lowers("is on a part of MPI_COMM_WORLD", "as its messages"))
    return;
  if (!is_blocking || !is_whole) return lower_collective(function, call_->words, nullptr);
  play_all(view.id);
  const auto simple = [&](std::string_view action, bool has_flops) {
    const Amount moved = amount(word("count"), word("datatype"));
    if (moved.count > kMostInt) return refuse("has a count that SimGrid cannot read");
    put(action, {moved.count});
    if (has_flops) argument(0); // what it computes is in the times already
    if (function.word_of("root") >= 0) argument(word("root"));
    argument(moved.type);
  };
  switch (trace::meaning_of(function).collective) {
  case Collective::kBarrier:
    return line("barrier");
  case Collective::kBcast:
    return simple("bcast", false);
  case Collective::kReduce:
    return simple("reduce", true);
  case Collective::kAllreduce:
    return simple("allreduce", true);
  case Collective::kScan:
    return simple("scan", true);
  case Collective::kExscan:
    return simple("exscan", true);
  case Collective::kGather:
    return rooted("gather");
  case Collective::kScatter:
    return rooted("scatter");
  case Collective::kAllgather:
    return rooted("allgather");
  case Collective::kAlltoall:
    return rooted("alltoall");
  case Collective::kReduceScatter:
  case Collective::kReduceScatterBlock:
  case Collective::kAlltoallv:
  case Collective::kAlltoallw:
  case Collective::kScatterv:
  case Collective::kGatherv:
  case Collective::kAllgatherv:
    return listed();
  case Collective::kNone:
  case Collective::kNeighborAllgather:
  case Collective::kNeighborAllgatherv:
  case Collective::kNeighborAlltoall:
  case Collective::kNeighborAlltoallv:
  case Collective::kNeighborAlltoallw:
    return refuse("is a collective operation that SimGrid's replay does not know");
  }
}

// One count for each side, with a root or without.
void RankActions::rooted(std::string_view action) {
  const Collective operation = trace::meaning_of(*call_->function).collective;
  const bool is_gather = operation == Collective::kGather;
  const bool is_scatter = operation == Collective::kScatter;
  const bool is_root = word("root") == rank_; // ranks are those of MPI_COMM_WORLD
  Amount sent = amount(word("sendcount"), word("sendtype"));
  Amount received = amount(word("recvcount"), word("recvtype"));
  const bool is_in_place = word("sendbuf") == trace::kInPlace;
  if (is_in_place) sent = received;
  if (is_gather && !is_root) received = sent;
  if (is_scatter && !is_root) sent = received;
  if (is_scatter && is_root && word("recvbuf") == trace::kInPlace) received = sent;
  if (sent.count > kMostInt || received.count > kMostInt)
    return refuse("has a count that SimGrid cannot read");
  put(action, {sent.count, received.count});
  if (is_gather || is_scatter) argument(word("root"));
  argument(sent.type);
  argument(received.type);
}

// The counts of an array argument; of types that differ or that SimGrid has not: bytes.
RankActions::Amount RankActions::list_of(int word_index, int type_word,
                                         std::vector<std::int64_t>& counts) {
  const auto at = [&](int index) { return call_->words[static_cast<std::size_t>(index)]; };
  const auto given = array(at(word_index));
  const std::int64_t type = at(type_word);
  const bool has_types = call_->function->word_of("sendtypes") >= 0;
  const auto types = has_types ? array(type) : std::span<const std::int64_t>{};
  const int number = has_types ? -1 : type_of(type).number;
  counts.assign(static_cast<std::size_t>(run_.trace.run.ranks), 0);
  for (std::size_t i = 0; i < counts.size() && i < given.size(); ++i) {
    const std::int64_t bytes = type_of(i < types.size() ? types[i] : type).size_bytes;
    counts[i] = number >= 0 ? given[i] : given[i] * bytes;
    if (counts[i] > kMostInt) refuse("has a count that SimGrid cannot read");
  }
  const std::int64_t sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return {sum, number >= 0 ? number : kByteType};
}

void RankActions::listed() {
  const trace::Function& function = *call_->function;
  const Collective operation = trace::meaning_of(function).collective;
  const auto both = [&](std::string_view a, std::string_view b) {
    return function.word_of(a) >= 0 ? function.word_of(a) : function.word_of(b);
  };
  const auto mine = static_cast<std::size_t>(rank_);
  std::vector<std::int64_t> counts;
  const auto put_counts = [&] {
    for (const std::int64_t count : counts) argument(count);
  };
  if (operation == Collective::kReduceScatter || operation == Collective::kReduceScatterBlock) {
    const bool is_block = function.word_of("recvcount") >= 0;
    const Amount block = is_block ? amount(word("recvcount"), word("datatype")) : Amount{};
    Amount sum = block;
    if (is_block)
      counts.assign(static_cast<std::size_t>(run_.trace.run.ranks), block.count);
    else
      sum = list_of(function.word_of("recvcounts"), function.word_of("datatype"), counts);
    line("reducescatter");
    put_counts();
    argument(0);
    return argument(sum.type);
  }
  const bool is_in_place = word("sendbuf") == trace::kInPlace;
  const bool is_root = word("root") == rank_;
  if (operation == Collective::kAlltoallv || operation == Collective::kAlltoallw) {
    const int receive_type = both("recvtypes", "recvtype");
    const Amount received = list_of(function.word_of("recvcounts"), receive_type, counts);
    std::vector<std::int64_t> receive_counts;
    std::swap(counts, receive_counts);
    Amount sent = received;
    if (is_in_place)
      counts = receive_counts;
    else
      sent = list_of(function.word_of("sendcounts"), both("sendtypes", "sendtype"), counts);
    put("alltoallv", {sent.count});
    put_counts();
    argument(received.count);
    std::swap(counts, receive_counts);
    put_counts();
    argument(sent.type);
    return argument(received.type);
  }
  if (operation == Collective::kScatterv) {
    Amount received = amount(word("recvcount"), word("recvtype"));
    Amount sent = received;
    counts.assign(static_cast<std::size_t>(run_.trace.run.ranks), 0);
    if (is_root)
      sent = list_of(function.word_of("sendcounts"), function.word_of("sendtype"), counts);
    if (is_root && word("recvbuf") == trace::kInPlace) received = {counts[mine], sent.type};
    line("scatterv");
    put_counts();
    argument(received.count);
    argument(word("root"));
    argument(sent.type);
    return argument(received.type);
  }
  const bool is_all = operation == Collective::kAllgatherv;
  Amount sent = amount(word("sendcount"), word("sendtype"));
  Amount received = sent;
  counts.assign(static_cast<std::size_t>(run_.trace.run.ranks), 0);
  if (is_all || is_root)
    received = list_of(function.word_of("recvcounts"), function.word_of("recvtype"), counts);
  if (is_in_place) sent = {counts[mine], received.type};
  put(is_all ? "allgatherv" : "gatherv", {sent.count});
  put_counts();
  if (!is_all) argument(word("root"));
  argument(sent.type);
  argument(received.type);
}

} // namespace rondo::convert::internal
