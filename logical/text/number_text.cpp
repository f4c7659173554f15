// SPDX-License-Identifier: Apache-2.0
#include "logical/text/number_text.hpp"

#include "logical/joining/guards.hpp"
#include "logical/text/rounds_text.hpp"

#include "rondo/trace/call_text.hpp"
#include "rondo/trace/column.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace rondo::logical::internal {
namespace {

using trace::FieldKind;

constexpr std::string_view kUndefined = "undefined"; // of colours

using Formula = std::optional<std::string>;

// Of one value for each rank; only if it is as quick to read as a range.
Formula short_formula(FieldKind kind, const std::vector<std::int64_t>& ranks,
                      const std::vector<std::int64_t>& values) {
  constexpr std::size_t kMostCharacters = 40;
  auto text = trace::formula_text(kind, ranks, values);
  if (text && kind == FieldKind::kColor) {
    const std::string undefined = trace::special_text(kind, trace::kUndefined);
    const std::size_t at = text->find(undefined);
    if (at != text->npos) text->replace(at, undefined.size(), kUndefined);
  }
  return text && text->size() <= kMostCharacters ? text : std::nullopt;
}

// The shortest of many texts is looked for, and most of them have the same numbers: to find a
// formula takes far longer than to find it again.
Formula short_formula(FieldKind kind, const std::map<std::int64_t, std::int64_t>& by_rank) {
  using Question = std::tuple<FieldKind, std::vector<std::int64_t>, std::vector<std::int64_t>>;
  constexpr std::size_t kMostKept = std::size_t{1} << 20; // numbers, in all questions
  constexpr std::size_t kOfEach = 16; // numbers take as much as the rest of a question
  thread_local std::map<Question, Formula> known;
  thread_local std::size_t kept = 0;
  Question question{kind, {}, {}};
  auto& [of, ranks, values] = question;
  for (const auto& [rank, value] : by_rank) {
    ranks.push_back(rank);
    values.push_back(value);
  }
  if (const auto found = known.find(question); found != known.end()) return found->second;
  kept += kOfEach + ranks.size();
  if (kept > kMostKept) {
    known.clear();
    kept = kOfEach + ranks.size();
  }
  Formula formula = short_formula(kind, ranks, values);
  known.emplace(std::move(question), formula);
  return formula;
}

} // namespace

std::string numbers_text(const std::vector<std::int64_t>& values) {
  const auto steps = static_cast<std::int64_t>(values.size()) - 1;
  const bool has_all_between = values.back() - values.front() == steps;
  const bool is_range = steps > 0 && (has_all_between || values.size() > kFewNumbers);
  if (is_range) return std::to_string(values.front()) + ".." + std::to_string(values.back());
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "" : "|") + std::to_string(value);
  return text;
}

void NumberText::say_by_name(SaidWord& said, const trace::MergedCall& merged,
                             const trace::Field& field, std::size_t word, std::int64_t comm,
                             const std::set<std::int64_t>* only) {
  std::set<std::int64_t> values;
  const auto note = [&](std::int64_t, std::int64_t, std::int64_t value) {
    if (value != trace::kNothing) values.insert(value);
  };
  values_.each(merged, word, comm, note, only);
  if (values == std::set<std::int64_t>{0}) return; // no flag is set
  for (const std::int64_t value : values) {
    const std::string name = trace::named_value(field, value);
    said.text += (said.text.empty() ? "" : " or ") + (name.empty() ? std::to_string(value) : name);
  }
  said.kind = SaidWord::Kind::kOther; // "A|B" of flags is no choice
}

void NumberText::say_root(SaidWord& said, const std::set<std::int64_t>& values,
                          const std::set<std::int64_t>& between,
                          const std::map<std::int64_t, std::int64_t>* of_rank) const {
  if (of_rank != nullptr && values.size() + between.size() > 1 && !logical_.says_cells) {
    if (const auto formula = short_formula(FieldKind::kRoot, *of_rank)) {
      said.text = *formula;
      return;
    }
  }
  if (!values.empty()) said.text = numbers_text({values.begin(), values.end()});
  for (const std::int64_t value : between)
    said.text += (said.text.empty() ? "" : "|") + trace::special_text(FieldKind::kRoot, value);
}

std::string distances_text(const std::vector<std::string>& peers) {
  constexpr std::string_view kRank = "rank";
  const auto signed_text = [](std::int64_t x) { return (x < 0 ? "" : "+") + std::to_string(x); };
  std::set<std::int64_t> distances;
  for (const std::string& peer : peers) {
    if (!peer.starts_with(kRank) || peer.size() < kRank.size() + 2) return "";
    const char* const last = peer.data() + peer.size();
    const char* const first = peer.data() + kRank.size() + (peer[kRank.size()] == '+' ? 1 : 0);
    std::int64_t distance = 0;
    const auto [end, error] = std::from_chars(first, last, distance);
    if (error != std::errc{} || end != last) return "";
    distances.insert(distance);
  }
  if (distances.empty()) return "";
  return std::string(kRank) + signed_text(*distances.begin()) + ".." +
         signed_text(*distances.rbegin());
}

