// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/list_arguments.hpp"

#include "generate/lower/arguments/addresses.hpp"
#include "generate/lower/arguments/argument_values.hpp"
#include "generate/lower/polls.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace rondo::generate::internal {

using trace::Field;
using trace::FieldKind;

namespace {

constexpr std::int64_t kNoRequest = 1; // of a list: codes are twice an age, or twice a slot + 3

std::int64_t list_code(std::int64_t request) {
  if (trace::is_special(request)) return kNoRequest;
  const auto number = static_cast<std::int64_t>(trace::age_or_slot(request));
  return trace::is_persistent(request) ? 2 * number + 3 : 2 * number;
}

// It may complete fewer than all that it waits for.
bool waits_for_some(const trace::Function& function) {
  const trace::CallMeaning& means = trace::meaning_of(function);
  return means.waits() && means.completes == trace::Completes::kSome;
}

// MPI_Group_range_incl and MPI_Group_range_excl: first, last, stride.
bool has_triples(const trace::Function& function) { return function.word_of("ranges") >= 0; }

// n - 1, ..., 1, 0: the youngest n requests, the oldest of them first.
bool is_newest(const std::vector<std::int64_t>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != trace::request_by_age(row.size() - 1 - i)) return false;
  }
  return !row.empty();
}

bool is_run_of_persistent(const std::vector<std::int64_t>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (trace::is_special(row[i]) || !trace::is_persistent(row[i]) ||
        trace::age_or_slot(row[i]) != trace::age_or_slot(row.front()) + i)
      return false;
  }
  return !row.empty();
}

template <class Test> bool every(const std::vector<Sequence>& sequences, const Test& test) {
  return std::ranges::all_of(sequences, [&](const Sequence& s) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!test(s.at(i))) return false;
    }
    return true;
  });
}

const ValueKind& plain_number(const std::string& hint) {
  static std::map<std::string, ValueKind> kinds;
  return kinds.try_emplace(hint, ValueKind{.hint = hint, .leaf = number, .constant_name = {}})
      .first->second;
}

} // namespace

Expression ListArguments::request(const CallContext& context, const std::vector<Sequence>& codes) {
  const auto number_in = [](std::int64_t code) {
    return static_cast<std::int64_t>(trace::age_or_slot(code));
  };
  const auto is_age = [](std::int64_t code) {
    return !trace::is_special(code) && !trace::is_persistent(code);
  };
  const auto is_slot = [](std::int64_t code) {
    return !trace::is_special(code) && trace::is_persistent(code);
  };
  const auto expression = [&](const std::vector<Sequence>& values) {
    return shared_.forms.expression(context.domain, values, context.place,
                                    plain_number("request_age"));
  };
  if (every(codes, trace::is_special)) return address(name("no_request"));
  if (every(codes, is_age)) return call("request", {expression(mapped(codes, number_in))});
  if (every(codes, is_slot))
    return address(lookup("persistent", {expression(mapped(codes, number_in))}));
  return call("request_of", {expression(mapped(codes, list_code))});
}

ListRows ListArguments::rows_of(const CallContext& context, int word, const Field& field) {
  ListRows result;
  std::map<ListRow, std::int64_t> known;
  const auto& ids = context.words[static_cast<std::size_t>(word)];
  std::map<const void*, Sequence> converted; // of rows that do not depend on the rank
  for (std::size_t r = 0; r < ids.size(); ++r) {
    const bool is_relative = field.kind == FieldKind::kRank;
    if (!is_relative && !ids[r].is_constant()) {
      if (const auto found = converted.find(ids[r].values.get()); found != converted.end()) {
        result.index.push_back(found->second);
        continue;
      }
    }
    const auto row_of = [&](std::int64_t id) {
      if (trace::is_special(id)) return trace::kNothing;
      ListRow row = words_.array(id);
      for (std::int64_t& value : row) {
        if (is_relative && !trace::is_special(value)) value += context.ranks[r];
      }
      if (may_have_addresses(*context.function, field) && has_addresses(row)) {
        row = placed(std::move(row));
        result.have_addresses = true;
      }
      const auto [found, is_new] =
          known.try_emplace(row, static_cast<std::int64_t>(result.rows.size()));
      if (is_new) result.rows.push_back(row);
      return found->second;
    };
    result.index.push_back(mapped({ids[r]}, row_of).front());
    if (!is_relative && !ids[r].is_constant()) converted[ids[r].values.get()] = result.index.back();
  }
  return result;
}

