// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/rank_folder.hpp"

#include "convert/text/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kMaxRequests = std::size_t{1} << 20; // of one MPI_Waitall

} // namespace

// What is not said ------------------------------------------------------------------------------

std::vector<Remark> Unsaid::remarks() const {
  return counted_remarks({
      {senders, "receives from any source", "the trace does not say who sent"},
      {operations, "reductions", "the trace does not say with which operation"},
      {partial_waitalls, "calls of MPI_Waitall for some of the open requests",
       "the oldest are taken"},
      {tests, "calls of MPI_Test", "the trace does not say whether the request was complete"},
      {null_peers, "messages to a rank without number", "taken as MPI_PROC_NULL"},
      {communicators, "communicators made", "the trace does not say of which ranks"},
      {unfinished_ranks, "ranks without finalize at the end", "the trace is incomplete"},
  });
}

// Lines -----------------------------------------------------------------------------------------

RankFolder::RankFolder(std::int64_t rank, std::int64_t ranks, const SimgridTiOptions& options)
    : rank_(rank), rank_text_(std::to_string(rank)), ranks_(ranks),
      seconds_per_flop_(1 / options.flops_per_second), program_(options.program), sites_(1) {
  program_.set_position(trace::kWorldSlot, rank, ranks);
  if (options.all_times) stamps_.emplace();
}

RankFolder::KnownLine& RankFolder::known(std::string_view line) {
  return known_lines_[std::hash<std::string_view>()(line) % kKnownLines];
}

Status RankFolder::add(std::string_view line) {
  if (const KnownLine& before = known(line);
      before.form != nullptr && before.text == line && !is_finalized_) {
    event_ = before.event;
    event_[1] = site_;
    note(*before.form);
    record();
    return {};
  }
  split(line, tokens_);
  if (tokens_.empty() || tokens_[0].front() == '#') return {};
  if (auto right = check_rank(tokens_[0]); !right) return right;
  if (tokens_.size() < 2) return bad("the line ends behind the rank; expected an action");
  const std::string_view action = tokens_[1];
  const auto forms = forms_of(action);
  if (forms.empty()) {
    return bad(
        sentence(shown(action),
                 " is no action of a time-independent trace; expected init, send, compute ..."));
  }
  if (is_finalized_)
    return bad(sentence("found ", shown(action), " behind finalize; expected the end of the file"));
  switch (forms.front().kind) {
  case ActionKind::kUnreadable:
    return fail(
        ErrorCode::kUnsupported,
        sentence(action, " does not say which requests it means; such a trace cannot be read"));
  case ActionKind::kPassedOver:
    return {};
  case ActionKind::kCall:
    break;
  default:
    return add_special(forms);
  }
  return add_row(forms, line);
}

// A row of the table, by how many arguments there are.
Status RankFolder::add_row(std::span<const ActionForm> forms, std::string_view line) {
  const std::size_t arguments = tokens_.size() - 2;
  const auto ranks = static_cast<std::size_t>(ranks_);
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const ActionForm& candidate) {
    return arguments >= candidate.least(ranks) && arguments <= candidate.most(ranks);
  });
  if (form == forms.end()) return wrong_length(forms);
  auto added = add_call(*form);
  if (added && flops_inside_ == 0) known(line) = {std::string(line), &*form, event_};
  return added;
}

// Actions that are not as simple as a row of the table.
Status RankFolder::add_special(std::span<const ActionForm> forms) {
  const ActionForm& form = forms.front();
  const std::size_t arguments = tokens_.size() - 2;
  const auto expect = [&](std::size_t least, std::size_t most, auto add_it) -> Status {
    if (arguments < least || arguments > most) return wrong_length(forms);
    return add_it();
  };
  switch (form.kind) {
  case ActionKind::kInit:
    return expect(0, 1, [&] { return add_init(form); });
  case ActionKind::kFinalize:
    return expect(0, 0, [&]() -> Status {
      begin(form);
      record();
      is_finalized_ = true;
      return {};
    });
  case ActionKind::kCompute:
    return expect(1, 1, [&] { return add_time("an amount of computation", seconds_per_flop_); });
  case ActionKind::kSleep:
    return expect(1, 1, [&] { return add_time("a number of seconds", 1); });
  case ActionKind::kLocation:
    return expect(2, 2, [&] { return add_location(); });
  case ActionKind::kWait:
    return expect(3, 3, [&] { return add_wait(form, true); });
  case ActionKind::kTest:
    return expect(3, 3, [&] { return add_wait(form, false); });
  default:
    return expect(0, 1, [&] { return add_waitall(form); });
  }
}

std::optional<std::int64_t> rank_of_token(std::string_view token) {
  for (const std::string_view prefix : {"rank-", "p"}) {
    if (token.starts_with(prefix)) token.remove_prefix(prefix.size());
  }
  std::int64_t rank = -1;
  return parse(token, rank) ? std::optional(rank) : std::nullopt;
}

