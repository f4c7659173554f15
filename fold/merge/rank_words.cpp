// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/rank_words.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace rondo::fold {
namespace {

using trace::EncodedValues;
using trace::RankEncoding;
using trace::RankFunction;
using trace::RankSequence;
using trace::RankSet;
using trace::Word;

// An encoding this much longer than the shortest is given up; kDifference never is, as ramps and
// repetitions of any kind are short in it and any two groups have it in common.
constexpr std::size_t kMuchLonger = 3;
constexpr std::size_t kShort = 16; // items that are always kept

EncodedValues encoded(RankEncoding encoding, std::int64_t value, std::uint64_t count = 1) {
  EncodedValues values{encoding, {}};
  values.values.push(value, count);
  return values;
}

const EncodedValues* find(const RankFunction& function, RankEncoding encoding) {
  const auto found = std::find_if(function.encoded.begin(), function.encoded.end(),
                                  [&](const EncodedValues& e) { return e.encoding == encoding; });
  return found == function.encoded.end() ? nullptr : &*found;
}

bool is_in_all(const std::vector<FunctionOfGroup>& parts, RankEncoding encoding) {
  return std::all_of(parts.begin(), parts.end(), [&](const FunctionOfGroup& part) {
    return find(part.function, encoding) != nullptr;
  });
}

RankSequence appended(const std::vector<FunctionOfGroup>& parts, RankEncoding encoding) {
  RankSequence result;
  for (const FunctionOfGroup& part : parts) {
    const RankSequence& values = find(part.function, encoding)->values;
    if (encoding == RankEncoding::kDifference) {
      result.append_changed(values, -result.sum_of_first(result.size()));
    } else {
      result.append(values);
    }
  }
  return result;
}

// The same where the groups' ranks stand between each other.
RankSequence interleaved(const RankOrder& order, const std::vector<FunctionOfGroup>& parts,
                         RankEncoding encoding) {
  struct Source {
    std::vector<std::int64_t> values;
    std::size_t next = 0;
    std::int64_t last = 0; // kDifference: what the next one is less of
  };
  const bool are_differences = encoding == RankEncoding::kDifference;
  std::vector<Source> sources(order.groups());
  for (const FunctionOfGroup& part : parts)
    sources[part.group].values = find(part.function, encoding)->values.values();
  RankSequence result;
  std::int64_t last = 0;
  order.for_each_rank([&](std::uint32_t group) {
    Source& source = sources[group];
    if (source.values.empty()) return;
    std::int64_t value = source.values[source.next++];
    if (are_differences && !trace::is_special(value)) {
      source.last += value;
      value = source.last - std::exchange(last, source.last);
    }
    result.push(value);
  });
  return result;
}

void drop_long_ones(RankFunction& function) {
  std::size_t shortest = ~std::size_t{0};
  for (const EncodedValues& e : function.encoded) shortest = std::min(shortest, e.items());
  const std::size_t limit = kShort + kMuchLonger * shortest;
  std::erase_if(function.encoded, [&](const EncodedValues& e) {
    return e.encoding != RankEncoding::kDifference && e.items() > limit;
  });
}

// The value of a sequence of one item.
std::optional<std::int64_t> only_value(const RankFunction& function, RankEncoding encoding) {
  const EncodedValues* values = find(function, encoding);
  if (values == nullptr || values->values.items().size() != 1) return std::nullopt;
  const RankSequence::Item& item = values->values.items().front();
  return item.is_loop() ? std::nullopt : std::optional(item.value);
}

} // namespace

RankFunction function_of(const PeerHypotheses& peer) {
  RankFunction function;
  function.encoded = {encoded(RankEncoding::kAbsolute, peer.constant),
                      encoded(RankEncoding::kRelative, peer.relative),
                      encoded(RankEncoding::kXor, peer.exclusive_or),
                      encoded(RankEncoding::kDifference, peer.constant)};
  if ((peer.holds & PeerHypotheses::kModulo) != 0) function.modulo = peer.modulo;
  return function;
}

RankFunction function_of(std::int64_t constant, std::uint64_t ranks) {
  RankFunction function;
  if (trace::is_special(constant)) {
    for (int i = 0; i < trace::kRankEncodings; ++i)
      function.encoded.push_back(encoded(static_cast<RankEncoding>(i), constant, ranks));
    return function;
  }
  function.encoded = {encoded(RankEncoding::kAbsolute, constant, ranks),
                      encoded(RankEncoding::kDifference, constant)};
  if (ranks > 1) function.encoded.back().values.push(0, ranks - 1);
  return function;
}

RankFunction values_by_rank(const std::vector<std::int64_t>& values) {
  RankFunction function;
  function.encoded = {{RankEncoding::kAbsolute, {}}, {RankEncoding::kDifference, {}}};
  std::int64_t last = 0;
  for (const std::int64_t value : values) {
    function.encoded[0].values.push(value);
    const bool is_number = !trace::is_special(value);
    function.encoded[1].values.push(is_number ? value - std::exchange(last, value) : value);
  }
  drop_long_ones(function);
  return function;
}

