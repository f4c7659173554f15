// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_formulas.hpp"

#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

namespace rondo::trace::expressions {
namespace {

using Ranks = std::vector<std::int64_t>;

constexpr int kMostConditions = 2; // in one formula: with more, a table is easier to read

// Divisors and powers of two up to half of n: lengths of rows and strides of butterflies.
Ranks strides_of(std::int64_t n) {
  Ranks strides;
  for (std::int64_t k = 2; k <= n / 2; ++k) {
    if (n % k == 0 || (k & (k - 1)) == 0) strides.push_back(k);
  }
  return strides;
}

// ---- Conditions ---------------------------------------------------------------------------------

// A condition that all ranks of a set fulfil, and who else does.
struct Test {
  Expression text;
  std::vector<std::uint64_t> holds; // a bit for each place in the universe
};

// Of what each place in the universe has: its rank, or a digit of it.
template <class Value, class Holds>
std::vector<std::uint64_t> bits_of(const std::vector<Value>& values, const Holds& holds) {
  constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> bits((values.size() + kBits - 1) / kBits);
  for (std::size_t i = 0; i < values.size(); ++i)
    bits[i / kBits] |= std::uint64_t{holds(values[i])} << (i % kBits);
  return bits;
}

class Tests {
public:
  /// Both ascend, and `inside` is not empty.
  Tests(const Ranks& inside, const Ranks& universe)
      : inside_(inside.begin(), inside.end()), universe_(universe.begin(), universe.end()),
        ranks_(universe.back() + 1), target_(bits_of(universe, [&](std::int64_t r) {
          return std::ranges::binary_search(inside, r);
        })) {
    add_comparisons(
        rank, [](Digit r) { return r; }, ranks_);
    const Ranks strides = strides_of(ranks_);
    for (const std::int64_t base : strides) add_digit(1, base);
    // Levels of a tree are told apart in the same way however few ranks the uppermost has.
    const auto half = static_cast<std::int64_t>(std::bit_floor(static_cast<Digit>(ranks_ - 1)));
    if (ranks_ > 2 && half > ranks_ / 2) add_digit(1, half);
    for (const std::int64_t stride : strides) {
      add_digit(stride, (ranks_ + stride - 1) / stride);
      for (const std::int64_t base : strides) {
        if (stride * base < ranks_) add_digit(stride, base);
      }
    }
  }

  std::optional<Expression> single() const {
    const auto found = std::ranges::find(tests_, target_, &Test::holds);
    if (found == tests_.end()) return std::nullopt;
    return found->text;
  }

  std::optional<Expression> pair() const {
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      for (std::size_t j = i + 1; j < tests_.size(); ++j) {
        if (are_target(tests_[i].holds, tests_[j].holds))
          return binary(tests_[j].text, "&&", tests_[i].text);
      }
    }
    return std::nullopt;
  }

private:
  // Of a rank, which is an int; most of the time goes to divisions, and short ones are quick.
  using Digit = std::uint32_t;

  // (rank / stride) % base
  void add_digit(std::int64_t stride, std::int64_t base) {
    const auto text = [=, this] {
      Expression quotient = binary(rank(), "/", number(stride));
      return stride * base < ranks_ ? binary(std::move(quotient), "%", number(base)) : quotient;
    };
    const auto by = static_cast<Digit>(stride);
    const auto of = static_cast<Digit>(base);
    add_comparisons(
        text, [=](Digit r) { return r / by % of; }, base);
  }

  // What the digit, which is in [0, base), of all ranks inside has in common. Most conditions are
  // known: only of the others texts are made.
  template <class Text, class DigitOf>
  void add_comparisons(const Text& text, const DigitOf& digit, std::int64_t base) {
    const auto last = static_cast<Digit>(base - 1);
    Digit least = last;
    Digit most = 0;
    for (const Digit r : inside_) {
      least = std::min(least, digit(r));
      most = std::max(most, digit(r));
      if (least == 0 && most == last) return; // nothing
    }
    std::vector<Digit> digits(universe_.size());
    std::ranges::transform(universe_, digits.begin(), digit);
    const auto add = [&](const char* comparison, Digit with, const auto& holds) {
      std::vector<std::uint64_t> bits = bits_of(digits, holds);
      const bool is_known =
          std::ranges::any_of(tests_, [&](const Test& other) { return other.holds == bits; });
      if (!is_known) tests_.push_back({binary(text(), comparison, number(with)), std::move(bits)});
    };
    const auto is_at_least = [=](Digit each) { return each >= least; };
    const auto is_at_most = [=](Digit each) { return each <= most; };
    if (least == most) add("==", least, [=](Digit each) { return each == least; });
    if (most + 1 == last) add("!=", last, is_at_most);
    if (least == 1) add("!=", 0, is_at_least);
    if (most < last) add("<", most + 1, is_at_most);
    if (least > 0) add(">=", least, is_at_least);
  }

