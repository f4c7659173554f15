// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/arguments/values.hpp"

#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>
#include <set>

namespace rondo::generate::internal {

// The values of some loops' iterations, which come again whenever those loops are entered.
struct ValueForms::Block {
  std::vector<std::size_t> loops; // of the place, outermost first
  std::vector<std::int64_t> counts; // of those loops
  std::vector<std::int64_t> cells; // the last loop varies fastest
};

namespace {

constexpr std::size_t kLargestBlock = std::size_t{1} << 16;

bool is_nothing(const Sequence& sequence) {
  if (sequence.is_constant()) return sequence.constant == trace::kNothing;
  return std::ranges::all_of(*sequence.values, [](std::int64_t v) { return v == trace::kNothing; });
}

// The same for those ranks only for which the value says something.
void drop_insignificant(Domain& domain, std::vector<Sequence>& values) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_nothing(values[i])) continue;
    values[kept] = values[i];
    domain.world[kept] = domain.world[i];
    domain.own[kept] = domain.own[i];
    ++kept;
  }
  values.resize(kept);
  domain.world.resize(kept);
  domain.own.resize(kept);
}

std::optional<std::int64_t> only_value(const Sequence& sequence) {
  if (sequence.is_constant()) return sequence.constant;
  if (sequence.values->empty()) return std::nullopt;
  const std::int64_t first = sequence.values->front();
  const bool is_one =
      std::ranges::all_of(*sequence.values, [&](std::int64_t v) { return v == first; });
  return is_one ? std::optional(sequence.at(0)) : std::nullopt;
}

std::vector<std::int64_t> differences(const std::vector<std::int64_t>& cells, std::int64_t own) {
  std::vector<std::int64_t> result = cells;
  for (std::int64_t& cell : result) cell = trace::is_special(cell) ? cell : cell - own;
  return result;
}

bool has_special(const std::vector<std::int64_t>& values) {
  return std::ranges::any_of(values, trace::is_special);
}

// first + slopes * iteration numbers, if that is what the cells are.
struct Affine {
  std::int64_t first = 0;
  std::vector<std::int64_t> slopes;
};

std::optional<Affine> affine_of(const std::vector<std::int64_t>& counts,
                                const std::vector<std::int64_t>& cells) {
  if (has_special(cells) || cells.size() < 3) return std::nullopt;
  Affine affine{cells.front(), std::vector<std::int64_t>(counts.size())};
  std::int64_t stride = 1;
  for (std::size_t d = counts.size(); d-- > 0; stride *= counts[d])
    affine.slopes[d] = counts[d] > 1 ? cells[static_cast<std::size_t>(stride)] - cells.front() : 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::int64_t value = affine.first;
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t d = counts.size(); d-- > 0; rest /= counts[d])
      value += affine.slopes[d] * (rest % counts[d]);
    if (value != cells[i]) return std::nullopt;
  }
  return affine;
}

std::vector<Progression> progressions_of(const Sequence& sequence) {
  std::vector<Progression> result;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const std::int64_t value = sequence.at(i);
    if (!result.empty()) {
      Progression& last = result.back();
      const std::int64_t end = last.first + last.step * last.count;
      const bool is_plain = !trace::is_special(value) && !trace::is_special(last.first);
      if (last.count == 1 && (is_plain || value == last.first)) {
        last.step = value - last.first;
        ++last.count;
        continue;
      }
      if (end == value) {
        ++last.count;
        continue;
      }
    }
    result.push_back({value, 0, 1});
  }
  return result;
}

std::int64_t product(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
}

// How many of the innermost loops a sequence repeats with; nothing if it does with none.
std::optional<std::size_t> loops_of_period(const std::vector<std::int64_t>& values,
                                           const EnclosingLoops& place) {
  std::size_t period = 1;
  for (std::size_t used = 1; used <= place.loops.size(); ++used) {
    const std::int64_t count = place.loops[place.loops.size() - used].count;
    if (count == 0) return std::nullopt;
    period *= static_cast<std::size_t>(count);
    if (period > kLargestBlock) return std::nullopt;
    if (values.size() % period != 0) continue;
    bool repeats = true;
    for (std::size_t i = period; repeats && i < values.size(); ++i)
      repeats = values[i] == values[i - period];
    if (repeats) return used;
  }
  return std::nullopt;
}

} // namespace

