// SPDX-License-Identifier: Apache-2.0
#include "generate/compare/comparable_calls.hpp"

#include <algorithm>

namespace rondo::generate {
namespace {

using trace::CallInstance;
using trace::Field;
using trace::FieldKind;

bool is_object(FieldKind kind) {
  return kind == FieldKind::kComm || kind == FieldKind::kGroup || kind == FieldKind::kDatatype ||
         kind == FieldKind::kOp || kind == FieldKind::kMessage || kind == FieldKind::kWin ||
         kind == FieldKind::kFile || kind == FieldKind::kSession;
}

std::vector<std::int64_t> words_of(const std::vector<trace::RankRange>& members,
                                   const std::vector<trace::RankRange>& remote) {
  std::vector<std::int64_t> words = trace::sequence_of(members);
  words.push_back(trace::kNull); // between the two
  const auto others = trace::sequence_of(remote);
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

// Whether any call has a status, or may have one.
bool has_statuses(const trace::Program& program) {
  for (const trace::Call& call : program.calls) {
    std::size_t word = 0;
    for (const Field& field : trace::find_function(call.function)->fields) {
      const bool is_status = field.kind == FieldKind::kStatus;
      const trace::Word none{trace::Word::Form::kConstant, field.is_array ? 0 : trace::kNothing};
      const trace::Word nothing{trace::Word::Form::kConstant, trace::kNothing};
      if (is_status && call.words[word] != none && call.words[word] != nothing) return true;
      word += is_status && !field.is_array ? 3 : 1;
    }
  }
  return false;
}

} // namespace

std::int64_t Vocabulary::of(const std::string& text) {
  return texts_.try_emplace(text, static_cast<std::int64_t>(texts_.size())).first->second;
}

std::int64_t Vocabulary::of(const std::vector<std::int64_t>& values) {
  return values_.try_emplace(values, static_cast<std::int64_t>(values_.size())).first->second;
}

ComparableCalls::ComparableCalls(const trace::Trace& trace, const trace::RankClass& of,
                                 std::int64_t rank, Vocabulary& vocabulary,
                                 const ComparisonOptions& options)
    : trace_(&trace), reader_(trace, of, rank), arrivals_(trace, of, rank),
      vocabulary_(&vocabulary), options_(options), knows_what_came_(has_statuses(*of.program)) {
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(rank)) datatypes_[type.slot] = &type;
  }
}

const ComparableCall* ComparableCalls::next() {
  while (const CallInstance* call = reader_.next()) {
    const trace::CallMeaning& means = trace::meaning_of(*call->function);
    ++calls_;
    if (is_left_out(*call)) continue;
    const bool is_idle = is_idle_poll(*call);
    if (is_idle) ++idle_polls_;
    call_.function = call->function;
    call_.error = call->error;
    call_.call = calls_ - 1;
    call_.words.clear();
    call_.starts.clear();
    numbers_.count(*call);
    if (call->error == 0) addressed_.next(reader_.program(), *call);
    if (is_idle) {
      arrivals_.next(*call);
      if (options_.polls) return &call_;
      continue;
    }
    say(*call, means);
    numbers_.release(*call, means);
    return &call_;
  }
  return nullptr;
}

// What a program asks of MPI alone is said to nobody (queries.hpp).
bool ComparableCalls::is_left_out(const CallInstance& call) {
  using Part = internal::QueriedTypes::Part;
  const Part part = call.error != 0 ? Part::kNone : queried_.next(reader_.program(), call);
  if (part != Part::kQuery && part != Part::kFree) return false;
  ++queries_;
  arrivals_.next(call);
  return true;
}

void ComparableCalls::say(const CallInstance& call, const trace::CallMeaning& means) {
  const auto came = arrivals_.next(call);
  call_.asked_source = means.source >= 0 ? word_at(call, means.source) : trace::kNothing;
  call_.asked_tag = means.source >= 0 ? word_at(call, means.receive_tag) : trace::kNothing;
  int word = 0;
  for (const Field& f : call.function->fields) {
    call_.starts.push_back(static_cast<std::uint32_t>(call_.words.size()));
    const bool is_wildcard = !options_.wildcards && means.source >= 0 &&
                             ((word == means.source &&
                               call.words[static_cast<std::size_t>(word)] == trace::kAnySource) ||
                              (word == means.receive_tag &&
                               call.words[static_cast<std::size_t>(word)] == trace::kAnyTag));
    if (is_wildcard && !came.empty() && came.front().state == Arrival::State::kOne) {
      call_.words.push_back(word == means.source ? came.front().source : came.front().tag);
    } else {
      field(call, means, f, word);
    }
    word += f.kind == FieldKind::kStatus && !f.is_array ? 3 : 1;
  }
  call_.starts.push_back(static_cast<std::uint32_t>(call_.words.size()));
  // Of starts that got different messages, what all of them got, once. Where all got the same, the
  // call that made the request says so already.
  const bool differs = std::ranges::any_of(
      came, [](const Arrival& each) { return each.state == Arrival::State::kDiffering; });
  if (means.source >= 0 || options_.wildcards || !differs || said_differing_) return;
  for (const auto& [source, tag] : arrivals_.differing())
    call_.words.insert(call_.words.end(), {source, tag});
  said_differing_ = true;
}