std::optional<std::string> formula_in_rank(const LogicalProgram& logical,
                                           const std::vector<std::size_t>& rank_of_cell,
                                           const std::map<std::int64_t, std::int64_t>& of_cell) {
  if (logical.says_cells) return std::nullopt;
  std::map<std::int64_t, std::int64_t> of_rank;
  for (const auto& [cell, number] : of_cell)
    of_rank[static_cast<std::int64_t>(rank_of_cell[static_cast<std::size_t>(cell)])] = number;
  const std::int64_t first = of_rank.begin()->second;
  const bool is_one = std::all_of(of_rank.begin(), of_rank.end(),
                                  [&](const auto& one) { return one.second == first; });
  if (is_one) return first == trace::kUndefined ? std::string(kUndefined) : std::to_string(first);
  return short_formula(FieldKind::kColor, of_rank);
}

void NumberText::say(SaidWord& said, const trace::MergedCall& merged, const trace::Field& field,
                     std::size_t word, std::int64_t comm, const std::set<std::int64_t>* only,
                     bool keeps_by_cell) {
  if (!field.names.empty()) return say_by_name(said, merged, field, word, comm, only);
  std::set<std::int64_t> values;
  std::map<std::int64_t, std::int64_t> of_rank;
  std::map<std::int64_t, std::int64_t> of_cell;
  std::set<std::int64_t> between; // roots that are none: MPI_ROOT, MPI_PROC_NULL
  bool is_any = false;
  bool is_one_each = true;
  const bool is_cell = field.kind == FieldKind::kRoot && comm == trace::kWorldSlot;
  const auto note = [&](std::int64_t cell, std::int64_t, std::int64_t value) {
    if (value == trace::kNothing) return;
    if (is_cell && !logical_.says_cells && !trace::is_special(value)) value = rank_of(value);
    is_one_each = is_one_each && of_rank.emplace(rank_of(cell), value).first->second == value;
    if (keeps_by_cell) of_cell.emplace(cell, value);
    is_any = is_any || value == trace::kAnyTag;
    if (field.kind == FieldKind::kRoot && trace::is_special(value)) between.insert(value);
    if (!trace::is_special(value)) values.insert(value);
  };
  const trace::Word::Form form = merged.call.words[word].form;
  const bool is_common = form == trace::Word::Form::kConstant || form == trace::Word::Form::kColumn;
  if (is_common) { // one rank says it all
    values_.each_of_first(merged, word, comm, note, only);
  } else {
    values_.each(merged, word, comm, note, only);
  }
  if (!between.empty()) return say_root(said, values, between, is_one_each ? &of_rank : nullptr);
  if (values.empty()) {
    const bool is_undefined = field.kind == FieldKind::kColor && !of_rank.empty();
    said.text = is_undefined ? kUndefined : is_any ? "any" : "";
    return;
  }
  said.least = *values.begin();
  said.most = *values.rbegin();
  if (values.size() <= kFewNumbers) said.values.assign(values.begin(), values.end());
  const bool is_of_world = comm == trace::kWorldSlot || field.kind != FieldKind::kRoot;
  const bool is_by_rank = is_one_each && values.size() > 1 && is_of_world;
  if (is_by_rank && !logical_.says_cells) {
    if (auto formula = short_formula(field.kind, of_rank)) {
      said.text = *formula;
      if (keeps_by_cell)
        said.number_of_cell =
            std::make_shared<const std::map<std::int64_t, std::int64_t>>(std::move(of_cell));
      return;
    }
  }
  if (is_cell && logical_.says_cells) said.before += "cell ";
  said.text = numbers_text({values.begin(), values.end()});
}

std::optional<std::string>
NumberText::peers(const std::map<std::int64_t, std::int64_t>& of_rank) const {
  if (logical_.says_cells) return std::nullopt;
  auto formula = short_formula(FieldKind::kRank, of_rank);
  const bool is_choice = formula && formula->find('?') != std::string::npos;
  if (!formula || is_choice) return std::nullopt; // a choice is said shorter by distances
  return formula->find(' ') == std::string::npos ? formula : "(" + *formula + ")";
}

std::optional<std::string>
NumberText::formula(const std::map<std::int64_t, std::int64_t>& of_cell) const {
  return formula_in_rank(logical_, rank_of_cell_, of_cell);
}

std::map<std::int64_t, std::int64_t> NumberText::counts_of(const trace::MergedLoop& loop) const {
  const auto function = static_cast<std::size_t>(loop.trip_count.value);
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t cell : program_.table.sets[loop.set].ranks())
    counts[cell] = program_.table.value(function, cell, cell);
  return counts;
}

namespace {

// What the messages in a body follow.
struct TopologiesMet {
  std::optional<std::size_t> only;
  bool has_several = false;

  void add(std::size_t topology) {
    has_several = has_several || (only && *only != topology);
    only = topology;
  }
};

void add_topologies(std::span<const Statement> body, TopologiesMet& met) {
  for (const Statement& statement : body) {
    if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      for (const std::size_t topology : call->peer_topologies) met.add(topology);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      add_topologies(guard->body, met);
    } else if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      add_topologies(loop->body, met);
    }
  }
}