Expression ValueForms::expression(const Domain& all, const std::vector<Sequence>& values,
                                  const EnclosingLoops& place, const ValueKind& kind) {
  Domain domain = all;
  std::vector<Sequence> significant = values;
  drop_insignificant(domain, significant);
  if (significant.empty()) return kind.leaf(trace::kNothing);
  std::vector<std::int64_t> constants;
  for (const Sequence& sequence : significant) {
    if (const auto value = only_value(sequence)) constants.push_back(*value);
  }
  if (constants.size() == significant.size()) return by_rank(domain, constants, kind);

  std::size_t used = 0;
  for (const Sequence& sequence : significant) {
    if (sequence.is_constant()) continue;
    const auto loops = loops_of_period(*sequence.values, place);
    if (!loops) return series(domain, significant, kind);
    used = std::max(used, *loops);
  }
  std::vector<Block> blocks = blocks_of(significant, place, used);
  for (std::size_t d = used; d-- > 0;) drop_if_unused(blocks, d);
  return by_iteration(domain, blocks, place, kind);
}

// One pass through the innermost `used` loops, of each rank.
std::vector<ValueForms::Block> ValueForms::blocks_of(const std::vector<Sequence>& values,
                                                     const EnclosingLoops& place,
                                                     std::size_t used) {
  Block shape;
  for (std::size_t d = place.loops.size() - used; d < place.loops.size(); ++d) {
    shape.loops.push_back(d);
    shape.counts.push_back(place.loops[d].count);
  }
  std::vector<Block> blocks(values.size(), shape);
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    for (std::int64_t i = 0; i < product(shape.counts); ++i)
      blocks[r].cells.push_back(values[r].at(static_cast<std::size_t>(i)));
  }
  return blocks;
}

// Takes a loop out of all blocks if no rank's values depend on it.
void ValueForms::drop_if_unused(std::vector<Block>& blocks, std::size_t d) {
  std::int64_t stride = 1;
  for (std::size_t e = d + 1; e < blocks.front().counts.size(); ++e)
    stride *= blocks.front().counts[e];
  const std::int64_t count = blocks.front().counts[d];
  const auto is_first = [&](std::size_t i) {
    return static_cast<std::int64_t>(i) / stride % count == 0;
  };
  const bool is_same = std::ranges::all_of(blocks, [&](const Block& block) {
    for (std::size_t i = 0; i < block.cells.size(); ++i) {
      if (!is_first(i) && block.cells[i] != block.cells[i - static_cast<std::size_t>(stride)])
        return false;
    }
    return true;
  });
  if (!is_same) return;
  for (Block& block : blocks) {
    std::vector<std::int64_t> cells;
    for (std::size_t i = 0; i < block.cells.size(); ++i) {
      if (is_first(i)) cells.push_back(block.cells[i]);
    }
    block.cells = std::move(cells);
    block.loops.erase(block.loops.begin() + static_cast<std::ptrdiff_t>(d));
    block.counts.erase(block.counts.begin() + static_cast<std::ptrdiff_t>(d));
  }
}

