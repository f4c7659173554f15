// SPDX-License-Identifier: Apache-2.0
#include "logical/places/comm_roles.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/function_groups.hpp"
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <utility>

namespace rondo::logical::internal {
namespace {

// Calls visit(word, is_outcome) for each word that is one communicator.
template <class Visit> void for_each_comm_word(const trace::Function& function, Visit visit) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    if (field.kind == trace::FieldKind::kComm && !field.is_array) visit(word, field.is_outcome);
    word += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
}

bool makes_comms(const trace::Function& function) {
  bool makes = false;
  for_each_comm_word(function, [&](std::size_t, bool is_outcome) { makes = makes || is_outcome; });
  return makes && !trace::is_local(function);
}

bool frees_comm(const trace::Function& function) {
  const trace::Act act = trace::meaning_of(function).act;
  return act == trace::Act::kFreeComm || act == trace::Act::kDisconnect;
}

// Whether all ranks of the class have the same communicators in the same calls.
bool has_same_comms(const trace::Program& program) {
  return std::all_of(program.calls.begin(), program.calls.end(), [](const trace::Call& call) {
    bool is_same = true;
    for_each_comm_word(*trace::find_function(call.function), [&](std::size_t word, bool) {
      const trace::Word::Form form = call.words[word].form;
      is_same =
          is_same && (form == trace::Word::Form::kConstant || form == trace::Word::Form::kColumn);
    });
    return is_same;
  });
}

bool can_be_followed(const trace::Trace& trace) {
  bool makes = false;
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread != 0 || !has_same_comms(*c.program)) return false;
    makes = makes || std::any_of(c.program->calls.begin(), c.program->calls.end(),
                                 [](const trace::Call& call) {
                                   return makes_comms(*trace::find_function(call.function));
                                 });
  }
  return makes;
}

using LastRoles = std::map<std::int64_t, std::int64_t>; // that slots had

class RolesFollower final : public trace::PassFollower {
public:
  RolesFollower(const CommRoles& roles, const LastRoles& last) : roles_(roles), last_(last) {}

  void begin_period() override {
    kept_roles_ = roles_;
    kept_last_ = last_;
  }
  std::uint64_t most_repeats() override {
    return kept_roles_ == roles_ && kept_last_ == last_ ? ~std::uint64_t{0} : 0;
  }
  void repeat(std::uint64_t) override {}
  std::uint64_t effort() const override { return 1 + last_.size(); }

private:
  const CommRoles& roles_;
  const LastRoles& last_;
  CommRoles kept_roles_;
  LastRoles kept_last_;
};

} // namespace

CommRoles::CommRoles(const trace::Trace& trace) {
  if (!can_be_followed(trace)) return;
  for (const trace::CommDefinition& comm : trace.comms) next_ = std::max(next_, comm.slot + 1);
  first_besides_ = next_;
  for (std::size_t c = 0; c < trace.classes.size(); ++c) {
    begin();
    LastRoles before;
    trace::CallReader reader(trace, trace.classes[c], trace.classes[c].ranks.front());
    RolesFollower follower(*this, before);
    trace::PassReader calls(reader, follower);
    while (const trace::CallInstance* call = calls.next()) {
      std::vector<std::int64_t> words = call->words;
      change(*call, words);
      for_each_comm_word(*call->function, [&](std::size_t word, bool) {
        if (call->words[word] < 0) return;
        const auto [last, is_new] = before.try_emplace(call->words[word], words[word]);
        if (!is_new && std::exchange(last->second, words[word]) == words[word]) return;
        seen_[{c, call->words[word]}].insert(words[word]);
        is_renaming_ = is_renaming_ || words[word] != call->words[word];
      });
    }
  }
}

bool CommRoles::follows(const trace::Function& function) {
  return makes_comms(function) || frees_comm(function);
}

void CommRoles::change(const trace::CallInstance& call, std::span<std::int64_t> words) {
  const bool makes = makes_comms(*call.function);
  const int comm = call.function->comm_word();
  const std::int64_t parent =
      makes && comm >= 0 ? now(call.words[static_cast<std::size_t>(comm)]) : trace::kNothing;
  for_each_comm_word(*call.function, [&](std::size_t word, bool is_outcome) {
    std::int64_t& slot = words[word];
    if (slot < 0) return;
    if (makes && is_outcome) {
      make(call, parent, slot);
    } else {
      slot = now(slot);
    }
  });
  if (frees_comm(*call.function) && comm >= 0) free(call.words[static_cast<std::size_t>(comm)]);
}

std::int64_t CommRoles::now(std::int64_t slot) const {
  const auto found = current_.find(slot);
  return found == current_.end() ? slot : numbers_.at(found->second);
}

void CommRoles::make(const trace::CallInstance& call, std::int64_t parent, std::int64_t& slot) {
  const Statement statement{parent, call.function->id, call.site};
  std::set<std::int64_t>& live = live_[statement];
  std::int64_t index = 0;
  while (live.contains(index)) ++index;
  live.insert(index);
  const Role role{statement, index};
  current_.insert_or_assign(slot, role);
  const auto [known, is_new] = numbers_.try_emplace(role, slot);
  if (is_new && !taken_.insert(slot).second) {
    known->second = next_++;
    taken_.insert(known->second);
  }
  slot = known->second;
}

void CommRoles::free(std::int64_t slot) {
  const auto found = current_.find(slot);
  if (found != current_.end()) live_[found->second.first].erase(found->second.second);
}

std::set<std::int64_t> CommRoles::roles_of(std::size_t rank_class, std::int64_t slot) const {
  const auto found = seen_.find({rank_class, slot});
  return found == seen_.end() ? std::set<std::int64_t>{slot} : found->second;
}

std::set<std::int64_t> CommRoles::kept(std::set<std::int64_t> slots) const {
  for (const auto& [from, roles] : seen_) {
    for (const std::int64_t role : roles) {
      if (role != from.second) slots.erase(role);
    }
  }
  return slots;
}

std::map<std::int64_t, std::string> CommRoles::made_besides() const {
  std::map<std::int64_t, std::string> result;
  for (const auto& [role, number] : numbers_) {
    const auto& [parent, function, site] = role.first;
    if (number >= first_besides_)
      result.emplace(number, std::string(trace::find_function(function)->name));
  }
  return result;
}

std::vector<trace::CommDefinition> CommRoles::definitions(std::int64_t ranks) const {
  std::vector<trace::CommDefinition> result;
  std::vector<std::int64_t> all;
  for (std::int64_t rank = 0; rank < ranks; ++rank) all.push_back(rank);
  const trace::RankSet holders = trace::RankSet::of(std::vector<std::int64_t>(all));
  const std::vector<trace::RankRange> members = trace::ranges_of(all);
  for (const std::int64_t number : taken_) result.push_back({number, members, {}, holders});
  return result;
}

} // namespace rondo::logical::internal