Status RankFolder::check_rank(std::string_view token) const {
  if (token == rank_text_) return {};
  const auto rank = rank_of_token(token);
  if (!rank) {
    return bad(sentence("found ", shown(token), "; expected the rank, ", std::to_string(rank_)));
  }
  if (*rank == rank_) return {};
  return bad(sentence("the line is of rank ", std::to_string(*rank), "; expected rank ",
                      std::to_string(rank_), ", as the file's name or place in the list says"));
}

tl::unexpected<Error> RankFolder::wrong_length(std::span<const ActionForm> forms) const {
  std::string expected;
  for (const ActionForm& form : forms) {
    if (!expected.empty()) expected += ", or ";
    expected += form.arguments_text.empty() ? "none" : sentence("\"", form.arguments_text, "\"");
  }
  const bool lacks_tag = forms.front().tag_word >= 0 && tokens_.size() == 4;
  return bad(sentence(tokens_[1], " has ", counted(tokens_.size() - 2, "argument"), " on ",
                      counted(static_cast<std::size_t>(ranks_), "rank"), "; expected ", expected,
                      lacks_tag ? "; traces of old SimGrid, without tags, are not read" : ""));
}

// Calls -----------------------------------------------------------------------------------------

void RankFolder::begin(const ActionForm& form) {
  event_ = form.event;
  event_[1] = site_;
}

void RankFolder::record() {
  const double whole = std::floor(std::min(computation_ns_ + 0.5, kMaxNanoseconds));
  const auto ns = static_cast<std::uint64_t>(whole);
  program_.record(event_.data(), event_.size(), ns, 0);
  now_ns_ += ns;
  if (stamps_) stamps_->add({now_ns_, ns, 0});
  facts_.computation_ns += ns;
  computation_ns_ = 0;
}

Status RankFolder::add_call(const ActionForm& form) {
  begin(form);
  flops_inside_ = 0;
  std::size_t at = 2;
  for (const Argument& argument : form.arguments) {
    if (at == tokens_.size()) break; // the rest is optional
    const auto next = take_argument(form, argument, at);
    if (!next) return propagate(next);
    at = *next;
  }
  complete_words(form);
  note(form);
  record();
  computation_ns_ += flops_inside_ * seconds_per_flop_ * 1e9; // it comes behind the messages
  return {};
}

Result<std::size_t> RankFolder::take_argument(const ActionForm& form, const Argument& argument,
                                              std::size_t at) {
  using Kind = Argument::Kind;
  const std::string_view token = tokens_[at];
  const auto put = [&](const Result<std::int64_t>& value) -> Result<std::size_t> {
    if (!value) return propagate(value);
    word(argument.word) = *value;
    return at + 1;
  };
  switch (argument.kind) {
  case Kind::kSkipped:
    break;
  case Kind::kFlops: {
    const auto flops = amount("an amount of computation", token);
    if (!flops) return propagate(flops);
    flops_inside_ = *flops;
    break;
  }
  case Kind::kCount:
    return put(count(argument.name, token));
  case Kind::kTag:
    return put(tag(token));
  case Kind::kRank:
    return put(peer(argument.name, token, static_cast<int>(argument.word) == form.source_word));
  case Kind::kRoot:
    return put(root(token));
  case Kind::kDatatype:
    return put(datatype(token));
  case Kind::kDatatypes: {
    const auto type = datatype(token);
    if (!type) return propagate(type);
    for (const std::size_t index : form.datatype_words) word(index) = *type;
    break;
  }
  case Kind::kCounts:
    return take_counts(argument, at);
  }
  return at + 1;
}

Result<std::size_t> RankFolder::take_counts(const Argument& argument, std::size_t at) {
  array_.clear();
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks_); ++i) {
    const auto value = count(argument.name, tokens_[at + i]);
    if (!value) return propagate(value);
    array_.push_back(*value);
  }
  word(argument.word) = program_.array(array_.data(), array_.size());
  return at + static_cast<std::size_t>(ranks_);
}

// Sets what the line left to the default, and takes out what means nothing on this rank.
void RankFolder::complete_words(const ActionForm& form) {
  if (form.root_word >= 0) {
    std::int64_t& root = word(static_cast<std::size_t>(form.root_word));
    if (root == trace::kNothing) root = 0;
    if (root != rank_) {
      for (const std::size_t index : form.root_words) word(index) = trace::kNothing;
    }
  }
  for (const std::size_t index : form.datatype_words) {
    const bool is_significant =
        std::find(form.root_words.begin(), form.root_words.end(), index) == form.root_words.end() ||
        word(static_cast<std::size_t>(form.root_word)) == rank_;
    if (word(index) == trace::kNothing && is_significant) word(index) = use_datatype(default_type_);
  }
}

