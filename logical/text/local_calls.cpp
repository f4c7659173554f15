// SPDX-License-Identifier: Apache-2.0
#include "logical/text/local_calls.hpp"

#include "logical/places/names.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/function_groups.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::string_view kLocalHead = "# left out of sight: local calls, ";

using trace::Act;

bool is_unseen(Unseen unseen, const trace::Function& function) {
  if (trace::is_local(function) || function.role == trace::Role::kOp) return true;
  if (trace::meaning_of(function).act == Act::kFreeRequest) return true;
  return unseen == Unseen::kTypes && function.role == trace::Role::kDatatype;
}

// The slot of the one communicator that a call is about; kNothing if there is none, or several.
std::int64_t comm_argument(const trace::Function& function, const trace::Call& call) {
  const auto inputs =
      std::count_if(function.fields.begin(), function.fields.end(), [](const auto& field) {
        return field.kind == trace::FieldKind::kComm && !field.is_outcome;
      });
  const int word = function.comm_word();
  if (word < 0 || inputs != 1) return trace::kNothing;
  const trace::Word& comm = call.words[static_cast<std::size_t>(word)];
  return comm.form == trace::Word::Form::kConstant ? comm.value : trace::kNothing;
}

// What is nothing but the meeting of a communicator's ranks, or makes one of the same ranks.
bool is_meeting(const trace::Function& function) {
  const Act act = trace::meaning_of(function).act;
  const bool is_of_comms =
      function.role == trace::Role::kComm || function.role == trace::Role::kTopo;
  return function.role == trace::Role::kCollective ||
         (is_of_comms && (act == Act::kMakeComm || act == Act::kFreeComm));
}

// Slots of communicators that have no rank but the own one, by class.
class Alone {
public:
  explicit Alone(const trace::Trace& trace) : trace_(trace) {
    for (const trace::CommDefinition& comm : trace.comms) {
      if (is_alone(comm)) by_slot_[comm.slot];
    }
    for (const trace::CommDefinition& comm : trace.comms) {
      const auto found = by_slot_.find(comm.slot);
      if (found != by_slot_.end()) found->second.push_back(&comm);
    }
  }

  bool contains(const trace::RankClass& of, std::int64_t slot) const {
    if (trace_.run.ranks < 2) return false; // all that the program does
    if (slot == trace::kSelfSlot) return true;
    const auto found = by_slot_.find(slot);
    if (found == by_slot_.end()) return false;
    bool is_known = false;
    for (const trace::CommDefinition* comm : found->second) {
      const std::vector<std::int64_t> holders = comm->holders.ranks();
      const bool is_of_class = std::any_of(holders.begin(), holders.end(),
                                           [&](auto rank) { return of.ranks.contains(rank); });
      if (is_of_class && !is_alone(*comm)) return false;
      is_known = is_known || is_of_class;
    }
    return is_known;
  }

private:
  static bool is_alone(const trace::CommDefinition& comm) {
    return comm.slot >= 0 && comm.remote.empty() && comm.members.size() == 1 &&
           comm.members.front().count == 1;
  }

  const trace::Trace& trace_;
  std::map<std::int64_t, std::vector<const trace::CommDefinition*>> by_slot_; // alone for somebody
};

std::vector<LocalCalls> most_first(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<LocalCalls> result;
  for (const auto& [name, calls] : counts) result.push_back({name, calls});
  sort_stably(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.calls > b.calls; });
  return result;
}

} // namespace

// A statement is out of sight only if it is for all ranks that make it: what one of several groups
// of ranks does alone is part of what the others show.
UnseenCalls::UnseenCalls(const trace::Trace& trace, Unseen unseen) {
  const Alone alone(trace);
  std::map<std::pair<std::size_t, std::uint32_t>, bool> is_alone; // by program and merged call
  const auto meets = [](const trace::Call& call) {
    return is_meeting(*trace::find_function(call.function));
  };
  for (const trace::RankClass& c : trace.classes) {
    for (std::uint32_t symbol = 0; symbol < c.program->calls.size(); ++symbol) {
      const trace::Call& call = c.program->calls[symbol];
      if (!meets(call)) continue;
      bool& all = is_alone.try_emplace({c.merged, c.calls[symbol]}, true).first->second;
      all = all && alone.contains(c, comm_argument(*trace::find_function(call.function), call));
    }
  }
  for (const trace::RankClass& c : trace.classes) {
    std::vector<Sight>& of_class = sights_[&c];
    for (std::uint32_t symbol = 0; symbol < c.program->calls.size(); ++symbol) {
      const trace::Call& call = c.program->calls[symbol];
      const bool is_out_of_sight = meets(call)
                                       ? is_alone.at({c.merged, c.calls[symbol]})
                                       : is_unseen(unseen, *trace::find_function(call.function));
      const bool is_poll = trace::outcome_of_poll(*trace::find_function(call.function)) >= 0;
      of_class.push_back(unseen == Unseen::kNothing ? Sight::kSeen
                         : is_out_of_sight          ? Sight::kUnseen
                         : is_poll                  ? Sight::kUnlessFound
                                                    : Sight::kSeen);
    }
  }
}

