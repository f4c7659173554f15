// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/expression.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace rondo::trace::expressions {
namespace {

using Kind = Expression::Kind;

bool is(const Expression& e, std::int64_t value) { return e.is_number() && e.number == value; }

} // namespace

Expression number(std::int64_t value) {
  Expression e;
  e.number = value;
  return e;
}

Expression seconds(double value) {
  Expression e;
  e.kind = Kind::kSeconds;
  e.seconds = value;
  return e;
}

Expression name(std::string text) {
  Expression e;
  e.kind = Kind::kName;
  e.text = std::move(text);
  return e;
}

Expression literal(std::string text) {
  Expression e = name(std::move(text));
  e.kind = Kind::kText;
  return e;
}

Expression rank() { return name("rank"); }

Expression binary(Expression a, const std::string& op, Expression b) {
  if (op == "+" && is(a, 0)) return b;
  if ((op == "+" || op == "-" || op == "^") && is(b, 0)) return a;
  if ((op == "*" || op == "/") && is(b, 1)) return a;
  if (op == "*" && is(a, 1)) return b;
  if (op == "*" && (is(a, 0) || is(b, 0))) return number(0);
  if (op == "+" && b.is_number() && b.number < 0)
    return binary(std::move(a), "-", number(-b.number));
  if (op == "-" && b.is_number() && b.number < 0)
    return binary(std::move(a), "+", number(-b.number));
  if (a.is_number() && b.is_number() && op == "+") return number(a.number + b.number);
  if (a.is_number() && b.is_number() && op == "*") return number(a.number * b.number);
  Expression e = name(op);
  e.kind = Kind::kBinary;
  e.of = {std::move(a), std::move(b)};
  return e;
}

Expression choose(Expression condition, Expression yes, Expression no) {
  if (yes == no) return yes;
  Expression e;
  e.kind = Kind::kIf;
  e.of = {std::move(condition), std::move(yes), std::move(no)};
  return e;
}

Expression lookup(std::string table, std::vector<Expression> indices) {
  Expression e = name(std::move(table));
  e.kind = Kind::kLookup;
  e.of = std::move(indices);
  return e;
}

Expression call(std::string function, std::vector<Expression> arguments) {
  Expression e = name(std::move(function));
  e.kind = Kind::kCall;
  e.of = std::move(arguments);
  return e;
}

Expression address(Expression place) {
  Expression e;
  e.kind = Kind::kAddress;
  e.of = {std::move(place)};
  return e;
}

Expression negated(const Expression& condition) {
  static constexpr std::array<std::pair<const char*, const char*>, 4> kOpposites{
      {{"<", ">="}, {">=", "<"}, {"==", "!="}, {"!=", "=="}}};
  for (const auto& [op, opposite] : kOpposites) {
    if (condition.kind == Kind::kBinary && condition.text == op)
      return binary(condition.of[0], opposite, condition.of[1]);
  }
  if (condition.kind == Kind::kBinary && (condition.text == "&&" || condition.text == "||"))
    return binary(negated(condition.of[0]), condition.text == "&&" ? "||" : "&&",
                  negated(condition.of[1]));
  return binary(condition, "==", number(0));
}

namespace {

// As in C: what binds tighter is higher.
int strength(const Expression& e) {
  if (e.kind == Kind::kIf) return 1;
  if (e.kind != Kind::kBinary) return 9;
  static constexpr std::array<std::pair<std::string_view, int>, 11> kOperators = {{{"||", 2},
                                                                                   {"&&", 3},
                                                                                   {"^", 4},
                                                                                   {"==", 5},
                                                                                   {"!=", 5},
                                                                                   {"<", 6},
                                                                                   {">=", 6},
                                                                                   {"+", 7},
                                                                                   {"-", 7},
                                                                                   {"*", 8},
                                                                                   {"/", 8}}};
  for (const auto& [op, binds] : kOperators) {
    if (e.text == op) return binds;
  }
  return 8; // %
}

std::string inside(const Expression& e, int least) {
  std::string text = text_of(e);
  return strength(e) < least ? "(" + text + ")" : text;
}

} // namespace

std::string text_of(const Expression& e) {
  if (e.kind == Kind::kNumber) return std::to_string(e.number);
  if (e.kind == Kind::kBinary) {
    const int own = strength(e);
    const bool is_tight = e.text == "^" || ((e.text == "+" || e.text == "-") &&
                                            e.of[0].kind == Kind::kName && e.of[1].is_number());
    const std::string blank = is_tight ? "" : " ";
    return inside(e.of[0], own) + blank + e.text + blank + inside(e.of[1], own + 1);
  }
  if (e.kind == Kind::kIf)
    return inside(e.of[0], 2) + " ? " + inside(e.of[1], 2) + " : " + text_of(e.of[2]);
  return e.text;
}

} // namespace rondo::trace::expressions
