// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/comm_makers.hpp"

#include "logical/joining/alike.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;
using NumberOfCell = std::map<std::int64_t, std::int64_t>;

constexpr std::string_view kOrNone = "|none";

bool is_made(const SaidWord& word) { return word.remark == SaidWord::Remark::kNewComm; }

// A call that makes a communicator, or would if this rank were to be in it.
const CallStatement* maker_in(const Guarded& item) {
  if (item.body.size() != 1 || item.is_in_disorder) return nullptr;
  const auto* call = std::get_if<CallStatement>(&item.body.front().is);
  if (call == nullptr || !call->makes_comm || call->place == CallStatement{}.place) return nullptr;
  return call;
}

// Of each of the ranks; nothing if it is not known.
std::optional<NumberOfCell> numbers_of(const SaidWord& word, const RankSet& ranks) {
  if (word.number_of_cell != nullptr) return *word.number_of_cell;
  std::int64_t number = trace::kUndefined;
  if (word.text != "undefined") {
    const char* const last = word.text.data() + word.text.size();
    const auto [end, error] = std::from_chars(word.text.data(), last, number);
    if (error != std::errc{} || end != last) return std::nullopt;
  }
  NumberOfCell result;
  for (const std::int64_t rank : ranks.ranks()) result.emplace_hint(result.end(), rank, number);
  return result;
}

struct Maker {
  const CallStatement& call;
  const RankSet& ranks;
};

std::optional<SaidWord> joined(const SaidWord& a, const RankSet& of_a, const SaidWord& b,
                               const RankSet& of_b, const FormulaText& formula) {
  if (a.kind != b.kind || a.before != b.before || a.is_remark != b.is_remark) return std::nullopt;
  if (a.text == b.text && a.number_of_cell == nullptr) return a;
  if (a.kind != SaidWord::Kind::kNumber) {
    return a.text == b.text ? std::optional(a) : std::nullopt;
  }
  auto numbers = numbers_of(a, of_a);
  auto others = numbers_of(b, of_b);
  if (!numbers || !others) return std::nullopt;
  numbers->merge(*others);
  const auto text = formula(*numbers);
  const bool is_simple = text && text->find('(') == std::string::npos;
  if (!is_simple) return std::nullopt; // two lines are easier to read than "(rank-3) / 8 + 1"
  SaidWord result = a;
  result.text = *text;
  result.number_of_cell = std::make_shared<const NumberOfCell>(std::move(*numbers));
  if (a.least > a.most || (b.least <= b.most && b.least < a.least)) result.least = b.least;
  if (a.least > a.most || (b.least <= b.most && b.most > a.most)) result.most = b.most;
  result.values.clear();
  return result;
}

std::string_view without_none(std::string_view made) {
  if (made.ends_with(kOrNone)) made.remove_suffix(kOrNone.size());
  return made;
}

// What is made; a colour says itself who has none.
std::optional<SaidWord> joined_makes(const SaidWord* a, const SaidWord* b, bool says_who) {
  if (a == nullptr && b == nullptr) return SaidWord{};
  if (a != nullptr && b != nullptr && without_none(a->text) != without_none(b->text))
    return std::nullopt;
  SaidWord result = a != nullptr ? *a : *b;
  const bool is_of_all = a != nullptr && b != nullptr && a->text == b->text;
  if (!is_of_all) result.text = without_none(result.text);
  if (!is_of_all && !says_who) result.text += kOrNone;
  return result;
}

// A word that only some ranks say, as the other ones' would mean nothing: who leads the other group
// is known to the leaders.
bool is_of_leaders(const SaidWord& word) { return word.before == "remote_leader="; }

// Said by these ranks, and not by those that the call is joined with.
std::optional<SaidWord> of_some(SaidWord word, const RankSet& ranks) {
  if (auto numbers = numbers_of(word, ranks))
    word.number_of_cell = std::make_shared<const NumberOfCell>(std::move(*numbers));
  return word;
}

using Words = std::vector<const SaidWord*>;