void ComparableCalls::field(const CallInstance& call, const trace::CallMeaning& means,
                            const Field& field, int word) {
  const std::int64_t w = call.words[static_cast<std::size_t>(word)];
  using Completes = trace::Completes;
  const bool is_choice = means.completes == Completes::kAny || means.completes == Completes::kSome;
  if (field.kind == FieldKind::kStatus) return; // what came is said by the receives
  if (is_choice && word == means.requests) return completed(call, means);
  if (is_choice && (word == means.index || word == means.outcount || word == means.indices)) {
    // The place in the array does not matter, but whether there was any active request does.
    call_.words.push_back(trace::is_special(w) ? w : 0);
    return;
  }
  if (field.is_array) return array(*call.function, field, w);
  if (field.kind == FieldKind::kBuffer && w == trace::kNothing) { // other arguments say so too
    call_.words.push_back(0);
    return;
  }
  value(field, w);
}

void ComparableCalls::value(const Field& field, std::int64_t word) {
  if (is_object(field.kind)) {
    object(field, word);
  } else if (field.kind == FieldKind::kRequest) {
    call_.words.push_back(numbers_.of(word));
  } else if (field.kind == FieldKind::kText && !trace::is_special(word)) {
    call_.words.push_back(text_of(field, word));
  } else {
    call_.words.push_back(word);
  }
}

void ComparableCalls::array(const trace::Function& function, const Field& field,
                            std::int64_t word) {
  if (trace::is_special(word)) {
    call_.words.push_back(word);
    return;
  }
  const auto& elements = elements_of(reader_.program(), word);
  call_.words.push_back(static_cast<std::int64_t>(elements.size()));
  if (internal::may_have_addresses(function, field) && internal::has_addresses(elements)) {
    const auto places = internal::placed(elements);
    call_.words.insert(call_.words.end(), places.begin(), places.end());
    return;
  }
  for (std::int64_t element : elements) {
    if (field.kind == FieldKind::kRank && !trace::is_special(element))
      element = trace::wrapping_sum(element, reader_.rank());
    value(field, element);
  }
}

// The requests that the call completed, whatever their order.
void ComparableCalls::completed(const CallInstance& call, const trace::CallMeaning& means) {
  completions_of(reader_, call, means, completions_);
  requests_.clear();
  for (const Completion& completion : completions_)
    requests_.push_back(numbers_.of(completion.request));
  std::sort(requests_.begin(), requests_.end());
  call_.words.push_back(static_cast<std::int64_t>(requests_.size()));
  call_.words.insert(call_.words.end(), requests_.begin(), requests_.end());
}

// An object that the call gives back gets the next number of its kind, and says what it is; so does
// one at its first use if no recorded call made it.
void ComparableCalls::object(const Field& field, std::int64_t word) {
  if (trace::is_special(word) || word < 0) {
    call_.words.push_back(word);
    return;
  }
  const auto kind = static_cast<std::size_t>(field.kind);
  auto& numbers = number_[kind];
  const auto found = numbers.find(word);
  if (!field.is_outcome && found != numbers.end()) {
    call_.words.push_back(found->second);
    return;
  }
  if (!field.is_outcome && field.kind == FieldKind::kDatatype) { // a named type that no call made
    const auto type = datatypes_.find(word);
    if (type != datatypes_.end() && !type->second->name.empty()) {
      call_.words.insert(call_.words.end(), {trace::kUndefined, definition_of(field.kind, word)});
      return;
    }
  }
  const std::int64_t number = made_[kind]++;
  numbers[word] = number;
  call_.words.insert(call_.words.end(), {number, definition_of(field.kind, word)});
}

std::int64_t ComparableCalls::definition_of(FieldKind kind, std::int64_t slot) {
  if (kind == FieldKind::kComm) {
    const trace::CommDefinition* comm = reader_.positions().of(slot).comm;
    return comm == nullptr ? trace::kUndefined
                           : vocabulary_->of(words_of(comm->members, comm->remote));
  }
  if (kind == FieldKind::kGroup) {
    for (const trace::GroupDefinition& group : trace_->groups) {
      if (group.slot == slot && group.holders.contains(reader_.rank()))
        return vocabulary_->of(words_of(group.members, {}));
    }
  }
  if (kind == FieldKind::kDatatype) {
    const auto type = datatypes_.find(slot);
    if (type != datatypes_.end())
      return vocabulary_->of(std::vector<std::int64_t>{
          type->second->size_bytes,
          addressed_.contains(slot) ? 0 : type->second->extent_bytes}); // from heap to stack
  }
  return trace::kUndefined;
}

// Files have other names in another run, and a benchmark does not tell what its program called
// things: which name it is counts, in the order of first uses.
std::int64_t ComparableCalls::text_of(const Field& field, std::int64_t word) {
  const auto& texts = reader_.program().texts;
  if (static_cast<std::size_t>(word) >= texts.size()) return trace::kUndefined;
  if (field.name == "datarep") return vocabulary_->of(texts[static_cast<std::size_t>(word)]);
  const auto next = static_cast<std::int64_t>(names_.size());
  return names_.try_emplace({field.name, word}, next).first->second;
}

} // namespace rondo::generate