Expression ValueForms::by_rank(const Domain& domain, const std::vector<std::int64_t>& values,
                               const ValueKind& kind) {
  if (const auto formula = formula_for(domain, values, kind.is_number, kind.leaf)) return *formula;
  Table table;
  table.dimensions = {benchmark_.ranks};
  table.values.assign(static_cast<std::size_t>(benchmark_.ranks), 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    table.values[static_cast<std::size_t>(domain.world[i])] = values[i];
  return lookup(add_table(std::move(table), kind), {rank()});
}

Expression ValueForms::by_iteration(const Domain& domain, const std::vector<Block>& blocks,
                                    const EnclosingLoops& place, const ValueKind& kind) {
  const auto all_equal = [](const auto& rows) {
    return std::ranges::all_of(rows, [&](const auto& row) { return row == rows.front(); });
  };
  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::vector<std::int64_t>> relative;
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    rows.push_back(blocks[r].cells);
    relative.push_back(differences(blocks[r].cells, domain.own[r]));
  }
  if (all_equal(rows)) return in_table(blocks.front(), place, kind);
  if (kind.is_number && all_equal(relative) && !has_special(relative.front())) {
    Block offsets = blocks.front();
    offsets.cells = relative.front();
    return binary(domain.own_rank, "+", in_table(offsets, place, kind));
  }
  // The same steps from another first value on each rank.
  std::vector<std::int64_t> firsts;
  std::optional<Affine> steps;
  for (const Block& block : blocks) {
    auto affine = kind.is_number ? affine_of(block.counts, block.cells) : std::nullopt;
    if (!affine || (steps && steps->slopes != affine->slopes)) break;
    firsts.push_back(affine->first);
    steps = std::move(affine);
  }
  if (firsts.size() == blocks.size()) {
    Expression sum = by_rank(domain, firsts, kind);
    for (std::size_t d = 0; d < steps->slopes.size(); ++d) {
      const Expression variable = name(place.loops[blocks.front().loops[d]].variable);
      sum = binary(std::move(sum), "+", binary(variable, "*", number(steps->slopes[d])));
    }
    return sum;
  }
  // A row for each kind of ranks, or for each rank.
  std::vector<std::vector<std::int64_t>> kinds;
  std::vector<std::int64_t> row_of;
  for (const auto& row : rows) {
    const auto found = std::ranges::find(kinds, row);
    row_of.push_back(found - kinds.begin());
    if (found == kinds.end()) kinds.push_back(row);
  }
  const ValueKind plain{.hint = "", .leaf = number, .constant_name = {}};
  auto row = formula_for(domain, row_of, true, plain.leaf);
  if (!row) {
    kinds.assign(static_cast<std::size_t>(benchmark_.ranks),
                 std::vector<std::int64_t>(rows.front().size(), 0));
    for (std::size_t r = 0; r < rows.size(); ++r)
      kinds[static_cast<std::size_t>(domain.world[r])] = rows[r];
    row = rank();
  }
  Table table;
  table.dimensions = {static_cast<std::int64_t>(kinds.size())};
  std::vector<Expression> indices = {*row};
  for (std::size_t d = 0; d < blocks.front().loops.size(); ++d) {
    table.dimensions.push_back(blocks.front().counts[d]);
    indices.push_back(name(place.loops[blocks.front().loops[d]].variable));
  }
  for (const auto& cells : kinds)
    table.values.insert(table.values.end(), cells.begin(), cells.end());
  return lookup(add_table(std::move(table), kind), std::move(indices));
}

Expression ValueForms::in_table(const Block& block, const EnclosingLoops& place,
                                const ValueKind& kind) {
  std::vector<Expression> indices;
  for (const std::size_t loop : block.loops) indices.push_back(name(place.loops[loop].variable));
  if (block.cells.size() == 2)
    return choose(binary(indices.front(), "==", number(0)), kind.leaf(block.cells[0]),
                  kind.leaf(block.cells[1]));
  if (kind.is_number) {
    if (const auto affine = affine_of(block.counts, block.cells)) {
      Expression sum = number(affine->first);
      for (std::size_t d = 0; d < indices.size(); ++d)
        sum = binary(std::move(sum), "+", binary(indices[d], "*", number(affine->slopes[d])));
      return sum;
    }
  }
  Table table;
  table.dimensions = block.counts;
  table.values = block.cells;
  return lookup(add_table(std::move(table), kind), std::move(indices));
}