// Words of one call in pairs; what only leaders say stands alone. Empty if they are no pairs.
std::vector<std::pair<const SaidWord*, const SaidWord*>> in_pairs(const Words& a, const Words& b) {
  std::vector<std::pair<const SaidWord*, const SaidWord*>> pairs;
  std::size_t of_a = 0;
  std::size_t of_b = 0;
  while (of_a < a.size() || of_b < b.size()) {
    const SaidWord* const one = of_a < a.size() ? a[of_a] : nullptr;
    const SaidWord* const other = of_b < b.size() ? b[of_b] : nullptr;
    const bool says_one = one != nullptr && is_of_leaders(*one);
    const bool says_other = other != nullptr && is_of_leaders(*other);
    if (says_one == says_other && (one == nullptr || other == nullptr)) return {};
    const bool takes_one = says_one || !says_other;
    const bool takes_other = says_other || !says_one;
    pairs.emplace_back(takes_one ? one : nullptr, takes_other ? other : nullptr);
    of_a += takes_one ? 1 : 0;
    of_b += takes_other ? 1 : 0;
  }
  return pairs;
}

std::optional<CallStatement> joined(const Maker& a, const Maker& b, const FormulaText& formula) {
  if (a.call.name != b.call.name || a.call.place != b.call.place) return std::nullopt;
  const auto made = [](const CallStatement& call) -> const SaidWord* {
    const auto found = std::find_if(call.words.begin(), call.words.end(), is_made);
    return found == call.words.end() ? nullptr : &*found;
  };
  const SaidWord* const made_by_a = made(a.call);
  const SaidWord* const made_by_b = made(b.call);
  const auto others = [](const CallStatement& call, const SaidWord* makes) {
    Words words;
    for (const SaidWord& word : call.words) {
      if (&word != makes) words.push_back(&word);
    }
    return words;
  };
  const auto words = others(a.call, made_by_a);
  const auto words_of_b = others(b.call, made_by_b);
  const auto pairs = in_pairs(words, words_of_b);
  if (pairs.size() < std::max(words.size(), words_of_b.size())) return std::nullopt;
  CallStatement result = a.call;
  result.words.clear();
  bool has_color = false;
  for (const auto& [one, other] : pairs) {
    auto word = one == nullptr     ? of_some(*other, b.ranks)
                : other == nullptr ? of_some(*one, a.ranks)
                                   : joined(*one, a.ranks, *other, b.ranks, formula);
    if (!word) return std::nullopt;
    has_color = has_color || word->before == "color=";
    result.words.push_back(std::move(*word));
  }
  auto makes = joined_makes(made_by_a, made_by_b, has_color);
  if (!makes) return std::nullopt;
  if (made_by_a != nullptr || made_by_b != nullptr) result.words.push_back(std::move(*makes));
  put_words_together(result);
  add_executions_of_others(result, b.call);
  return result;
}

} // namespace

void join_makers(std::vector<Guarded>& items, const RankSet& around, const FormulaText& formula) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (maker_in(items[i]) == nullptr) continue;
    for (std::size_t later = i + 1; later < items.size();) {
      const CallStatement* const first = maker_in(items[i]);
      const CallStatement* const next = maker_in(items[later]);
      const auto passes = [&](const Guarded& moved) {
        return std::all_of(
            items.begin() + static_cast<std::ptrdiff_t>(i) + 1,
            items.begin() + static_cast<std::ptrdiff_t>(later),
            [&](const Guarded& one) { return are_disjoint(one.ranks, moved.ranks); });
      };
      const bool can_join = next != nullptr && are_disjoint(items[i].ranks, items[later].ranks) &&
                            passes(items[later]);
      auto both = can_join ? joined({*first, items[i].ranks}, {*next, items[later].ranks}, formula)
                           : std::nullopt;
      if (!both) {
        ++later;
        continue;
      }
      items[i].ranks.add(items[later].ranks);
      items[i].is_free = items[i].ranks == around;
      items[i].body.front().is = std::move(*both);
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(later));
    }
  }
}

} // namespace rondo::logical::internal