  bool are_target(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) const {
    for (std::size_t i = 0; i < target_.size(); ++i) {
      if ((a[i] & b[i]) != target_[i]) return false;
    }
    return true;
  }

  std::vector<Digit> inside_;
  std::vector<Digit> universe_;
  std::int64_t ranks_;
  std::vector<std::uint64_t> target_; // as Test::holds
  std::vector<Test> tests_;
};

Ranks without(const Ranks& universe, const Ranks& inside) {
  Ranks rest;
  std::ranges::set_difference(universe, inside, std::back_inserter(rest));
  return rest;
}

// ---- Values -------------------------------------------------------------------------------------

// What all of these ranks compute alike.
class Direct {
public:
  Direct(const Domain& domain, const Ranks& own, const Ranks& values)
      : domain_(domain), own_(own), values_(values) {}

  std::optional<Expression> find() const {
    const std::int64_t first = own_.front();
    const std::int64_t value = values_.front();
    const Expression& own = domain_.own_rank;
    if (holds([&](std::int64_t r) { return r + value - first; }))
      return binary(own, "+", number(value - first));
    if (own_.size() < 2 || (own_.size() == 2 && !are_partners())) return std::nullopt;
    if (const auto ring = modular()) return ring;
    if (const auto partner = of_partner()) return partner;
    if (value >= 0 && holds([&](std::int64_t r) { return r ^ (value ^ first); }))
      return binary(own, "^", number(value ^ first));
    if (own_.size() < 3) return std::nullopt;
    if (holds([&](std::int64_t r) { return value + first - r; }))
      return binary(number(value + first), "-", own);
    return scaled();
  }

private:
  template <class Formula> bool holds(const Formula& formula) const {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (formula(own_[i]) != values_[i]) return false;
    }
    return true;
  }

  // Two numbers are in many formulas, but if each is the other's rank, they say so.
  bool are_partners() const {
    return own_.front() == values_.back() && own_.back() == values_.front();
  }

  // What partners have whose own is the rank and a constant: "(rank ^ 4) + 100".
  std::optional<Expression> of_partner() const {
    const std::int64_t constant = std::ranges::min(values_) - std::ranges::min(own_);
    if (values_.front() < constant) return std::nullopt;
    const std::int64_t bits = (values_.front() - constant) ^ own_.front();
    if (!holds([&](std::int64_t r) { return (r ^ bits) + constant; })) return std::nullopt;
    return binary(binary(domain_.own_rank, "^", number(bits)), "+", number(constant));
  }

  std::optional<Expression> modular() const {
    const std::int64_t n = domain_.size;
    if (n < 2 || values_.front() < 0 || values_.front() >= n) return std::nullopt;
    const std::int64_t shift = (values_.front() - own_.front() + n) % n;
    if (!holds([&](std::int64_t r) { return (r + shift) % n; })) return std::nullopt;
    // A step back is written as one: (rank + RANKS - 1) % RANKS.
    Expression moved = shift <= n / 2 ? binary(domain_.own_rank, "+", number(shift))
                                      : binary(binary(domain_.own_rank, "+", domain_.own_size), "-",
                                               number(n - shift));
    return binary(std::move(moved), "%", domain_.own_size);
  }

  // a * part + b, where part is the rank, its row or its column, or those of a rank further on.
  std::optional<Expression> scaled() const {
    const Expression& own = domain_.own_rank;
    if (const auto whole = affine([](std::int64_t r) { return r; }, [&] { return own; }))
      return whole;
    const std::int64_t n = domain_.size;
    Ranks strides = strides_of(n);
    for (const std::int64_t k : {first_row(), first_period()}) {
      if (k > 1 && std::ranges::find(strides, k) == strides.end()) strides.push_back(k);
    }
    for (const std::int64_t k : strides) {
      if (const auto row = affine([k](std::int64_t r) { return r / k; },
                                  [&] { return binary(own, "/", number(k)); }))
        return row;
      if (const auto column = affine([k](std::int64_t r) { return r % k; },
                                     [&] { return binary(own, "%", number(k)); }))
        return column;
      if (n % k == 0 &&
          holds([&](std::int64_t r) { return r % k * (n / k) + r / k; })) // transposition
        return binary(binary(binary(own, "%", number(k)), "*", number(n / k)), "+",
                      binary(own, "/", number(k)));
    }
    return shifted(strides);
  }

