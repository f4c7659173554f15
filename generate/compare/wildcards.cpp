// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/wildcards.hpp"

#include "generate/lower/arrivals.hpp"
#include "rondo/fold/recast.hpp"

#include <numeric>
#include <optional>

namespace rondo::generate {
namespace {

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
      // An array without statuses is 0, however many requests there were.
      const std::int64_t none = field.is_array ? 0 : trace::kNothing;
      for (std::size_t i = 0; is_status && i < parts; ++i) words[word + i] = none;
      word += parts;
    }
  }

  const trace::Trace& trace_;
  ResolvedWildcards& result_;
  const trace::RankClass* of_ = nullptr;
  std::int64_t rank_ = -1;
  std::optional<Arrivals> arrivals_;
};

} // namespace

ResolvedWildcards
resolve_wildcards(const trace::Trace& trace,
                  const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  ResolvedWildcards result;
  Resolver resolver(trace, result);
  fold::Recasting recasting;
  recasting.new_rank.resize(static_cast<std::size_t>(trace.run.ranks));
  std::iota(recasting.new_rank.begin(), recasting.new_rank.end(), 0);
  recasting.words = [&](const trace::RankClass& of, std::int64_t rank,
                        const trace::CallInstance& call,
                        std::span<std::int64_t> words) { resolver.change(of, rank, call, words); };
  result.trace = fold::recast(trace, recasting, {}, progress).trace;
  return result;
}

} // namespace rondo::generate
