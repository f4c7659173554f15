// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/wildcards.hpp"

#include "generate/lower/arrivals.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/fold/types_by_source.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace rondo::generate {
namespace {

constexpr std::size_t kSoon = 4; // different words, from which on they vary
constexpr std::uint64_t kMostCallsSoftened = std::uint64_t{1}
                                             << 21; // all of which are gone through

std::int64_t no_status(const trace::Field& field) {
  return field.is_array ? 0 : trace::kNothing; // 0 is an array of none, however many requests
}

// Streams come one after the other, each from its first call to its last.
class Resolver {
public:
  Resolver(const trace::Trace& trace, ResolvedWildcards& result) : trace_(trace), result_(result) {}

  void change(const trace::RankClass& of, std::int64_t rank, const trace::CallInstance& call,
              std::span<std::int64_t> words) {
    if (of_ != &of || rank_ != rank) {
      of_ = &of;
      rank_ = rank;
      arrivals_.emplace(trace_, of, rank);
    }
    const trace::CallMeaning& means = trace::meaning_of(*call.function);
    const auto came = arrivals_->next(call);
    if (asks_for_any(call, means) && !came.empty()) resolve(came.front(), means, words);
    if (!arrivals_->has_differing()) drop_statuses(*call.function, words);
  }

private:
  void resolve(const Arrival& came, const trace::CallMeaning& means,
               std::span<std::int64_t> words) {
    if (came.state != Arrival::State::kOne) {
      const bool differs = came.state == Arrival::State::kDiffering;
      ++(differs ? result_.differing : result_.unanswered);
      return;
    }
    ++result_.resolved;
    std::int64_t& source = words[static_cast<std::size_t>(means.source)];
    std::int64_t& tag = words[static_cast<std::size_t>(means.receive_tag)];
    if (source == trace::kAnySource) source = came.source;
    if (tag == trace::kAnyTag) tag = came.tag;
  }

  static void drop_statuses(const trace::Function& function, std::span<std::int64_t> words) {
    std::size_t word = 0;
    for (const trace::Field& field : function.fields) {
      const bool is_status = field.kind == trace::FieldKind::kStatus;
      const std::size_t parts = is_status && !field.is_array ? 3 : 1;
      for (std::size_t i = 0; is_status && i < parts; ++i) words[word + i] = no_status(field);
      word += parts;
    }
  }

  const trace::Trace& trace_;
  ResolvedWildcards& result_;
  const trace::RankClass* of_ = nullptr;
  std::int64_t rank_ = -1;
  std::optional<Arrivals> arrivals_;
};

// Whether no rank's word has the value; false also where only its calls tell.
bool is_never(const trace::Program& program, const trace::Word& word, std::int64_t value) {
  using Form = trace::Word::Form;
  switch (word.form) {
  case Form::kConstant:
    return word.value != value;
  case Form::kRelative:
  case Form::kRelativeModulo:
  case Form::kXor:
    return true;
  case Form::kByRank: {
    const auto& function = program.by_rank->functions[static_cast<std::size_t>(word.value)];
    bool is_met = false; // special values stand for themselves in any encoding
    function.encoded.front().values.for_each_value(
        [&](std::int64_t one) { is_met = is_met || one == value; });
    return !is_met;
  }
  default:
    return false;
  }
}

bool is_resolved(const trace::Program& program, const trace::Call& call) {
  const trace::Function& function = *trace::find_function(call.function);
  const trace::CallMeaning& means = trace::meaning_of(function);
  const auto is_never_at = [&](int word, std::int64_t value) {
    return word < 0 || is_never(program, call.words[static_cast<std::size_t>(word)], value);
  };
  if (means.source >= 0 && !(is_never_at(means.source, trace::kAnySource) &&
                             is_never_at(means.receive_tag, trace::kAnyTag)))
    return false;
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus;
    const std::size_t parts = is_status && !field.is_array ? 3 : 1;
    const trace::Word none{trace::Word::Form::kConstant, no_status(field)};
    for (std::size_t i = 0; is_status && i < parts; ++i) {
      if (call.words[word + i] != none) return false;
    }
    word += parts;
  }
  return true;
}