  // (rank + c) / k and (rank + c) % k: the parent in a heap is (rank - 1) / 2. The first rank of a
  // row, or of a column's next round, says what c is.
  std::optional<Expression> shifted(const Ranks& strides) const {
    constexpr std::size_t kFewest = 4; // of fewer values it says nothing
    if (own_.size() < kFewest) return std::nullopt;
    for (const std::int64_t k : strides) {
      for (const bool is_row : {true, false}) {
        const std::int64_t begin = is_row ? first_of_row() : first_of_round();
        std::int64_t c = (k - begin % k) % k;
        if (c > 0 && own_.front() + c - k >= 0) c -= k; // a step back is written as one
        if (c == 0) continue;
        const auto text = [&](const char* divided) {
          return [this, divided, c, k] {
            return binary(binary(domain_.own_rank, "+", number(c)), divided, number(k));
          };
        };
        const auto found = is_row ? affine([=](std::int64_t r) { return (r + c) / k; }, text("/"))
                                  : affine([=](std::int64_t r) { return (r + c) % k; }, text("%"));
        if (found) return found;
      }
    }
    return std::nullopt;
  }

  std::int64_t first_of_row() const {
    std::size_t other = 1;
    while (other + 1 < own_.size() && values_[other] == values_.front()) ++other;
    return own_[other];
  }

  // The first one whose value does not go on as those before.
  std::int64_t first_of_round() const {
    std::size_t other = 1;
    while (other + 1 < own_.size() &&
           (values_[other] - values_[other - 1]) == (values_[1] - values_[0]))
      ++other;
    return own_[other];
  }

  // The distance to the first rank that has the value of the first one again.
  std::int64_t first_period() const {
    std::size_t other = 1;
    while (other < own_.size() && values_[other] != values_.front()) ++other;
    return other < own_.size() ? own_[other] - own_.front() : 0;
  }

  // The distance to the first rank with another value: a row's length, though the rows may lack
  // ranks, as those at a border, and their number then says nothing of it.
  std::int64_t first_row() const {
    std::size_t other = 1;
    while (other + 1 < own_.size() && values_[other] == values_.front()) ++other;
    return own_[other] - own_.front();
  }

  // The text of a part is made where it is wanted: most parts do not fit.
  template <class Part, class Text>
  std::optional<Expression> affine(const Part& part, const Text& text_of) const {
    std::size_t other = 1;
    while (other < own_.size() && part(own_[other]) == part(own_.front())) ++other;
    if (other == own_.size()) return std::nullopt;
    const std::int64_t run = part(own_[other]) - part(own_.front());
    const std::int64_t rise = values_[other] - values_.front();
    if (rise % run != 0) return std::nullopt;
    const std::int64_t a = rise / run;
    const std::int64_t b = values_.front() - a * part(own_.front());
    if (!holds([&](std::int64_t r) { return a * part(r) + b; })) return std::nullopt;
    const Expression text = text_of();
    if (std::abs(a) > 1 && has_two(part)) {
      // Of a rank further on it says less than the values.
      if ((text.of.empty() ? text : text.of[0]) != domain_.own_rank) return std::nullopt;
      return choose(is_zero(text), number(b), number(a + b));
    }
    if (a < 0) return binary(number(b), "-", binary(text, "*", number(-a)));
    return binary(binary(text, "*", number(a)), "+", number(b));
  }

  // It is 0 on some ranks and 1 on all others: "rank % 2 == 0 ? 8 : 12".
  template <class Part> bool has_two(const Part& part) const {
    return std::ranges::all_of(own_, [&](std::int64_t r) { return part(r) == 0 || part(r) == 1; });
  }

  static Expression is_zero(const Expression& digit) {
    if (digit.text == "/") return binary(digit.of[0], "<", digit.of[1]);
    return binary(digit, "==", number(0));
  }

  const Domain& domain_;
  const Ranks& own_;
  const Ranks& values_;
};

