// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/whole_collectives.hpp"

#include "convert/simgrid_ti/datatypes.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace rondo::convert::internal {
namespace {

using trace::Collective;

class CollectiveLine {
public:
  CollectiveLine(const CallSide& side, ActionLines& lines)
      : run_(side.run), side_(side), function_(*side.call.function), lines_(lines) {}

  void write() {
    switch (trace::meaning_of(function_).collective) {
    case Collective::kBarrier:
      return lines_.line("barrier");
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
      return two_sided("gather", true, false);
    case Collective::kScatter:
      return two_sided("scatter", false, true);
    case Collective::kAllgather:
      return two_sided("allgather", false, false);
    case Collective::kAlltoall:
      return two_sided("alltoall", false, false);
    case Collective::kReduceScatter:
    case Collective::kReduceScatterBlock:
      return reduce_scatter();
    case Collective::kAlltoallv:
    case Collective::kAlltoallw:
      return alltoallv();
    case Collective::kScatterv:
      return scatterv();
    case Collective::kGatherv:
      return gatherv(false);
    case Collective::kAllgatherv:
      return gatherv(true);
    case Collective::kNone:
    case Collective::kNeighborAllgather:
    case Collective::kNeighborAllgatherv:
    case Collective::kNeighborAlltoall:
    case Collective::kNeighborAlltoallv:
    case Collective::kNeighborAlltoallw:
      return run_.refuse(function_,
                         "is a collective operation that SimGrid's replay does not know");
    }
  }

private:
  using Counts = std::vector<std::int64_t>; // by rank

  // One count.
  void simple(std::string_view action, bool has_flops) {
    const Amount moved = amount("count", "datatype");
    if (moved.count > kMostInt) return refuse_count();
    lines_.put(action, {moved.count});
    if (has_flops) lines_.argument(0); // what it computes is in the times already
    if (has("root")) lines_.argument(word("root"));
    lines_.argument(moved.type);
  }

  // One count for each side, with a root or without.
  void two_sided(std::string_view action, bool is_gather, bool is_scatter) {
    Amount sent = amount("sendcount", "sendtype");
    Amount received = amount("recvcount", "recvtype");
    if (is_in_place()) sent = received;
    if (is_gather && !is_root()) received = sent;
    if (is_scatter && !is_root()) sent = received;
    if (is_scatter && is_root() && word("recvbuf") == trace::kInPlace) received = sent;
    if (sent.count > kMostInt || received.count > kMostInt) return refuse_count();
    lines_.put(action, {sent.count, received.count});
    if (is_gather || is_scatter) lines_.argument(word("root"));
    put_types(sent, received);
  }

  void reduce_scatter() {
    Counts counts;
    Amount sum;
    if (has("recvcount")) { // of blocks that are alike
      sum = amount("recvcount", "datatype");
      counts = for_all(sum.count);
    } else {
      sum = list_of("recvcounts", "datatype", counts);
    }
    lines_.line("reducescatter");
    put_counts(counts);
    lines_.argument(0);
    lines_.argument(sum.type);
  }

  void alltoallv() {
    const bool has_types = has("sendtypes");
    Counts receive_counts;
    const Amount received =
        list_of("recvcounts", has_types ? "recvtypes" : "recvtype", receive_counts);
    Counts send_counts = receive_counts;
    Amount sent = received;
    if (!is_in_place())
      sent = list_of("sendcounts", has_types ? "sendtypes" : "sendtype", send_counts);
    lines_.put("alltoallv", {sent.count});
    put_counts(send_counts);
    lines_.argument(received.count);
    put_counts(receive_counts);
    put_types(sent, received);
  }

  void scatterv() {
    Amount received = amount("recvcount", "recvtype");
    Amount sent = received;
    Counts counts = for_all(0);
    if (is_root()) sent = list_of("sendcounts", "sendtype", counts);
    if (is_root() && word("recvbuf") == trace::kInPlace) received = {own(counts), sent.type};
    lines_.line("scatterv");
    put_counts(counts);
    lines_.argument(received.count);
    lines_.argument(word("root"));
    put_types(sent, received);
  }

  void gatherv(bool is_all) {
    Amount sent = amount("sendcount", "sendtype");
    Amount received = sent;
    Counts counts = for_all(0);
    if (is_all || is_root()) received = list_of("recvcounts", "recvtype", counts);
    if (is_in_place()) sent = {own(counts), received.type};
    lines_.put(is_all ? "allgatherv" : "gatherv", {sent.count});
    put_counts(counts);
    if (!is_all) lines_.argument(word("root"));
    put_types(sent, received);
  }

  // The counts of an array argument; of types that differ or that SimGrid has not: bytes.
  Amount list_of(std::string_view counts_word, std::string_view type_word, Counts& counts) {
    const auto given = side_.array(word(counts_word));
    const std::int64_t type = word(type_word);
    const bool has_types = type_word.ends_with('s');
    const auto types = has_types ? side_.array(type) : std::span<const std::int64_t>{};
    const int number = has_types ? -1 : side_.amounts.type_of(function_, type).number;
    counts = for_all(0);
    for (std::size_t i = 0; i < counts.size() && i < given.size(); ++i) {
      const std::int64_t own_type = i < types.size() ? types[i] : type;
      const std::int64_t bytes = side_.amounts.type_of(function_, own_type).size_bytes;
      counts[i] = number >= 0 ? given[i] : given[i] * bytes;
      if (counts[i] > kMostInt) refuse_count();
    }
    const std::int64_t sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    return {sum, number >= 0 ? number : kByteType};
  }

  bool has(std::string_view field) const { return function_.word_of(field) >= 0; }
  std::int64_t word(std::string_view field) const {
    return trace::word_or(side_.call.words, function_.word_of(field), trace::kNothing);
  }
  Amount amount(std::string_view count, std::string_view type) {
    return side_.amounts.of(function_, word(count), word(type));
  }
  bool is_root() const { return word("root") == side_.rank; } // ranks are those of MPI_COMM_WORLD
  bool is_in_place() const { return word("sendbuf") == trace::kInPlace; }
  Counts for_all(std::int64_t count) const {
    return Counts(static_cast<std::size_t>(run_.trace.run.ranks), count);
  }
  std::int64_t own(const Counts& counts) const {
    return counts[static_cast<std::size_t>(side_.rank)];
  }
  void put_counts(const Counts& counts) {
    for (const std::int64_t count : counts) lines_.argument(count);
  }
  void put_types(const Amount& sent, const Amount& received) {
    lines_.argument(sent.type);
    lines_.argument(received.type);
  }
  void refuse_count() { run_.refuse(function_, "has a count that SimGrid cannot read"); }

  Export& run_;
  const CallSide& side_;
  const trace::Function& function_;
  ActionLines& lines_;
};

} // namespace

void write_collective(const CallSide& side, ActionLines& lines) {
  CollectiveLine(side, lines).write();
}

} // namespace rondo::convert::internal
