// SPDX-License-Identifier: Apache-2.0
#include "present/program/told_trace.hpp"

#include "rondo/fold/recast.hpp"
#include "rondo/fold/types_by_source.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/function_groups.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace rondo::present {
namespace {

using trace::FieldKind;

constexpr std::uint64_t kMostCallsFolded = std::uint64_t{1} << 23; // all of which are gone through
constexpr std::uint64_t kMostCallsOfShort = std::uint64_t{1} << 18; // the same, of short texts
constexpr std::size_t kTinyText = 6; // lines that are read as they are
constexpr std::size_t kShortText = 100; // lines that do not give up order to be a little shorter
constexpr std::size_t kMostTermsTold = 20'000; // in which neighbours are not looked for
// What has more terms, and so many times those of the text by the flow of control, is not written.
constexpr std::size_t kManyTerms = 1000;
constexpr std::size_t kFarMore = 16;

// Whom a receive heard from is told where it did not say.
void blank_statuses(const trace::Function& function, std::span<std::int64_t> words) {
  const int source = trace::meaning_of(function).source;
  if (source >= 0 && words[static_cast<std::size_t>(source)] == trace::kAnySource) return;
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    const std::size_t count = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    if (field.kind == FieldKind::kStatus)
      std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(word), count,
                  field.is_array ? 0 : trace::kNothing);
    word += count;
  }
}

trace::Trace folded_for_reader(const trace::Trace& trace, bool keeps_local, Told how) {
  fold::Recasting recasting;
  recasting.new_rank.resize(static_cast<std::size_t>(trace.run.ranks));
  std::iota(recasting.new_rank.begin(), recasting.new_rank.end(), 0);
  if (!keeps_local) {
    recasting.leaves_out = [](const trace::RankClass&, std::int64_t,
                              const trace::CallInstance& call) {
      return trace::is_local(*call.function);
    };
  }
  fold::ProgramOptions options;
  fold::TypesBySource types(fold::TypesBySource::Keeps::kNothing);
  if (how == Told::kByFlow) {
    recasting.by_flow.assign(trace.sites.size(), true);
    recasting.words = [&](const trace::RankClass&, std::int64_t rank,
                          const trace::CallInstance& call,
                          std::span<std::int64_t> words) { types.change(rank, call, words); };
    recasting.array = [&](const trace::RankClass&, std::int64_t rank,
                          const trace::CallInstance& call, const trace::Field& field,
                          std::span<std::int64_t> values) {
      types.change(rank, call, field, values);
    };
  } else {
    options.soften_after = 4;
    recasting.words = [](const trace::RankClass&, std::int64_t, const trace::CallInstance& call,
                         std::span<std::int64_t> words) { blank_statuses(*call.function, words); };
  }
  trace::Trace folded = fold::recast(trace, recasting, options).trace;
  if (how == Told::kByFlow) folded.datatypes = types.definitions(trace);
  return folded;
}

// Loops that do not go round as often each time.
std::ptrdiff_t varying_loops(const trace::Trace& trace) {
  std::ptrdiff_t loops = 0;
  for (const trace::RankClass& c : trace.classes)
    loops = std::max(loops, std::ranges::count_if(c.program->nest.loops(), [](const auto& loop) {
                       return !loop.trip_counts.constant();
                     }));
  return loops;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

ToldText told_text(const trace::Trace& trace, bool keeps_local,
                   const std::function<std::string(const trace::Trace&, Told)>& text_of) {
  const std::uint64_t calls = trace::calls_in(trace);
  const bool is_foldable = calls <= kMostCallsFolded;
  const bool is_endless = trace::terms_in(trace) > kMostTermsTold;
  std::optional<trace::Trace> by_flow;
  if (is_foldable && trace::terms_in(trace) > kManyTerms && fold::knows_sites(trace))
    by_flow = folded_for_reader(trace, keeps_local, Told::kByFlow);
  const auto is_far_longer = [&](const trace::Trace& other) {
    const std::size_t terms = trace::terms_in(other);
    return by_flow && terms > kManyTerms && terms / kFarMore >= trace::terms_in(*by_flow);
  };
  ToldText best;
  if ((!is_endless || !is_foldable) && !is_far_longer(trace)) {
    best.text = text_of(trace, Told::kAsStored);
    if (!is_foldable || lines_in(best.text) <= kTinyText) return best;
  }
  const bool keeps_order = !best.text.empty() && lines_in(best.text) <= kShortText;
  if (keeps_order && calls > kMostCallsOfShort) return best; // would be waited for
  for (const Told how : {Told::kSoftened, Told::kByFlow}) {
    const bool is_by_flow = how == Told::kByFlow;
    if (is_by_flow ? !fold::knows_sites(trace) : is_endless) continue;
    trace::Trace folded =
        is_by_flow && by_flow ? std::move(*by_flow) : folded_for_reader(trace, keeps_local, how);
    // Too much work, or in vain.
    if (is_by_flow ? trace::terms_in(folded) > kMostTermsTold : is_far_longer(folded)) continue;
    std::string text = text_of(folded, how);
    const bool gives_up_order = keeps_order && varying_loops(folded) > varying_loops(trace);
    if (best.text.empty() || 3 * text.size() <= (gives_up_order ? 1 : 2) * best.text.size())
      best = {std::move(text), how, std::move(folded)};
  }
  if (best.text.empty()) best.text = text_of(trace, Told::kAsStored);
  return best;
}

} // namespace rondo::present
