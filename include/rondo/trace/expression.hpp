// SPDX-License-Identifier: Apache-2.0
// Expressions in the rank and in what a program counts, before they are written in a language: in
// generated benchmarks, and in the text of programs.
//
//   const Expression right = binary(rank(), "+", number(1)); // text_of(right): "rank + 1"
//
// Names are variables, named constants and MPI's constants; writers know how their language spells
// those.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::trace::expressions {

struct Expression {
  enum class Kind : std::uint8_t {
    kNumber, // number
    kSeconds, // seconds
    kName, // text
    kText, // a literal: text
    kBinary, // of[0] text of[1]; C's operators: + - * / % ^ < >= == != && ||
    kIf, // of[0] ? of[1] : of[2]
    kLookup, // text[of[0]][of[1]]...
    kCall, // text(of[0], of[1], ...): a function of the writer's runtime
    kAddress, // where of[0] is stored: what a call gives back goes there
  };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;
  double seconds = 0;
  std::string text{};
  std::vector<Expression> of{};

  bool is_number() const { return kind == Kind::kNumber; }
  friend bool operator==(const Expression&, const Expression&) = default;
};

Expression number(std::int64_t value);
Expression seconds(double value);
Expression name(std::string text);
Expression literal(std::string text);
/// This process in MPI_COMM_WORLD.
Expression rank();
/// Folds numbers, and x + 0, x * 1 and the like; x + -3 becomes x - 3.
Expression binary(Expression a, const std::string& op, Expression b);
Expression choose(Expression condition, Expression yes, Expression no);
Expression lookup(std::string table, std::vector<Expression> indices);
Expression call(std::string function, std::vector<Expression> arguments);
Expression address(Expression place);
/// "x is not so": turns comparisons round.
Expression negated(const Expression& condition);

/// As people write it, with the brackets that C needs: "rank % 4 * 4 + rank / 4". For numbers,
/// names, kBinary and kIf.
std::string text_of(const Expression& expression);

} // namespace rondo::trace::expressions
