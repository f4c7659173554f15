// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/alike.hpp"

#include "logical/text/number_text.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>

namespace rondo::logical::internal {
namespace {
using Weights = std::vector<std::uint64_t>;

std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

} // namespace

std::optional<Counts> counts_of(std::string_view text) {
  if (const auto number = plain_number(text))
    return Counts{*number, *number, static_cast<double>(*number)};
  if (const std::size_t dots = text.find(".."); dots != text.npos) {
    const std::size_t blank = text.find(" (mean ");
    if (blank == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
    const auto least = plain_number(text.substr(0, dots));
    const auto most = plain_number(text.substr(dots + 2, blank - dots - 2));
    double mean = 0;
    const std::string_view of = text.substr(blank + 7, text.size() - blank - 8);
    const auto [end, error] = std::from_chars(of.data(), of.data() + of.size(), mean);
    if (!least || !most || error != std::errc{} || end != of.data() + of.size()) return {};
    return Counts{*least, *most, mean};
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Counts result{std::int64_t{1} << 60, 0, 0};
  std::int64_t all = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(", "), text.size());
    const std::string_view run = text.substr(0, comma);
    const std::size_t times = run.find(" x");
    const auto count = plain_number(run.substr(0, times));
    const auto n = times == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                   : plain_number(run.substr(times + 2));
    if (!count || !n || *n < 1) return std::nullopt;
    result.least = std::min(result.least, *count);
    result.most = std::max(result.most, *count);
    result.mean += static_cast<double>(*count) * static_cast<double>(*n);
    all += *n;
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  if (all == 0) return std::nullopt;
  result.mean /= static_cast<double>(all);
  return result;
}

namespace {

std::string joined_counts(const std::vector<std::string>& counts, bool is_list,
                          const Weights& weights) {
  constexpr std::size_t kMostRuns = 4;
  if (std::all_of(counts.begin(), counts.end(), [&](const auto& c) { return c == counts[0]; }))
    return counts[0];
  std::vector<std::pair<std::string, std::uint64_t>> runs;
  bool are_plain = is_list;
  Counts all = *counts_of(counts[0]);
  double sum = 0;
  double times = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    are_plain = are_plain && plain_number(counts[i]);
    if (runs.empty() || runs.back().first != counts[i]) runs.emplace_back(counts[i], 0);
    runs.back().second += weights[i];
    const Counts one = *counts_of(counts[i]);
    all.least = std::min(all.least, one.least);
    all.most = std::max(all.most, one.most);
    sum += one.mean * static_cast<double>(weights[i]);
    times += static_cast<double>(weights[i]);
  }
  std::string text;
  if (are_plain && runs.size() <= kMostRuns) {
    for (const auto& [count, n] : runs)
      text += (text.empty() ? "" : ", ") + count + (n > 1 ? " x" + std::to_string(n) : "");
    return text;
  }
  return std::to_string(all.least) + ".." + std::to_string(all.most) + " (mean " +
         compact_mean(sum / times, static_cast<double>(all.least), static_cast<double>(all.most)) +
         ")";
}

constexpr std::size_t kMostDirections = 12; // in a list
constexpr std::string_view kAny = "any";
constexpr std::string_view kAnyOf = "any of ";

// "west|east" and "east|south" as "west|east|south"; "any of west" and "any" as "any of west".
std::string joined_choices(const std::vector<const SaidWord*>& words, std::size_t most_names,
                           const std::string& of_more) {
  std::vector<std::string> names;
  bool is_more = false;
  const bool is_any = is_any_source(*words[0]); // as all of them are
  for (const SaidWord* word : words) {
    if (word->text == kAny) continue;
    for (std::size_t begin = 0; begin <= word->text.size();) {
      const std::size_t bar = std::min(word->text.find('|', begin), word->text.size());
      std::string name = word->text.substr(begin, bar - begin);
      begin = bar + 1;
      if (is_any && name.starts_with(kAnyOf)) name.erase(0, kAnyOf.size());
      if (name == "..." || name == "any of several") {
        is_more = true;
      } else if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  if (const auto nobody = std::find(names.begin(), names.end(), "nobody"); nobody != names.end())
    std::rotate(nobody, nobody + 1, names.end());
  is_more = is_more || names.size() > most_names;
  if (is_more && of_more != "...") return of_more;
  if (names.empty()) return std::string(kAny);
  std::string text(is_any ? kAnyOf : "");
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += (i == 0 ? "" : "|") + names[i];
  return is_more ? text + "|..." : text;
}

// "45,46..93" of numbers that all are as far from the next; nothing if they are not.
std::optional<std::string> progression(const std::vector<const SaidWord*>& words,
                                       const Weights& weights) {
  constexpr std::size_t kFewest = 3;
  if (std::any_of(weights.begin(), weights.end(), [](auto weight) { return weight != 1; }))
    return {};
  std::vector<std::int64_t> numbers;
  for (const SaidWord* word : words) {
    const auto number = plain_number(word->text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() < kFewest) return std::nullopt;
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return std::nullopt;
  }
  return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + ".." +
         std::to_string(numbers.back());
}

bool is_direction(const SaidWord& word) {
  return word.kind == SaidWord::Kind::kPeer && word.text.find('|') == std::string::npos &&
         word.text.find(", ") == std::string::npos && !word.text.starts_with("rank") &&
         !is_any_source(word);
}

// "west, east" of directions that iterations have one after the other.
std::optional<std::string> directions_in_turn(const std::vector<const SaidWord*>& words,
                                              const Weights& weights) {
  const bool is_once_each =
      std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; });
  if (!is_once_each || words.size() > kMostDirections ||
      !std::all_of(words.begin(), words.end(),
                   [](const auto* word) { return is_direction(*word); }))
    return std::nullopt;
  std::string text;
  for (const SaidWord* word : words) text += (text.empty() ? "" : ", ") + word->text;
  return text;
}

// "2, 1, 1" of tags one after the other, "8,4,2" of amounts; of few values a choice is shorter.
std::optional<std::string> numbers_in_turn(const std::vector<const SaidWord*>& words,
                                           const Weights& weights) {
  const bool is_once_each =
      std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; });
  if (!is_once_each || words.size() > kMostDirections) return std::nullopt;
  std::string text;
  std::set<std::string_view> different;
  for (const SaidWord* word : words) {
    different.insert(word->text);
    if (!plain_number(word->text)) return std::nullopt;
    text += (text.empty() ? "" : word->is_remark ? ", " : ",") + word->text;
  }
  return 2 * different.size() >= words.size() ? std::optional(text) : std::nullopt;
}

