// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/communicators.hpp"

#include "convert/paraver/fields.hpp"
#include "convert/text/tokens.hpp"

#include <algorithm>

namespace rondo::convert::internal {

// Extrae defines MPI_COMM_WORLD and each rank's MPI_COMM_SELF before others. A communicator of one
// rank says the same as MPI_COMM_SELF, whatever it is.
std::int64_t ParaverComms::slot_of(const std::vector<std::int64_t>& members) {
  if (members.size() == ranks_ && !has_world_) {
    bool is_ordered = true;
    for (std::size_t i = 0; i < members.size(); ++i)
      is_ordered = is_ordered && members[i] == static_cast<std::int64_t>(i);
    has_world_ = is_ordered;
    if (is_ordered) return trace::kWorldSlot;
  }
  if (members.size() == 1) return trace::kSelfSlot;
  const auto slot = static_cast<std::int64_t>(definitions_.size());
  definitions_.push_back({slot, trace::ranges_of(members), {}, trace::RankSet::of(members)});
  return slot;
}

Result<ParaverComms::Added> ParaverComms::add(std::string_view line) {
  Fields fields(line);
  Added added;
  const std::uint64_t application = fields.number_up_to(~std::uint64_t{0} >> 1);
  fields.expect(':');
  const std::uint64_t comm = fields.number_up_to(~std::uint64_t{0} >> 1);
  fields.expect(':');
  const std::uint64_t size = fields.number_up_to(~std::uint64_t{0} >> 1);
  while (!fields.has_failed() && fields.take(':')) {
    if (fields.rest() == "-1") { // which old tools wrote where they did not know
      added.is_unknown = true;
      return added;
    }
    const std::uint64_t task = fields.number_up_to(application == 1 ? ranks_ : ~0ULL >> 1);
    if (task == 0) fields.expect('\0');
    added.members.push_back(static_cast<std::int64_t>(task) - 1);
  }
  std::vector<std::int64_t> sorted = added.members;
  std::sort(sorted.begin(), sorted.end());
  const bool is_set = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (fields.has_failed() || !fields.is_over() || added.members.size() != size || !is_set) {
    return bad(sentence("found ", shown(line),
                        " behind c:; expected APPLICATION:ID:SIZE and as "
                        "many different tasks, from 1 to ",
                        std::to_string(ranks_)));
  }
  if (application != 1 || size == 0 || comms_.contains(comm)) return Added{};
  ParaverComm& made = comms_[comm];
  made = {slot_of(added.members), size, Roots(size)};
  if (made.slot == trace::kWorldSlot && world_ == 0) world_ = comm;
  added.place = {comm, made.slot, 0, static_cast<std::int64_t>(size)};
  return added;
}

ParaverComm* ParaverComms::find(std::uint64_t comm) {
  const auto found = comms_.find(comm);
  return found == comms_.end() ? nullptr : &found->second;
}

} // namespace rondo::convert::internal
