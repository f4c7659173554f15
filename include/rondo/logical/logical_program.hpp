// SPDX-License-Identifier: Apache-2.0
// The logical program: what all ranks do as one text, peers named by their direction in the
// topology that the ranks form. Every rank's own calls can be had back from it.
//
//   auto logical = logicalize(trace, {});
//   std::cout << logical_text(text_of(logical, nullptr));
#pragma once

#include "rondo/logical/directions.hpp"
#include "rondo/matrix/arrivals.hpp"
#include "rondo/topology/graph.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/ran_programs.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rondo::trace {
class CommunicatorNames;
}

namespace rondo::logical {

/// A topology that some of the messages follow.
struct PeerTopology {
  std::string name; // "4x4 grid", "4 copies of ring of 4 ranks"
  topology::Topology topology; // of each copy
  std::vector<topology::Vertex> cells; // rank -> cell in its copy, -1 outside
  std::vector<topology::Vertex> copy_of; // rank -> copy; empty if there is one
  Directions directions;
};

/// What stands for a peer in the words of a logical program, as a distance from the own rank in the
/// call's communicator.
struct Peer {
  enum class Form : std::uint8_t { kSelf, kDirection, kOutside, kUnknown };
  Form form = Form::kSelf;
  std::size_t peer_topology = 0; // kDirection
  std::size_t direction = 0;
  /// kOutside: between the cells, from the own one to the peer's. kUnknown, of a communicator that
  /// the trace does not define: as recorded.
  std::int64_t distance = 0;
  /// As the direction of a star: to its leaves, whichever. Of it there is no Expansion.
  static constexpr std::size_t kAnyLeaf = (std::size_t{1} << 24) - 2;
  friend bool operator==(const Peer&, const Peer&) = default;
};

/// Point-to-point calls, and the bytes that the sends among them send.
struct CallsAndBytes {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
};

struct Accuracy {
  CallsAndBytes all;
  CallsAndBytes outside; // with a peer that no peer topology leads to
  std::vector<CallsAndBytes> outside_of_ranks; // by recorded rank
};

/// What of a call stays in the logical program.
enum class Detail : std::uint8_t {
  kFull,
  kPaper, // function, peers, datatype and communicator: what the paper's records have
};

/// Calls that no other rank hears of and that a logical program is without.
enum class Unseen : std::uint8_t {
  kNothing,
  kLocal, // trace::is_local(), what makes operations, frees requests, or is done by one rank alone;
          // polls that found nothing
  kTypes, // and what makes datatypes: amounts of such types are in bytes
};

/// Calls of one kind that no other rank hears of and the text leaves out, of all ranks.
struct LocalCalls {
  std::string name; // "type_commit"
  std::uint64_t calls = 0;
};

/// By recorded rank, slot of a communicator in the text, and tag: who sent to it there.
using Answers =
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::set<std::int64_t>>;

struct LogicalProgram {
  std::string name; // of the program that the ranks ran; "ocean, air" of several
  std::vector<trace::RanProgram> programs{}; // several, with their recorded ranks; else empty
  std::vector<PeerTopology>
      peer_topologies; // most traffic first; empty if no part of the traffic has directions
  std::vector<std::int64_t> cell_of_rank; // recorded rank -> rank in `cells`
  /// The run with cells for ranks. A peer word is the own rank in the communicator plus
  /// code_of(peer).
  trace::Trace cells;
  Accuracy accuracy;
  /// As in the recorded run: `cells` may be without the calls that made or named them.
  std::shared_ptr<const trace::CommunicatorNames> communicators{};
  /// Of the recorded ranks: what is a row of theirs can be a column of cells.
  std::vector<topology::CrossedFamilies> crossed{};
  std::set<std::int64_t> comms_of_all_ranks{}; // slots of the recorded run, each time it is made
  /// Of each merged program and its calls: where they stand in the source, as sites of the recorded
  /// trace, ascending. Empty if nobody asked for it.
  std::vector<std::vector<std::vector<std::uint32_t>>> sites{};
  /// Likewise: the place of each call in the order of the flow of control, ascending. Empty if all
  /// ranks do the same, or no call sites tell.
  std::vector<std::vector<std::uint32_t>> places{};
  Detail detail = Detail::kFull; // what of a call is to be written
  bool could_have_borders = false; // LogicalizeOptions::has_borders, but something else was plainer
  bool says_cells = false; // numbers in the text are cells, not ranks
  bool shows_local = false; // calls that no other rank hears of are in the text
  bool sums_up_disorder = false; // stretches without a common order of the ranks are lists of calls
  bool lists_few = false; // few directions one after the other are a loop with a list, too
  bool is_by_flow = false; // some of it, as LogicalizeOptions has it
  std::size_t frames = 0; // of call stacks that tell calls apart; 0: all that were recorded
  bool is_in_source_order = false; // as LogicalizeOptions has it: sites of `cells` say of what
  Unseen unseen = Unseen::kNothing; // what `cells` is without
  std::vector<LocalCalls> local{}; // that `cells` is without, most calls first
  /// The datatype of `cells` that stands for all that the program made, one byte long; -1: none.
  std::int64_t bytes_of_types = -1;
  Answers answers{}; // where something is received from any source; empty if nobody asked for it
  matrix::Arrivals arrivals{}; // by the same sites; empty if nobody asked for it
  /// Where another rank leads in each step: "in turn by all ranks". Ranks are counted from the
  /// leader then, and this is the run so that they are; nullptr: ranks are themselves.
  std::string led_by{};
  std::shared_ptr<const trace::Trace> turned{};
};

std::int64_t code_of(const Peer& peer);
/// @param code  as code_of() gave it
Peer peer_of(std::int64_t code);

struct LogicalizeOptions {
  Detail detail = Detail::kFull; // of kPaper there is no Expansion
  /// Folded by what the text says of a call: the rest is left out. Leaves of a star are one
  /// direction. There is no Expansion.
  bool for_text = false;
  /// Of ranks that do the same only one is played, and they have the mean of their times: enough
  /// for a text. There is no Expansion. With for_text it is so anyway.
  bool plays_alike_once = false;
  /// With for_text: what one statement makes is one communicator, on all ranks and each time.
  bool by_roles = false;
  /// With for_text: calls that differ in nothing but where they stand in the source are one.
  bool drops_sites = false;
  /// With for_text: calls of different ranks in different directions are different ones, also where
  /// they stand at one place in the source.
  bool directions_apart = false;
  /// With for_text: where a rank goes through the messages between two collectives in another order
  /// than that of the source, because roles change from step to step, its calls are in that order,
  /// and the text says so.
  bool in_source_order = false;
  /// With for_text, by site of the trace: what is called at one place in the source is one call,
  /// however its words vary, and loops are those of the flow of control: where the data decides on
  /// sizes, tags and partners of messages, nothing repeats. As fold::Recasting has it.
  std::vector<bool> by_flow{};
  /// Several directions in one call, where that saves a third of the terms: shorter, but it says
  /// less.
  bool shortest = false;
  /// Two ranks in an open dimension have borders, and four in a square are a grid of 2x2; else they
  /// swap or are a ring where that is plainer.
  bool has_borders = false;
  /// Of the calls that are left out there is no Expansion.
  Unseen unseen = Unseen::kNothing;
  /// Of several names for a topology the one that goes with the ranks' numbers, as `rondo topology`
  /// has it, and directions that do; else what does not depend on them.
  bool by_rank_numbers = false;
  /// Numbers in the text are those of `cells`, which do not depend on how the ranks were numbered.
  bool says_cells = false;
  std::function<void(std::uint64_t done, std::uint64_t streams)> progress{};
};

/// @complexity  recognition, then O(calls of all ranks) to fold them anew
/// @source      [logicalization, sec. 4.3]; assembled from all ranks instead of one maximal
///              process, so nothing is lost
LogicalProgram logicalize(const trace::Trace& trace, const LogicalizeOptions& options = {});

/// LogicalProgram::sites.
/// @param program  that was made of the trace
/// @complexity     O(calls of one rank of each class)
std::vector<std::vector<std::vector<std::uint32_t>>> sites_of_calls(const trace::Trace& trace,
                                                                    const LogicalProgram& program);

/// Folded by what the text says of a call, once with the call sites and once without: the one that
/// is easier to read. Sites tell what ranks have in common; without them a body that was written
/// twice is a loop. Where a datatype for each message is most of what there is to read, amounts of
/// such types are in bytes.
/// Where data decides on messages, each call of the source stands once, in the loops of the flow of
/// control, if that is far shorter.
/// Where ranks differ in the order of messages that all have, as roles change from step to step,
/// and the text would be twice as long, messages between collectives are in the source's order.
/// @param shows_local  calls that no other rank hears of are kept, and are in the text
/// @param keeps_order  each rank's order, whatever comes of it; off_topology() needs it
/// @complexity  up to seven times that of logicalize(); twice that where four ranks could be a
///              grid, or two have borders and no call sites tell
LogicalProgram logicalize_for_text(const trace::Trace& trace, bool by_rank_numbers = true,
                                   bool shows_local = false, bool keeps_order = false);

/// In the paper's detail: as logicalize_for_text() has it, or folded with all words, without those
/// that are not written, or without call sites; whichever has the fewest records. Words that are
/// not written can tell loops apart or keep ranks together.
/// @complexity  as logicalize_for_text() and three times logicalize()
/// @source      [logicalization, sec. 2]
LogicalProgram logicalize_in_paper_detail(const trace::Trace& trace, bool shows_local = false);

/// Plays back the calls of a recorded rank, with the peers that it had.
class Expansion {
public:
  /// @param trace   that `program` was made of; both must outlive the expansion
  /// @param thread  one that the rank has
  Expansion(const trace::Trace& trace, const LogicalProgram& program, std::int64_t rank,
            std::uint32_t thread = 0);

  /// The next call, valid until the call after; nullptr at the end.
  const trace::CallInstance* next();

  /// The values that an array word of the last call refers to, as the recorded rank had them; empty
  /// if the word refers to none.
  std::vector<std::int64_t> array(const trace::Field& field, std::int64_t word) const;
  /// Texts that words refer to.
  const std::vector<std::string>& texts() const { return reader_.program().texts; }

private:
  std::int64_t world_rank_of(const Peer& peer) const;
  std::int64_t recorded_peer(std::int64_t code, std::int64_t comm) const;

  const LogicalProgram& program_;
  std::int64_t rank_;
  std::vector<std::int64_t> rank_of_cell_;
  trace::Positions positions_; // of the recorded rank
  trace::CallReader reader_;
  trace::CallInstance call_;
};

} // namespace rondo::logical