// "child 3": what stands in front, and the number.
std::optional<std::pair<std::string_view, std::int64_t>> numbered_direction(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto number = plain_number(name.substr(digits));
  if (!number) return std::nullopt;
  return std::pair(name.substr(0, digits), *number);
}

// One of a kind after the other, by equal steps or by doubling or halving.
bool counts_on(const std::vector<const SaidWord*>& words) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::int64_t> numbers;
  std::string_view kind;
  for (const SaidWord* word : words) {
    const auto one = numbered_direction(word->text);
    if (!one || (!numbers.empty() && one->first != kind)) return false;
    kind = one->first;
    numbers.push_back(one->second);
  }
  if (numbers.size() < kFewest) return false;
  const auto all = [&](const auto& holds) {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      if (!holds(numbers[i - 1], numbers[i])) return false;
    }
    return true;
  };
  const std::int64_t step = numbers[1] - numbers[0];
  return step != 0 && (all([&](auto a, auto b) { return b - a == step; }) ||
                       all([](auto a, auto b) { return b == 2 * a; }) ||
                       all([](auto a, auto b) { return a == 2 * b; }));
}

bool are_equal(const std::vector<const SaidWord*>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const SaidWord* word) { return word->text == words[0]->text; });
}

// The values of all words; empty where they are not known, or not few.
std::vector<std::int64_t> joined_values(const std::vector<const SaidWord*>& words) {
  std::set<std::int64_t> values;
  for (const SaidWord* word : words) {
    if (word->values.empty()) return {};
    values.insert(word->values.begin(), word->values.end());
  }
  if (values.size() > kFewNumbers) return {};
  return {values.begin(), values.end()};
}