std::vector<LocalCalls> UnseenCalls::count(const CallsOf& idle_polls) const {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [function, calls] : idle_polls)
    counts[short_name(function->name) + " that found nothing"] = calls;
  for (const auto& [c, sights] : sights_) {
    const auto executions = c->program->nest.occurrences(c->program->calls.size());
    for (std::size_t symbol = 0; symbol < executions.size(); ++symbol) {
      if (sights[symbol] != Sight::kUnseen || executions[symbol] == 0) continue;
      const auto& function = *trace::find_function(c->program->calls[symbol].function);
      counts[short_name(function.name) + (is_meeting(function) ? " on one rank" : "")] +=
          executions[symbol] * static_cast<std::uint64_t>(c->ranks.size());
    }
  }
  return most_first(counts);
}

UnseenReader::UnseenReader(const UnseenCalls& unseen, const trace::Trace& trace,
                           const trace::RankClass& of, std::int64_t rank)
    : unseen_(unseen), of_(of) {
  const auto symbols = static_cast<std::uint32_t>(of.program->calls.size());
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    if (!unseen.may_contain(of, symbol) || unseen.contains(of, symbol)) continue;
    if (polls_.empty()) {
      own_ = trace::program_of(trace, of, rank);
      polls_.resize(symbols);
    }
    const trace::Call& call = own_.calls[symbol];
    const int outcome = trace::outcome_of_poll(*trace::find_function(call.function));
    const trace::Word& word = call.words[static_cast<std::size_t>(outcome)];
    if (call.error != 0) continue;
    if (trace::is_column(word)) {
      polls_[symbol].outcomes.emplace(own_.columns[static_cast<std::size_t>(word.value)]);
    } else {
      polls_[symbol].is_idle = word.value == 0;
    }
  }
}

bool UnseenReader::next(std::uint32_t symbol) {
  if (unseen_.contains(of_, symbol)) return true;
  if (polls_.empty()) return false;
  Poll& poll = polls_[symbol];
  return poll.outcomes ? poll.outcomes->next() == 0 : poll.is_idle;
}

bool makes_types(const trace::Trace& trace) {
  return std::any_of(trace.classes.begin(), trace.classes.end(), [](const trace::RankClass& c) {
    return std::any_of(c.program->calls.begin(), c.program->calls.end(),
                       [](const trace::Call& call) {
                         const auto& function = *trace::find_function(call.function);
                         return function.role == trace::Role::kDatatype &&
                                trace::meaning_of(function).act == Act::kMakeObject;
                       });
  });
}

std::vector<LocalCalls> local_calls_of(const trace::Trace& trace) {
  std::map<std::string, std::uint64_t> counts;
  for (const trace::RankClass& c : trace.classes) {
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    for (std::size_t symbol = 0; symbol < executions.size(); ++symbol) {
      const auto& function = *trace::find_function(c.program->calls[symbol].function);
      if (trace::is_local(function) && executions[symbol] > 0)
        counts[short_name(function.name)] +=
            executions[symbol] * static_cast<std::uint64_t>(c.ranks.size());
    }
  }
  return most_first(counts);
}

std::string local_line(const std::vector<LocalCalls>& local) {
  std::string text(kLocalHead);
  for (std::size_t i = 0; i < local.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(local[i].calls) + " " + local[i].name;
  return text;
}

bool is_local_line(std::string_view line) { return line.starts_with(kLocalHead); }

bool read_local_line(std::string_view line, std::vector<LocalCalls>& local) {
  line.remove_prefix(kLocalHead.size());
  while (true) {
    const std::string_view one = line.substr(0, line.find(", "));
    LocalCalls& read = local.emplace_back();
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), read.calls);
    const auto digits = static_cast<std::size_t>(end - one.data());
    if (error != std::errc{} || read.calls == 0 || digits + 1 >= one.size() || one[digits] != ' ')
      return false;
    read.name = one.substr(digits + 1);
    if (one.size() == line.size()) return true;
    line.remove_prefix(one.size() + 2);
  }
}

} // namespace rondo::logical::internal