RankFunction spread(const RankFunction& one, bool is_root, const std::vector<std::int64_t>& own) {
  // The relative values of peers and the absolute ones of roots are one item, so that encodings of
  // more than kShort + kMuchLonger are dropped in the end. On the way to that few there can be
  // more, as a tail that is going to repeat is not a loop yet; at four times as many they are given
  // up.
  constexpr std::size_t kMostItems = 4 * (kShort + kMuchLonger);
  const std::int64_t value = find(one, RankEncoding::kAbsolute)->values.at(0);
  const std::int64_t distance = find(one, RankEncoding::kRelative)->values.at(0);
  const auto each = [&](RankEncoding encoding, auto of_rank) {
    EncodedValues result{encoding, {}};
    const bool can_be_long = encoding == RankEncoding::kDifference;
    for (std::size_t i = 0; i < own.size();) {
      const std::int64_t now = of_rank(i);
      std::uint64_t equal = 1;
      while (i + equal < own.size() && of_rank(i + equal) == now) ++equal;
      result.values.push(now, equal);
      i += equal;
      if (!can_be_long && result.values.items().size() > kMostItems) return EncodedValues{};
    }
    return result;
  };
  const auto absolute = [&](std::size_t i) { return is_root ? value : own[i] + distance; };
  RankFunction function;
  function.encoded = {
      each(RankEncoding::kAbsolute, absolute),
      each(RankEncoding::kRelative, [&](std::size_t i) { return absolute(i) - own[i]; }),
      each(RankEncoding::kXor, [&](std::size_t i) { return absolute(i) ^ own[i]; }),
      each(RankEncoding::kDifference,
           [&](std::size_t i) { return absolute(i) - (i == 0 ? 0 : absolute(i - 1)); })};
  std::erase_if(function.encoded, [](const EncodedValues& e) { return e.values.empty(); });
  if (!is_root || own.size() == 1) function.modulo = one.modulo;
  drop_long_ones(function);
  return function;
}

RankOrder::RankOrder(std::vector<const RankSet*> groups) : groups_(std::move(groups)) {
  for (std::size_t i = 1; i < groups_.size(); ++i)
    is_sorted_ = is_sorted_ && groups_[i - 1]->back() < groups_[i]->front();
  if (is_sorted_) return;
  std::vector<std::pair<std::int64_t, std::uint32_t>> all;
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    for (const std::int64_t rank : groups_[i]->ranks()) all.emplace_back(rank, i);
  }
  std::sort(all.begin(), all.end());
  for (const auto& [rank, group] : all) {
    rank_.push_back(rank);
    group_of_.push_back(group);
  }
}

RankSet RankOrder::united(const std::vector<std::uint32_t>& groups) const {
  RankSet result;
  if (is_sorted_) {
    for (const std::uint32_t group : groups) result.add(*groups_[group]);
    return result;
  }
  std::vector<bool> is_chosen(groups_.size(), false);
  for (const std::uint32_t group : groups) is_chosen[group] = true;
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < rank_.size(); ++i) {
    if (is_chosen[group_of_[i]]) ranks.push_back(rank_[i]);
  }
  return RankSet::of(std::move(ranks));
}

RankFunction joined(const RankOrder& order, const std::vector<FunctionOfGroup>& parts) {
  RankFunction result;
  for (int i = 0; i < trace::kRankEncodings; ++i) {
    const auto encoding = static_cast<RankEncoding>(i);
    if (!is_in_all(parts, encoding)) continue;
    result.encoded.push_back({encoding, order.is_sorted() ? appended(parts, encoding)
                                                          : interleaved(order, parts, encoding)});
  }
  result.modulo = parts.front().function.modulo;
  for (const FunctionOfGroup& part : parts) {
    if (part.function.modulo != result.modulo) result.modulo.reset();
  }
  drop_long_ones(result);
  return result;
}

Word settled(RankFunction& function, bool is_root, bool is_single_rank) {
  using Form = Word::Form;
  const auto absolute = only_value(function, RankEncoding::kAbsolute);
  const auto relative = only_value(function, RankEncoding::kRelative);
  // Ranks have a peer in common only if all mean one process, so a distance is the better guess.
  if (absolute && (is_root || is_single_rank || !relative || trace::is_special(*absolute)))
    return {Form::kConstant, *absolute};
  if (relative) return {Form::kRelative, *relative};
  if (function.modulo) return {Form::kRelativeModulo, *function.modulo};
  if (const auto mask = only_value(function, RankEncoding::kXor)) return {Form::kXor, *mask};
  const auto rank_of = [](RankEncoding encoding) { // of encodings that are equally short
    return encoding == RankEncoding::kRelative ? 0 : 1 + static_cast<int>(encoding);
  };
  const auto shortest = std::min_element(function.encoded.begin(), function.encoded.end(),
                                         [&](const EncodedValues& a, const EncodedValues& b) {
                                           return std::pair(a.items(), rank_of(a.encoding)) <
                                                  std::pair(b.items(), rank_of(b.encoding));
                                         });
  function.encoded = {std::move(*shortest)};
  function.modulo.reset();
  return {Form::kByRank, 0};
}

std::int64_t find_or_add(trace::RankTable& table, RankFunction&& function) {
  const auto is_same = [&](const RankFunction& other) {
    return other.domain == function.domain && other.modulo == function.modulo &&
           std::equal(other.encoded.begin(), other.encoded.end(), function.encoded.begin(),
                      function.encoded.end(), [](const EncodedValues& a, const EncodedValues& b) {
                        return a.encoding == b.encoding && a.values.is_folded_like(b.values);
                      });
  };
  const auto known = std::find_if(table.functions.begin(), table.functions.end(), is_same);
  const auto index = known - table.functions.begin();
  if (known == table.functions.end()) table.functions.push_back(std::move(function));
  return index;
}

} // namespace rondo::fold