// Only the requests that the call completed; those that it found pending are null.
ListRows ListArguments::completed_rows(const CallContext& context, const CArgument& requests) {
  const trace::CallMeaning& means = trace::meaning_of(*context.function);
  const bool is_one = means.index >= 0;
  const auto outcome = static_cast<std::size_t>(is_one ? means.index : means.indices);
  const auto& ids = context.words[static_cast<std::size_t>(requests.word)];
  ListRows result;
  std::map<ListRow, std::int64_t> known;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    const Sequence& completed = context.words[outcome][r];
    const auto row_at = [&](std::size_t i) {
      ListRow row = words_.array(ids[r].at(i));
      std::vector<bool> stays(row.size(), false);
      const std::int64_t which = completed.at(i);
      const ListRow none;
      const ListRow one{which};
      const ListRow& places = trace::is_special(which) ? none : is_one ? one : words_.array(which);
      for (const std::int64_t place : places) {
        if (place >= 0 && static_cast<std::size_t>(place) < stays.size())
          stays[static_cast<std::size_t>(place)] = true;
      }
      for (std::size_t e = 0; e < row.size(); ++e) row[e] = stays[e] ? row[e] : trace::kNull;
      const auto [found, is_new] =
          known.try_emplace(row, static_cast<std::int64_t>(result.rows.size()));
      if (is_new) result.rows.push_back(row);
      return found->second;
    };
    const std::size_t size = std::max(ids[r].is_constant() ? 0 : ids[r].values->size(),
                                      completed.is_constant() ? 0 : completed.values->size());
    Sequence index;
    if (size == 0) {
      index.constant = row_at(0);
    } else {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < size; ++i) values.push_back(row_at(i));
      index.values = std::make_shared<const std::vector<std::int64_t>>(std::move(values));
    }
    result.index.push_back(std::move(index));
  }
  return result;
}

// Where most ranks have rows of their own, each gets one: "list[rank]" is easier to read.
void ListArguments::spread(const CallContext& context, ListRows& rows) const {
  const bool is_constant = std::ranges::all_of(rows.index, &Sequence::is_constant);
  if (!is_constant || rows.rows.size() < 3 || 2 * rows.rows.size() < context.ranks.size()) return;
  std::vector<ListRow> by_rank(static_cast<std::size_t>(shared_.benchmark.ranks));
  for (std::size_t r = 0; r < context.ranks.size(); ++r) {
    Sequence& index = rows.index[r];
    if (index.constant == trace::kNothing) continue;
    by_rank[static_cast<std::size_t>(context.ranks[r])] =
        rows.rows[static_cast<std::size_t>(index.constant)];
    index.constant = context.ranks[r];
  }
  rows.rows = std::move(by_rank);
}

// Blocks one behind the other, where a converted trace does not say where they are.
ListRows ListArguments::displacement_rows(const CallContext& context, const CArgument& argument) {
  const trace::CallMeaning& means = trace::meaning_of(*context.function);
  const bool sends = argument.name == "sdispls" || means.collective == trace::Collective::kScatterv;
  if (!(sends ? means.has_send_counts : means.has_receive_counts)) return {};
  const int word = sends ? means.send_count : means.receive_count;
  ListRows rows = rows_of(context, word, *context.field_of(word));
  for (ListRow& row : rows.rows) {
    std::int64_t next = 0;
    for (std::int64_t& value : row) next += std::exchange(value, next);
  }
  return rows;
}

Expression ListArguments::row_index(const CallContext& context, const ListRows& rows) {
  return shared_.forms.expression(context.domain, rows.index, context.place, plain_number("row"));
}

Expression ListArguments::requests(const CallContext& context, const CArgument& argument) {
  const Field& field = *context.field_of(argument.word);
  ListRows rows = completes_some(*context.function) ? completed_rows(context, argument)
                                                    : rows_of(context, argument.word, field);
  if (rows.rows.empty()) return call("newest", {number(0)});
  if (std::ranges::all_of(rows.rows, is_newest) && !waits_for_some(*context.function))
    return call("newest", {length(context, argument)});
  if (rows.rows.size() == 1 && poll_outcome(*context.function) < 0 &&
      is_run_of_persistent(rows.rows.front())) {
    const auto first = static_cast<std::int64_t>(trace::age_or_slot(rows.rows.front().front()));
    return address(lookup("persistent", {number(first)}));
  }
  for (ListRow& row : rows.rows) std::ranges::transform(row, row.begin(), list_code);
  const std::string list = shared_.forms.add_rows(rows.rows, plain_number("requests"));
  Expression row = rows.rows.size() == 1 ? name(list) : lookup(list, {row_index(context, rows)});
  Expression list_of = call("requests_of", {std::move(row), length(context, argument)});
  // It may complete fewer than it did, if it does not find them all finished.
  return waits_for_some(*context.function) ? call("all_finished", {list_of}) : list_of;
}

