// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arrivals.hpp"

#include <algorithm>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::Word;

// Columns and functions of the rank may hold a wildcard; whether they do is seen on the way.
bool may_be(const Word& word, std::int64_t wildcard) {
  return word.form != Word::Form::kConstant || word.value == wildcard;
}

bool has_later_wildcards(const trace::Program& program) {
  return std::any_of(program.calls.begin(), program.calls.end(), [](const trace::Call& call) {
    const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
    if (means.source < 0 || means.status >= 0) return false;
    return may_be(call.words[static_cast<std::size_t>(means.source)], trace::kAnySource) ||
           may_be(call.words[static_cast<std::size_t>(means.receive_tag)], trace::kAnyTag);
  });
}

} // namespace

Arrivals::Arrivals(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank) {
  if (has_later_wildcards(*of.program)) go_through(trace::CallReader(trace, of, rank));
}

void Arrivals::go_through(trace::CallReader reader) {
  std::vector<Completion> completions;
  for (std::uint64_t at = 0; const CallInstance* call = reader.next(); ++at) {
    const trace::CallMeaning& means = trace::meaning_of(*call->function);
    numbers_.count(*call);
    if (means.status < 0 && asks_for_any(*call, means)) open(at, *call);
    if (means.act == trace::Act::kStart && !open_.empty() && call->error == 0) {
      if (means.request >= 0) start(at, word_at(*call, means.request));
      for (const std::int64_t r : elements_of(reader.program(), word_at(*call, means.requests)))
        start(at, r);
    }
    if (means.completes != trace::Completes::kNone && !open_.empty()) {
      completions_of(reader, *call, means, completions);
      for (const Completion& c : completions) complete(c, !means.keeps_request);
    }
    numbers_.release(*call, means);
  }
  open_.clear();
  find_differing();
}

// A receive that asks for one source beside others that ask for any would wait forever where one of
// those took its message: all persistent ones ask for any, or none does.
void Arrivals::find_differing() {
  const bool has_any = std::any_of(later_.begin(), later_.end(), [](const Arrival& arrival) {
    return arrival.state == Arrival::State::kDiffering;
  });
  if (!has_any) return;
  for (std::size_t i = 0; i < later_.size(); ++i) {
    if (made_by_[i] == i) continue; // the call that made it, or it has none
    later_[i].state = later_[made_by_[i]].state = Arrival::State::kDiffering;
    differing_.emplace_back(later_[i].source, later_[i].tag);
  }
  std::sort(differing_.begin(), differing_.end());
}

void Arrivals::open(std::uint64_t at, const CallInstance& call) {
  if (call.error == 0) open_[numbers_.newest()] = {later_.size(), later_.size()};
  made_by_.push_back(later_.size());
  later_.emplace_back();
  call_of_.push_back(at);
}

void Arrivals::start(std::uint64_t at, std::int64_t reference) {
  const auto found = open_.find(numbers_.of(reference));
  if (found == open_.end()) return;
  found->second.started = later_.size();
  made_by_.push_back(found->second.made);
  later_.emplace_back();
  call_of_.push_back(at);
}

void Arrivals::complete(const Completion& completion, bool for_good) {
  const std::int64_t number = numbers_.of(completion.request);
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  if (completion.source != trace::kNothing) {
    const Arrival came{Arrival::State::kOne, completion.source, completion.tag};
    const Open& open = found->second;
    Arrival& all = later_[open.made];
    if (all.state == Arrival::State::kNever) {
      all = came;
    } else if (all.source != came.source || all.tag != came.tag) {
      all.state = Arrival::State::kDiffering;
    }
    if (open.started != open.made) later_[open.started] = came;
  }
  const bool is_nonblocking = (number & 1) == 0;
  if (is_nonblocking && for_good) open_.erase(found);
}

std::span<const Arrival> Arrivals::next(const CallInstance& call) {
  const trace::CallMeaning& means = trace::meaning_of(*call.function);
  const std::uint64_t at = call_++;
  if (means.status >= 0 && asks_for_any(call, means)) {
    const std::int64_t source = word_at(call, means.status);
    own_ = source == trace::kNothing
               ? Arrival{}
               : Arrival{Arrival::State::kOne, source, word_at(call, means.status + 1)};
    return {&own_, 1};
  }
  const std::size_t first = next_;
  while (next_ < call_of_.size() && call_of_[next_] == at) ++next_;
  return {later_.data() + first, next_ - first};
}

} // namespace rondo::generate