Expression ValueForms::series(const Domain& domain, const std::vector<Sequence>& values,
                              const ValueKind& kind) {
  Series series;
  series.row_of_rank.assign(static_cast<std::size_t>(benchmark_.ranks), 0);
  // One row serves all ranks whose values have the same distance from them.
  const bool is_relative =
      kind.is_number &&
      std::ranges::all_of(values,
                          [&](const Sequence& sequence) {
                            const auto index = static_cast<std::size_t>(&sequence - values.data());
                            return !sequence.is_constant() &&
                                   sequence.values == values.front().values &&
                                   sequence.base == domain.own[index] &&
                                   !has_special(*sequence.values);
                          }) &&
      values.front().base != values.back().base;
  std::map<std::pair<const void*, std::int64_t>, std::int64_t> rows;
  for (std::size_t r = 0; r < values.size(); ++r) {
    Sequence sequence = values[r];
    if (is_relative) sequence.base = 0;
    const std::pair<const void*, std::int64_t> key{
        sequence.values.get(), sequence.is_constant() ? sequence.constant : sequence.base};
    const auto [row, is_new] = rows.try_emplace(key, static_cast<std::int64_t>(series.rows.size()));
    if (is_new) series.rows.push_back(progressions_of(sequence));
    series.row_of_rank[static_cast<std::size_t>(domain.world[r])] = row->second;
  }
  series.name = fresh(kind.hint + "_series");
  if (kind.constant_name) {
    for (const auto& row : series.rows) {
      for (const Progression& p : row) {
        if (const std::string text = kind.constant_name(p.first); !text.empty())
          series.names[p.first] = text;
      }
    }
  }
  benchmark_.series.push_back(std::move(series));
  Expression next = call("next", {name(benchmark_.series.back().name)});
  return is_relative ? binary(domain.own_rank, "+", std::move(next)) : next;
}

std::string ValueForms::add_table(Table table, const ValueKind& kind) {
  table.type = kind.type;
  for (const std::int64_t value :
       std::set<std::int64_t>(table.values.begin(), table.values.end())) {
    if (!kind.constant_name) break;
    if (const std::string text = kind.constant_name(value); !text.empty())
      table.names[value] = text;
  }
  for (const Table& known : benchmark_.tables) { // an equal one serves as well
    if (known.type == table.type && known.dimensions == table.dimensions &&
        known.values == table.values && known.names == table.names &&
        known.seconds == table.seconds && known.lengths == table.lengths)
      return known.name;
  }
  table.name = fresh(kind.hint);
  benchmark_.tables.push_back(std::move(table));
  return benchmark_.tables.back().name;
}

std::string ValueForms::add_rows(const std::vector<std::vector<std::int64_t>>& rows,
                                 const ValueKind& kind) {
  std::size_t longest = 1;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  Table table;
  table.dimensions = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(longest)};
  if (rows.size() == 1) table.dimensions.erase(table.dimensions.begin());
  for (const auto& row : rows) {
    table.values.insert(table.values.end(), row.begin(), row.end());
    table.values.insert(table.values.end(), longest - row.size(), 0);
    table.lengths.push_back(static_cast<std::int64_t>(row.size()));
  }
  if (std::ranges::all_of(rows, [&](const auto& row) { return row.size() == longest; }))
    table.lengths.clear();
  return add_table(std::move(table), kind);
}

Expression ValueForms::times(const Domain& domain, const std::vector<double>& by_rank) {
  if (std::ranges::all_of(by_rank, [&](double t) { return t == by_rank.front(); }))
    return seconds(by_rank.front());
  std::vector<double> kinds = by_rank;
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  if (kinds.size() <= 4) { // ranks that do the same share their mean
    std::vector<std::int64_t> index;
    for (const double t : by_rank)
      index.push_back(std::ranges::lower_bound(kinds, t) - kinds.begin());
    const Leaf leaf = [&](std::int64_t i) { return seconds(kinds[static_cast<std::size_t>(i)]); };
    if (auto formula = formula_for(domain, index, false, leaf)) return *formula;
  }
  Table table;
  table.dimensions = {benchmark_.ranks};
  table.seconds.assign(static_cast<std::size_t>(benchmark_.ranks), 0);
  for (std::size_t i = 0; i < by_rank.size(); ++i)
    table.seconds[static_cast<std::size_t>(domain.world[i])] = by_rank[i];
  return lookup(add_table(std::move(table),
                          {.hint = "time", .type = "double", .leaf = {}, .constant_name = {}}),
                {rank()});
}

} // namespace rondo::generate::internal
