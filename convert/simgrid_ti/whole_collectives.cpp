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
      : run_(side.run), side_(side), function_(*side.call.function),
        means_(trace::meaning_of(function_)), call_(means_, side.call.words), lines_(lines) {}

  void write() {
    switch (means_.collective) {
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
    const Amount moved = sent_amount();
    if (moved.count > kMostInt) return refuse_count();
    lines_.put(action, {moved.count});
    if (has_flops) lines_.argument(0); // what it computes is in the times already
    if (means_.root >= 0) lines_.argument(call_.root());
    lines_.argument(moved.type);
  }

  // One count for each side, with a root or without.
  void two_sided(std::string_view action, bool is_gather, bool is_scatter) {
    Amount sent = sent_amount();
    Amount received = received_amount();
    if (is_in_place()) sent = received;
    if (is_gather && !is_root()) received = sent;
    if (is_scatter && !is_root()) sent = received;
    if (is_scatter && is_root() && receives_in_place()) received = sent;
    if (sent.count > kMostInt || received.count > kMostInt) return refuse_count();
    lines_.put(action, {sent.count, received.count});
    if (is_gather || is_scatter) lines_.argument(call_.root());
    put_types(sent, received);
  }

  void reduce_scatter() {
    Counts counts;
    Amount sum;
    if (!means_.has_receive_counts) { // blocks that are alike
      sum = received_amount();
      counts = for_all(sum.count);
    } else {
      sum = received_list(counts);
    }
    lines_.line("reducescatter");
    put_counts(counts);
    lines_.argument(0);
    lines_.argument(sum.type);
  }

  void alltoallv() {
    Counts receive_counts;
    const Amount received = received_list(receive_counts);
    Counts send_counts = receive_counts;
    Amount sent = received;
    if (!is_in_place()) sent = sent_list(send_counts);
    lines_.put("alltoallv", {sent.count});
    put_counts(send_counts);
    lines_.argument(received.count);
    put_counts(receive_counts);
    put_types(sent, received);
  }

  void scatterv() {
    Amount received = received_amount();
    Amount sent = received;
    Counts counts = for_all(0);
    if (is_root()) sent = sent_list(counts);
    if (is_root() && receives_in_place()) received = {own(counts), sent.type};
    lines_.line("scatterv");
    put_counts(counts);
    lines_.argument(received.count);
    lines_.argument(call_.root());
    put_types(sent, received);
  }

  void gatherv(bool is_all) {
    Amount sent = sent_amount();
    Amount received = sent;
    Counts counts = for_all(0);
    if (is_all || is_root()) received = received_list(counts);
    if (is_in_place()) sent = {own(counts), received.type};
    lines_.put(is_all ? "allgatherv" : "gatherv", {sent.count});
    put_counts(counts);
    if (!is_all) lines_.argument(call_.root());
    put_types(sent, received);
  }

  // The counts of an array argument; of types that differ or that SimGrid has not: bytes.
  // @param given_counts, type   words of the call: an array, and a datatype or an array of them
  Amount list_of(std::int64_t given_counts, std::int64_t type, bool has_types, Counts& counts) {
    const auto given = side_.array(given_counts);
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

  Amount sent_list(Counts& counts) {
    return list_of(call_.send_count(), call_.send_type(), means_.has_send_types, counts);
  }
  Amount received_list(Counts& counts) {
    return list_of(call_.receive_count(), call_.receive_type(), means_.has_receive_types, counts);
  }
  Amount sent_amount() {
    return side_.amounts.of(function_, call_.send_count(), call_.send_type());
  }
  Amount received_amount() {
    return side_.amounts.of(function_, call_.receive_count(), call_.receive_type());
  }
  bool is_root() const { return call_.root() == side_.rank; } // ranks are those of MPI_COMM_WORLD
  bool is_in_place() const {
    return trace::word_or(call_.words(), means_.send_buffer, trace::kNothing) == trace::kInPlace;
  }
  bool receives_in_place() const { // as the root of a scatter may
    const int word = function_.word_of("recvbuf");
    return trace::word_or(call_.words(), word, trace::kNothing) == trace::kInPlace;
  }
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
  const trace::CallMeaning& means_;
  const trace::CallView call_;
  ActionLines& lines_;
};

} // namespace

void write_collective(const CallSide& side, ActionLines& lines) {
  CollectiveLine(side, lines).write();
}

} // namespace rondo::convert::internal