class Solver {
public:
  Solver(const Domain& domain, bool is_number, const Leaf& leaf)
      : domain_(domain), is_number_(is_number), leaf_(leaf) {}

  struct Part { // of the domain
    Ranks world;
    Ranks own;
    Ranks values;
  };

  std::optional<Expression> solve(const Part& part, int cuts) const {
    if (const auto whole = uniform(part)) return whole;
    for (int most = 1; most <= cuts; ++most) { // few conditions are read more easily than many
      for (const bool by_distance : {false, true}) {
        if (by_distance && !is_number_) break;
        if (const auto found = cut(part, by_distance, most)) return found;
      }
    }
    return std::nullopt;
  }

private:
  std::optional<Expression> uniform(const Part& part) const {
    const std::int64_t first = part.values.front();
    if (std::ranges::all_of(part.values, [&](std::int64_t v) { return v == first; }))
      return leaf_(first);
    if (!is_number_ || std::ranges::any_of(part.values, trace::is_special)) return std::nullopt;
    return Direct(domain_, part.own, part.values).find();
  }

  // Sets those ranks apart that share a value, or a distance, and looks for a formula for the rest.
  std::optional<Expression> cut(const Part& part, bool by_distance, int cuts) const {
    std::map<std::int64_t, std::size_t> keys;
    const auto key = [&](std::size_t i) {
      return by_distance && !trace::is_special(part.values[i]) ? part.values[i] - part.own[i]
                                                               : part.values[i];
    };
    for (std::size_t i = 0; i < part.values.size(); ++i) ++keys[key(i)];
    if (keys.size() > 8) return std::nullopt; // more are a table, not a formula
    for (const auto& [value, count] : keys) {
      Part apart;
      Part rest;
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        Part& to = key(i) == value ? apart : rest;
        to.world.push_back(part.world[i]);
        to.own.push_back(part.own[i]);
        to.values.push_back(part.values[i]);
      }
      if (rest.world.empty()) continue;
      const auto yes = uniform(apart);
      if (!yes) continue;
      // A condition takes longest to look for, unless there are more behind it.
      auto no = cuts == 1 ? uniform(rest) : std::nullopt;
      if (cuts == 1 && !no) continue;
      const auto condition = condition_for(apart.world, part.world);
      if (!condition) continue;
      if (!no) no = solve(rest, cuts - 1);
      if (no) return choose(*condition, *yes, *no);
    }
    return std::nullopt;
  }

  const Domain& domain_;
  bool is_number_;
  const Leaf& leaf_;
};

// Numbers that the formula has.
std::size_t constants_of(const Expression& formula) {
  std::size_t constants = formula.is_number() ? 1 : 0;
  for (const Expression& part : formula.of) constants += constants_of(part);
  return constants;
}

// A formula with more numbers than ranks says less than the values themselves, however true it is:
// "rank == 1 ? 5 : 13 - rank / 2" of four ranks' shares of a master's tasks. One value here and
// another there is always said, unless it takes long to work out where is here.
bool says_more(const Expression& formula, std::size_t ranks) {
  constexpr std::size_t kMostInCondition = 2; // numbers, as in "rank % 2 == 0"
  const bool is_plain = formula.kind == Expression::Kind::kIf && formula.of[1].of.empty() &&
                        formula.of[2].of.empty() && constants_of(formula.of[0]) <= kMostInCondition;
  return is_plain || constants_of(formula) < std::max<std::size_t>(ranks, 4);
}

} // namespace

std::optional<Expression> condition_for(const Ranks& inside, const Ranks& universe) {
  if (inside.empty()) return number(0);
  if (inside == universe) return number(1);
  const Ranks outside = without(universe, inside);
  const Tests tests(inside, universe);
  if (const auto one = tests.single()) return one;
  const Tests opposite(outside, universe);
  if (const auto one = opposite.single()) return negated(*one);
  if (const auto two = tests.pair()) return two;
  if (const auto two = opposite.pair()) return negated(*two);
  return std::nullopt;
}

std::optional<Expression> formula_for(const Domain& domain, const Ranks& values, bool is_number,
                                      const Leaf& leaf) {
  auto formula =
      Solver(domain, is_number, leaf).solve({domain.world, domain.own, values}, kMostConditions);
  if (formula && is_number && !says_more(*formula, values.size())) return std::nullopt;
  return formula;
}

} // namespace rondo::trace::expressions
