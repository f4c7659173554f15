// SPDX-License-Identifier: Apache-2.0
// Integer expressions of family files: "(r + 2^k) mod n". Names stand for slots of a table of
// values. An expression may have no value (a division by zero, a result beyond 64 bits, a name
// without a value); it never fails otherwise.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::topology::internal {

struct Token {
  enum class Kind { kNumber, kWord, kSymbol, kEnd } kind = Kind::kEnd;
  std::string text; // as it stands
  std::int64_t number = 0;
};

/// Numbers, words and symbols of a line, to be taken one by one. A view into the line: they are
/// found as they are taken, so that a line of millions of them takes no memory.
class Tokens {
public:
  /// @error       kFormat for characters that mean nothing, and numbers beyond 64 bits
  /// @complexity  O(line)
  static Result<Tokens> of(std::string_view line);

  const Token& next() const { return next_; }
  Token take();
  /// Takes a word or symbol if it is the next one.
  bool take(std::string_view text);
  bool at_end() const { return next().kind == Token::Kind::kEnd; }
  /// "'text'" or "the end of the line".
  std::string next_text() const;

private:
  Status advance();

  std::string_view rest_; // behind the next one
  Token next_;
};

/// Names that mean something at some place of a file; the index is the slot. Empty ones no longer
/// do.
using Names = std::vector<std::string>;

/// True for words that expressions use themselves.
bool is_reserved(const std::string& word);

struct Values {
  std::vector<std::optional<std::int64_t>> of; // slot -> value
  std::int64_t steps = 0; // that may still be made; below 0 nothing has a value
};

class Expression {
public:
  /// Takes the longest expression the tokens begin with.
  /// @error       kFormat, without a place
  /// @complexity  O(tokens)
  static Result<Expression> parse(Tokens& tokens, const Names& names);

  /// @complexity  O(operations), each of which takes a step
  std::optional<std::int64_t> value(Values& values) const;

  bool uses(std::size_t slot) const;

private:
  friend class ExpressionParser;

  enum class Operation {
    kNumber,
    kName,
    kNegative,
    kNot,
    kAdd,
    kSubtract,
    kTimes,
    kDivide,
    kModulo,
    kPower,
    kLeft,
    kRight,
    kBitAnd,
    kBitXor,
    kBitOr,
    kEqual,
    kUnequal,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kAnd,
    kOr,
    kLog2,
    kRoot,
    kAbsolute,
    kMinimum,
    kMaximum,
    kGreatestDivisor
  };
  struct Node {
    Operation operation = Operation::kNumber;
    std::int64_t number = 0; // or the slot
    std::size_t left = 0;
    std::size_t right = 0;
  };

  std::optional<std::int64_t> value(std::size_t node, Values& values) const;
  static std::optional<std::int64_t> apply(Operation operation, std::int64_t a, std::int64_t b);

  std::vector<Node> nodes_; // operands stand before what uses them
};

} // namespace rondo::topology::internal