SaidWord joined_word(const std::vector<const SaidWord*>& words, bool is_list,
                     const Weights& weights) {
  constexpr std::size_t kMostPeers = 8;
  constexpr std::size_t kMostObjects = 4;
  SaidWord result = *words[0];
  for (const SaidWord* word : words) {
    result.least = std::min(result.least, word->least);
    result.most = std::max(result.most, word->most);
  }
  if (are_equal(words)) return result;
  if (result.kind == SaidWord::Kind::kPeer) {
    const auto in_turn = is_list ? directions_in_turn(words, weights) : std::nullopt;
    result.text = in_turn ? *in_turn : joined_choices(words, kMostPeers, "...");
  } else if (result.kind == SaidWord::Kind::kObject) {
    result.text = joined_choices(words, kMostObjects, "any of several");
  } else if (result.kind == SaidWord::Kind::kNumber) {
    auto steps = is_list ? progression(words, weights) : std::nullopt;
    if (is_list && !steps) steps = numbers_in_turn(words, weights);
    result.values = joined_values(words);
    result.text = steps                    ? *steps
                  : !result.values.empty() ? numbers_text(result.values)
                  : result.least == result.most
                      ? std::to_string(result.least)
                      : std::to_string(result.least) + ".." + std::to_string(result.most);
  }
  return result;
}

// The bodies of the loops or guards that stand at `at` in all bodies.
Bodies inner_bodies(const Bodies& bodies, std::size_t at) {
  Bodies inner;
  for (const Body body : bodies) {
    const Statement& statement = body[at];
    const auto* loop = std::get_if<LoopStatement>(&statement.is);
    inner.push_back(loop != nullptr ? loop->body : std::get<GuardStatement>(statement.is).body);
  }
  return inner;
}

std::vector<const CallStatement*> calls_at(const Bodies& bodies, std::size_t at) {
  std::vector<const CallStatement*> calls;
  for (const Body body : bodies) calls.push_back(&std::get<CallStatement>(body[at].is));
  return calls;
}

std::vector<const SaidWord*> words_at(const std::vector<const CallStatement*>& calls,
                                      std::size_t at) {
  std::vector<const SaidWord*> words;
  for (const CallStatement* call : calls) words.push_back(&call->words[at]);
  return words;
}

Statement joined_statement(const Bodies& bodies, std::size_t at, bool is_list,
                           const Weights& weights) {
  Statement result = bodies[0][at];
  if (auto* loop = std::get_if<LoopStatement>(&result.is)) {
    std::vector<std::string> counts;
    for (const Body body : bodies) {
      const auto& other = std::get<LoopStatement>(body[at].is);
      counts.push_back(other.count);
      loop->is_by_rank = loop->is_by_rank || other.is_by_rank;
    }
    loop->count = joined_counts(counts, is_list, weights);
    loop->body = join_alike(inner_bodies(bodies, at), false, weights);
  } else if (auto* guard = std::get_if<GuardStatement>(&result.is)) {
    guard->body = join_alike(inner_bodies(bodies, at), is_list, weights);
  } else {
    auto& call = std::get<CallStatement>(result.is);
    const std::vector<const CallStatement*> calls = calls_at(bodies, at);
    for (std::size_t i = 1; i < calls.size(); ++i) add_executions_of(call, *calls[i]);
    for (std::size_t word = 0; word < call.words.size(); ++word)
      call.words[word] = joined_word(words_at(calls, word), is_list, weights);
    if (!call.words.empty()) put_words_together(call);
  }
  return result;
}

} // namespace

// "root 1 of split#1": on a communicator of some ranks a root is a number of a rank in it.
void put_words_together(CallStatement& call) {
  call.what.clear();
  call.remarks.clear();
  for (const SaidWord& word : call.words) {
    const bool is_of_root = word.is_remark && word.before == "on " && !call.remarks.empty() &&
                            call.remarks.back().starts_with("root ");
    if (is_of_root) {
      call.remarks.back() += " of " + word.text;
    } else if (word.is_remark) {
      call.remarks.push_back(word.before + word.text);
    } else {
      call.what += (call.what.empty() ? "" : " ") + word.before + word.text;
    }
  }
}

void add_executions_of(CallStatement& into, const CallStatement& call) {
  const auto a = static_cast<double>(into.executions);
  const auto b = static_cast<double>(call.executions);
  if (a + b > 0) {
    into.before_ns = (a * into.before_ns + b * call.before_ns) / (a + b);
    into.inside_ns = (a * into.inside_ns + b * call.inside_ns) / (a + b);
  }
  into.executions += call.executions;
  into.most_here += call.most_here; // of one rank it may be less
  into.place = std::min(into.place, call.place);
  into.shares.insert(into.shares.end(), call.shares.begin(), call.shares.end());
  std::set<std::size_t> peer_topologies(into.peer_topologies.begin(), into.peer_topologies.end());
  peer_topologies.insert(call.peer_topologies.begin(), call.peer_topologies.end());
  into.peer_topologies.assign(peer_topologies.begin(), peer_topologies.end());
  std::vector<std::uint32_t> sites;
  std::ranges::set_union(into.sites, call.sites, std::back_inserter(sites));
  into.sites = std::move(sites);
}