std::size_t numbers_in(const trace::Column& column) {
  const std::size_t steps = column.nest() == nullptr ? 0 : column.nest()->terms();
  return column.runs().size() + column.values().size() + column.dictionary().size() + steps;
}

// What there is to read: terms, and tables of what varies.
std::size_t length_of(const trace::Trace& trace) {
  constexpr std::size_t kNumbersInLine = 8;
  std::size_t numbers = 0;
  for (const auto& program : trace.programs) {
    for (const trace::Column& column : program->columns) numbers += numbers_in(column);
    for (const trace::RankFunction& function : program->table.functions) {
      for (const trace::EncodedValues& values : function.encoded) numbers += values.items();
    }
  }
  return trace::terms_in(trace) + numbers / kNumbersInLine;
}

// Nothing asks for any source or tag, and no status says anything. Programs of many loops are not
// asked: folding them anew may find fewer.
bool is_resolved(const trace::Trace& trace) {
  constexpr std::size_t kMostLoops = 256;
  return std::all_of(trace.classes.begin(), trace.classes.end(), [](const trace::RankClass& of) {
    if (of.program->nest.loops().size() > kMostLoops) return false;
    return std::all_of(of.program->calls.begin(), of.program->calls.end(),
                       [&](const trace::Call& call) { return is_resolved(*of.program, call); });
  });
}

} // namespace

ResolvedWildcards resolve_wildcards(const trace::Trace& trace, const ResolvingOptions& options) {
  ResolvedWildcards result;
  const bool is_folded_anew = options.by_flow || options.softens;
  if (!is_folded_anew && (options.keeps_wildcards || is_resolved(trace))) {
    result.trace = trace;
    return result;
  }
  Resolver resolver(trace, result);
  fold::TypesBySource types(fold::TypesBySource::Keeps::kApart);
  fold::Recasting recasting;
  recasting.new_rank.resize(static_cast<std::size_t>(trace.run.ranks));
  std::iota(recasting.new_rank.begin(), recasting.new_rank.end(), 0);
  recasting.words = [&](const trace::RankClass& of, std::int64_t rank,
                        const trace::CallInstance& call, std::span<std::int64_t> words) {
    if (!options.keeps_wildcards) resolver.change(of, rank, call, words);
    if (options.by_flow) types.change(rank, call, words);
  };
  if (options.by_flow) {
    recasting.by_flow.assign(trace.sites.size(), true);
    recasting.array = [&](const trace::RankClass&, std::int64_t rank,
                          const trace::CallInstance& call, const trace::Field& field,
                          std::span<std::int64_t> values) {
      types.change(rank, call, field, values);
    };
  }
  fold::ProgramOptions folding;
  if (options.softens) folding.soften_after = kSoon;
  result.trace = fold::recast(trace, recasting, folding, options.progress).trace;
  if (options.by_flow) result.trace.datatypes = types.definitions(trace);
  return result;
}

ResolvedWildcards resolved_to_be_short(const trace::Trace& trace, ResolvingOptions options) {
  constexpr std::size_t kShort = 400; // terms that are read as they are
  constexpr std::size_t kTiny = 8; // terms that nobody wants to be fewer
  constexpr std::size_t kEndless = 20'000; // terms that nobody wants, if there is another way
  constexpr std::size_t kWorth = 3; // times as short
  options.by_flow = options.softens = false;
  std::size_t terms = trace::terms_in(trace);
  std::optional<ResolvedWildcards> made;
  if (terms <= kEndless) {
    made = resolve_wildcards(trace, options);
    terms = trace::terms_in(made->trace);
  }
  if (made && terms > kTiny && trace::calls_in(trace) <= kMostCallsSoftened) {
    options.softens = true;
    auto softened = resolve_wildcards(trace, options);
    options.softens = false;
    if (3 * length_of(softened.trace) <= 2 * length_of(made->trace)) {
      made = std::move(softened);
      terms = trace::terms_in(made->trace);
    }
  }
  if (terms > kShort && fold::knows_sites(trace)) {
    options.by_flow = true;
    auto by_flow = resolve_wildcards(trace, options);
    if (kWorth * trace::terms_in(by_flow.trace) <= terms) return by_flow;
    options.by_flow = false;
  }
  return made ? std::move(*made) : resolve_wildcards(trace, options);
}

} // namespace rondo::generate