// Counts what the call leaves open, and its request.
void RankFolder::note(const ActionForm& form) {
  const trace::Function& function = *form.function;
  const auto at = [&](int index) { return word(static_cast<std::size_t>(index)); };
  if (form.has_unknown_op) ++unsaid_.operations;
  if (form.source_word >= 0 && at(form.source_word) == trace::kAnySource) ++unsaid_.senders;
  if (form.dest_word >= 0 && at(form.dest_word) == trace::kProcNull) ++unsaid_.null_peers;
  if (function.role == trace::Role::kComm) ++unsaid_.communicators;
  if (!function.makes_request) return;
  if (form.dest_word >= 0) {
    requests_.add({rank_, at(form.dest_word), at(form.tag_word)});
  } else {
    requests_.add({at(form.source_word), rank_, at(form.tag_word)});
  }
}

// Other actions ---------------------------------------------------------------------------------

Status RankFolder::add_init(const ActionForm& form) {
  if (tokens_.size() > 2) default_type_ = kDoubleType; // how traces of the older kind say it
  for (KnownLine& line : known_lines_) line.form = nullptr; // they may have had the other type
  begin(form);
  record();
  return {};
}

Status RankFolder::add_time(std::string_view what, double seconds_per_unit) {
  const auto value = amount(what, tokens_[2]);
  if (!value) return propagate(value);
  computation_ns_ += *value * seconds_per_unit * 1e9;
  return {};
}

// Traces with call sites name the place in the source before each call.
Status RankFolder::add_location() {
  std::string place = sentence(tokens_[2], ":", tokens_[3]);
  const auto [found, is_new] =
      site_of_.try_emplace(place, static_cast<std::int64_t>(sites_.size()));
  if (is_new) sites_.push_back({std::move(place), 0});
  site_ = found->second;
  return {};
}

Status RankFolder::add_wait(const ActionForm& form, bool completes) {
  const auto source = peer("source", tokens_[2], true);
  if (!source) return propagate(source);
  const auto dest = peer("destination", tokens_[3], false);
  if (!dest) return propagate(dest);
  const auto tag_word = tag(tokens_[4]);
  if (!tag_word) return propagate(tag_word);
  const OpenRequests::Name name{*source, *dest, *tag_word};
  const auto request = completes ? requests_.complete(name) : requests_.word_of(name);
  if (!request) {
    return bad(sentence("no request from ", tokens_[2], " to ", tokens_[3], " with tag ",
                        tokens_[4], " is open; expected an isend or irecv of that kind before"));
  }
  begin(form);
  word(0) = *request;
  if (!completes) ++unsaid_.tests;
  record();
  return {};
}

// The line says how many requests the call is for, not which, and not even that if it means all
// that are open. There may be null ones among them.
Status RankFolder::add_waitall(const ActionForm& form) {
  const auto requests = tokens_.size() > 2
                            ? count("number of requests", tokens_[2])
                            : Result<std::int64_t>(static_cast<std::int64_t>(requests_.size()));
  if (!requests) return propagate(requests);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(*requests, 0));
  if (wanted > kMaxRequests)
    return bad(sentence("found ", shown(tokens_[2]), "; that many requests cannot be"));
  if (wanted < requests_.size()) ++unsaid_.partial_waitalls;
  array_ = requests_.complete_oldest(std::min(wanted, requests_.size()));
  array_.resize(wanted, trace::kNull);
  begin(form);
  word(0) = program_.array(array_.data(), array_.size());
  record();
  return {};
}

// The end ---------------------------------------------------------------------------------------

FoldedRanks RankFolder::finish() {
  FoldedRanks folded;
  unsaid_.unfinished_ranks = is_finalized_ ? 0 : 1;
  folded.unsaid = unsaid_;
  facts_.calls = program_.calls();
  facts_.span_ns = facts_.computation_ns; // all the time that the trace knows of
  if (!is_finalized_) facts_.ending.edit().kind = trace::Ending::kUnknown;
  fold::RecordingPart& part = folded.part;
  part.run.complete = is_finalized_;
  part.classes.push_back(fold::class_of_stream(rank_, 0, program_.finish()));
  part.ranks.emplace_back(rank_, facts_);
  if (stamps_) {
    part.stamps.push_back(stamps_->take());
    part.stamps.back().rank = rank_;
  }
  part.tables.sites = std::move(sites_);
  const trace::RankSet here = trace::RankSet::of({rank_});
  for (int i = 0; i < kDatatypes; ++i) {
    if (!is_used_[static_cast<std::size_t>(i)]) continue;
    const SimgridDatatype& type = simgrid_datatype(i);
    part.tables.datatypes.push_back(
        {type.word, std::string(type.name), type.size_bytes, type.extent_bytes, here});
  }
  return folded;
}

} // namespace rondo::convert::internal