std::vector<Statement> join_alike(const Bodies& bodies, bool is_list, const Weights& weights) {
  std::vector<Statement> result;
  for (std::size_t at = 0; at < bodies[0].size(); ++at)
    result.push_back(joined_statement(bodies, at, is_list, weights));
  return result;
}

std::size_t differing_words(const Bodies& bodies) {
  std::size_t differing = 0;
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (const auto* loop = std::get_if<LoopStatement>(&bodies[0][at].is)) {
        differing += std::any_of(bodies.begin(), bodies.end(), [&](const Body body) {
          return std::get<LoopStatement>(body[at].is).count != loop->count;
        });
      }
      differing += differing_words(inner_bodies(bodies, at));
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word)
      differing += are_equal(words_at(calls, word)) ? 0 : 1;
  }
  return differing;
}

std::optional<std::size_t> words_lost_in_list(const Bodies& bodies) {
  std::size_t lost = 0;
  const Weights once(bodies.size(), 1);
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      const Bodies inner = inner_bodies(bodies, at);
      if (differs_in_directions(inner)) return std::nullopt;
      lost += differing_words(inner);
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (are_equal(words)) continue;
      const bool is_peer = words[0]->kind == SaidWord::Kind::kPeer;
      if (is_peer && !directions_in_turn(words, once)) return std::nullopt;
      const bool is_amount = words[0]->kind == SaidWord::Kind::kNumber && !words[0]->is_remark;
      const bool may_list = !is_amount || directions_count_on(bodies);
      if (is_peer || progression(words, once) || (may_list && numbers_in_turn(words, once)))
        continue;
      if (!is_amount || joined_values(words).empty()) return std::nullopt;
      ++lost;
    }
  }
  return lost;
}

bool directions_count_on(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) continue;
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (words[0]->kind == SaidWord::Kind::kPeer && counts_on(words)) return true;
    }
  }
  return false;
}

bool are_on_one_topology(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (!are_on_one_topology(inner_bodies(bodies, at))) return false;
      continue;
    }
    const auto calls = calls_at(bodies, at);
    if (std::any_of(calls.begin(), calls.end(), [&](const CallStatement* call) {
          return call->peer_topologies != calls[0]->peer_topologies;
        }))
      return false;
  }
  return true;
}

bool differs_in_few_amounts(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) return false;
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      const bool is_amount = words[0]->kind == SaidWord::Kind::kNumber && !words[0]->is_remark;
      if (!are_equal(words) && (!is_amount || joined_values(words).empty())) return false;
    }
  }
  return true;
}

bool differs_in_peers(const Bodies& bodies) {
  for (std::size_t at = 0; at < bodies[0].size(); ++at) {
    if (!std::holds_alternative<CallStatement>(bodies[0][at].is)) {
      if (differs_in_peers(inner_bodies(bodies, at))) return true;
      continue;
    }
    const auto calls = calls_at(bodies, at);
    for (std::size_t word = 0; word < calls[0]->words.size(); ++word) {
      const auto words = words_at(calls, word);
      if (words[0]->kind == SaidWord::Kind::kPeer && !are_equal(words)) return true;
    }
  }
  return false;
}

void DirectionsMet::add(Body body) {
  std::size_t at = 0;
  add(body, at);
}

void DirectionsMet::add(Body body, std::size_t& at) {
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) add(loop->body, at);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) add(guard->body, at);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    if (call == nullptr) continue;
    for (const SaidWord& word : call->words) {
      if (word.kind != SaidWord::Kind::kPeer) continue;
      if (at == peers_.size()) peers_.push_back({&word});
      Peer& peer = peers_[at++];
      peer.are_equal = peer.are_equal && word.text == peer.first->text;
      peer.are_directions = peer.are_directions && is_direction(word);
    }
  }
}

bool DirectionsMet::differ() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const Peer& peer) { return !peer.are_equal && peer.are_directions; });
}

bool differs_in_directions(const Bodies& bodies) {
  DirectionsMet met;
  for (const Body body : bodies) met.add(body);
  return met.differ();
}

std::uint64_t lines_of(Body statements) {
  std::uint64_t lines = 0;
  for (const Statement& statement : statements) {
    ++lines;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) lines += lines_of(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      lines += lines_of(guard->body);
  }
  return lines;
}

} // namespace rondo::logical::internal