// "wait", "waitany": of messages to as many neighbours.
bool waits_only(std::span<const Statement> body) {
  return !body.empty() && std::all_of(body.begin(), body.end(), [](const Statement& statement) {
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && call->name.starts_with("wait");
  });
}

} // namespace

// By chance another loop goes round as often as a rank has neighbours, but hardly one that waits
// and does nothing else. One of irregular graphs has counts that no other loop has.
bool NumberText::are_neighbours(const std::map<std::int64_t, std::int64_t>& counts,
                                std::span<const Statement> body) const {
  TopologiesMet met;
  add_topologies(body, met);
  if (met.has_several) return false;
  const auto has_as_many = [&](const PeerTopology& graph) {
    return std::all_of(counts.begin(), counts.end(), [&](const auto& one) {
      const auto at = graph.cells[static_cast<std::size_t>(rank_of(one.first))];
      return at >= 0 && graph.directions.from(at).size() == static_cast<std::size_t>(one.second);
    });
  };
  if (met.only) return has_as_many(logical_.peer_topologies[*met.only]);
  return std::any_of(logical_.peer_topologies.begin(), logical_.peer_topologies.end(),
                     [&, waits = waits_only(body)](const PeerTopology& graph) {
                       const bool may_be =
                           waits || graph.topology.kind == topology::TopologyKind::kUser;
                       return may_be && has_as_many(graph);
                     });
}

std::string NumberText::by_rank(const std::map<std::int64_t, std::int64_t>& counts,
                                std::span<const Statement> body) const {
  if (are_neighbours(counts, body)) return std::string(kNeighbours);
  std::map<std::int64_t, std::int64_t> of_rank;
  for (const auto& [cell, count] : counts)
    of_rank[logical_.says_cells ? cell : rank_of(cell)] = count;
  if (!logical_.says_cells) {
    if (auto formula = short_formula(FieldKind::kInteger, of_rank)) return *formula;
  }
  trace::RankSequence sequence;
  for (const auto& [rank, count] : of_rank) sequence.push(count);
  return "[" + sequence.text([](std::int64_t count) { return std::to_string(count); }) + "]";
}

namespace {

// How often a loop goes round for a rank, each time that it comes there.
class TripCounts {
public:
  TripCounts(const trace::MergedProgram& program, const trace::MergedLoop& loop,
             std::int64_t rank) {
    using Form = trace::Word::Form;
    const trace::Word& word = loop.trip_count;
    std::int64_t value = word.value;
    if (word.form == Form::kByRank || word.form == Form::kColumnByRank)
      value = program.table.value(static_cast<std::size_t>(value), rank, rank);
    if (word.form == Form::kColumn || word.form == Form::kColumnByRank)
      column_.emplace(program.columns[static_cast<std::size_t>(value)]);
    always_ = value;
  }

  bool is_column() const { return column_.has_value(); }
  std::optional<std::int64_t> next() { return column_ ? column_->next() : std::optional(always_); }

private:
  std::optional<trace::ColumnReader> column_;
  std::int64_t always_ = 0;
};

} // namespace

std::optional<std::string> NumberText::at_ends(const trace::MergedLoop& loop,
                                               const trace::MergedLoop& around) const {
  constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 22;
  RoundsAtEnds ends;
  std::uint64_t all = 0;
  for (const std::int64_t rank : program_.table.sets[loop.set].ranks()) {
    TripCounts comes(program_, loop, rank);
    TripCounts rounds(program_, around, rank);
    if (!comes.is_column()) return std::nullopt;
    auto next = comes.next();
    while (next) {
      const auto number = rounds.next();
      if (!number || *number < 0) return std::nullopt; // the loop stands elsewhere, too
      for (std::int64_t i = 0; i < *number; ++i) {
        if (!next || *next < 0 || *next > 1 || ++all > kMostRounds) return std::nullopt;
        ends.add(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(*number), *next == 1);
        if (!ends.may_be()) return std::nullopt;
        next = comes.next();
      }
      if (*number == 0 && !rounds.is_column()) return std::nullopt;
    }
  }
  return ends.count();
}

std::string NumberText::in_runs(const trace::MergedLoop& loop, const std::string& otherwise) const {
  constexpr std::size_t kMostRuns = 4;
  const trace::Column& column = program_.columns[static_cast<std::size_t>(loop.trip_count.value)];
  if (auto every = every_kth(column)) return *every;
  std::vector<std::pair<std::int64_t, std::uint64_t>> runs;
  trace::ColumnReader reader(column);
  while (const auto count = reader.next()) {
    if (runs.empty() || runs.back().first != *count) runs.emplace_back(*count, 0);
    if (runs.size() > kMostRuns) return otherwise;
    ++runs.back().second;
  }
  std::string text;
  for (const auto& [count, times] : runs) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) +
            (times > 1 ? " x" + std::to_string(times) : "");
  }
  return text;
}

} // namespace rondo::logical::internal