Expression ListArguments::length(const CallContext& context, const CArgument& array) {
  const auto lengths =
      mapped(context.words[static_cast<std::size_t>(array.word)], [&](std::int64_t id) {
        if (trace::is_special(id)) return trace::kNothing;
        const auto size = static_cast<std::int64_t>(words_.array(id).size());
        return has_triples(*context.function) ? size / 3 : size;
      });
  ValueKind kind = plain_number("length");
  kind.leaf = [](std::int64_t value) { return number(value == trace::kNothing ? 0 : value); };
  return shared_.forms.expression(context.domain, lengths, context.place, kind);
}

// Equal counts, or blocks of one size one behind the other, need no table.
std::optional<Expression> ListArguments::equal_list(const CallContext& context,
                                                    const CArgument& argument,
                                                    const ListRows& rows) {
  constexpr std::size_t kShortest = 3;
  if (context.function->role != trace::Role::kCollective || argument.type != "int" ||
      rows.rows.size() != 1 || rows.rows.front().size() < kShortest)
    return std::nullopt;
  const ListRow& row = rows.rows.front();
  const bool is_count = argument.kind == ArgumentKind::kCount;
  if (!is_count && argument.kind != ArgumentKind::kDispl) return std::nullopt;
  const std::int64_t count = is_count ? row[0] : row[1];
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != (is_count ? count : count * static_cast<std::int64_t>(i))) return std::nullopt;
  }
  const auto blocks = static_cast<std::int64_t>(row.size());
  return call(is_count ? "equal_counts" : "equal_blocks",
              {shared_.count_name(count, context.function->name),
               blocks == shared_.benchmark.ranks ? name("RANKS") : number(blocks)});
}

// For what is at addresses; behind the last place there is room for a message.
void ListArguments::provide_memory(const ListRows& rows) {
  for (const ListRow& row : rows.rows) {
    shared_.benchmark.longest_list =
        std::max(shared_.benchmark.longest_list, static_cast<std::int64_t>(row.size()));
    for (const std::int64_t d : row)
      shared_.benchmark.address_bytes = std::max(
          shared_.benchmark.address_bytes, d - kFirstAddress + shared_.benchmark.buffer_bytes + 1);
  }
}

Expression ListArguments::array(const CallContext& context, const CArgument& argument,
                                const Field& field) {
  if (argument.direction != Direction::kIn) return ignored_argument(argument);
  const auto& ids = context.words[static_cast<std::size_t>(argument.word)];
  ListRows rows = rows_of(context, argument.word, field);
  if (rows.rows.empty() && argument.kind == ArgumentKind::kDispl &&
      std::ranges::all_of(ids, [](const Sequence& id) {
        return id.is_constant() && id.constant == trace::kNothing;
      }))
    rows = displacement_rows(context, argument);
  if (auto equal = equal_list(context, argument, rows)) return *std::move(equal);
  spread(context, rows);
  if (rows.rows.empty()) { // MPI does not look at it, or it is a constant of MPI's
    for (const Sequence& id : ids) {
      if (id.is_constant() && id.constant != trace::kNothing)
        return name(constant_name(field, id.constant));
    }
    return name("NULL");
  }
  if (rows.have_addresses) provide_memory(rows);
  const bool is_object = !table_of(field.kind).empty();
  if (is_object) {
    for (ListRow& row : rows.rows)
      std::ranges::transform(row, row.begin(), [&](std::int64_t word) {
        return shared_.objects.place_of(field.kind, word);
      });
  }
  const ValueKind kind{
      .hint = is_object ? "types" : std::string(argument.name),
      .type = is_object ? "int" : std::string(argument.type),
      .is_number = false,
      .leaf = leaf_of(field),
      .constant_name = [&field](std::int64_t v) { return constant_name(field, v); }};
  const std::string list = shared_.forms.add_rows(rows.rows, kind);
  Expression row = rows.rows.size() == 1 ? name(list) : lookup(list, {row_index(context, rows)});
  if (is_object) {
    std::size_t longest = 0;
    for (const ListRow& r : rows.rows) longest = std::max(longest, r.size());
    return call("types_of", {std::move(row), number(static_cast<std::int64_t>(longest))});
  }
  if (rows.have_addresses) return call("addresses", {std::move(row), length(context, argument)});
  if (has_triples(*context.function)) return call("triples", {std::move(row)});
  return row;
}

} // namespace rondo::generate::internal
