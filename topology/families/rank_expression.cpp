// SPDX-License-Identifier: Apache-2.0
// Expressions are parsed by precedence climbing into a list of nodes and evaluated with checked
// arithmetic.
#include "topology/families/rank_expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace rondo::topology::internal {
namespace {

constexpr int kMostDepth = 100; // of brackets and of prefixes; a rule that people write has few
constexpr std::size_t kMostNodes = 1000;

using Value = std::optional<std::int64_t>;

Value sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

Value difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

Value product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Rounds down, so that (a / b) * b + a mod b = a with 0 <= a mod b for b > 0.
Value divided(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Value modulo(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return b == 0 ? std::nullopt : Value(0);
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  std::int64_t result = 1;
  for (; exponent > 0; --exponent) { // at most 63 times, then it overflows
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

Value shifted_left(std::int64_t a, std::int64_t by) {
  if (by < 0 || by > 62) return std::nullopt;
  return product(a, std::int64_t{1} << by);
}

Value root(std::int64_t a) {
  if (a < 0) return std::nullopt;
  auto result = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  while (result > 0 && result > a / result) --result;
  while (result + 1 <= a / (result + 1)) ++result;
  return result;
}

} // namespace

class ExpressionParser {
public:
  using Operation = Expression::Operation;
  using Operand = Result<std::size_t>; // index of a node

  ExpressionParser(Tokens& tokens, const Names& names) : tokens_(tokens), names_(names) {}

  Result<Expression> run() {
    if (auto top = binary(0); !top) return propagate(top);
    return std::move(result_);
  }

private:
  struct Binary {
    std::string_view text;
    int level;
    Operation operation;
  };
  static constexpr int kComparison = 2;
  static constexpr int kLevels = 7;
  // "and" of conditions binds less than a comparison, "bitand" of numbers more.
  static constexpr std::array<Binary, 20> kBinary = {
      {{"or", 0, Operation::kOr},           {"and", 1, Operation::kAnd},
       {"=", 2, Operation::kEqual},         {"==", 2, Operation::kEqual},
       {"!=", 2, Operation::kUnequal},      {"<", 2, Operation::kLess},
       {"<=", 2, Operation::kLessEqual},    {">", 2, Operation::kGreater},
       {">=", 2, Operation::kGreaterEqual}, {"bitor", 3, Operation::kBitOr},
       {"bitand", 3, Operation::kBitAnd},   {"xor", 3, Operation::kBitXor},
       {"<<", 4, Operation::kLeft},         {">>", 4, Operation::kRight},
       {"+", 5, Operation::kAdd},           {"-", 5, Operation::kSubtract},
       {"*", 6, Operation::kTimes},         {"/", 6, Operation::kDivide},
       {"mod", 6, Operation::kModulo},      {"%", 6, Operation::kModulo}}};

  static tl::unexpected<Error> wrong(std::string message) {
    return fail(ErrorCode::kFormat, std::move(message));
  }

  Operand add(Operation operation, std::int64_t number, std::size_t left, std::size_t right) {
    if (result_.nodes_.size() >= kMostNodes) return wrong("the expression is too long; split it");
    result_.nodes_.push_back({operation, number, left, right});
    return result_.nodes_.size() - 1;
  }

  const Binary* binary_of(int level) const {
    const auto* found = std::find_if(kBinary.begin(), kBinary.end(), [&](const Binary& b) {
      return b.level == level && b.text == tokens_.next().text;
    });
    return found == kBinary.end() ? nullptr : found;
  }

  Operand binary(int level) {
    if (level == kLevels) return prefix();
    auto left = binary(level + 1);
    while (left) {
      const Binary* operation = binary_of(level);
      if (operation == nullptr) return left;
      tokens_.take();
      const auto right = binary(level + 1);
      if (!right) return right;
      left = add(operation->operation, 0, *left, *right);
      if (level == kComparison && binary_of(level) != nullptr)
        return wrong("comparisons cannot be chained; join them by 'and'");
    }
    return left;
  }

  Operand prefix() {
    if (++depth_ > kMostDepth) return wrong("too many brackets or signs; split the expression");
    Operand result = 0;
    if (tokens_.take("not")) {
      result = binary(kComparison);
      if (result) result = add(Operation::kNot, 0, *result, *result);
    } else if (tokens_.take("-")) {
      result = prefix();
      if (result) result = add(Operation::kNegative, 0, *result, *result);
    } else {
      result = raised();
    }
    --depth_;
    return result;
  }

  // 2^k; to the right, so 2^3^2 = 2^9.
  Operand raised() {
    const auto base = primary();
    if (!base || !tokens_.take("^")) return base;
    const auto exponent = prefix();
    if (!exponent) return exponent;
    return add(Operation::kPower, 0, *base, *exponent);
  }

  Operand primary() {
    if (tokens_.next().kind == Token::Kind::kNumber)
      return add(Operation::kNumber, tokens_.take().number, 0, 0);
    if (tokens_.take("(")) {
      auto inner = binary(0);
      if (inner && !tokens_.take(")")) return wrong("')' is missing before " + tokens_.next_text());
      return inner;
    }
    if (tokens_.next().kind != Token::Kind::kWord || is_keyword(tokens_.next().text))
      return wrong("a number, a name or '(' is missing before " + tokens_.next_text());
    const std::string word = tokens_.take().text;
    if (const Function* function = function_of(word)) return call(*function);
    const auto slot = std::find(names_.begin(), names_.end(), word);
    if (slot == names_.end()) return wrong("'" + word + "' is not known here; " + known_names());
    return add(Operation::kName, slot - names_.begin(), 0, 0);
  }

  struct Function {
    std::string_view name;
    int arguments;
    Operation operation;
  };
  static constexpr std::array<Function, 6> kFunctions = {{{"log2", 1, Operation::kLog2},
                                                          {"sqrt", 1, Operation::kRoot},
                                                          {"abs", 1, Operation::kAbsolute},
                                                          {"min", 2, Operation::kMinimum},
                                                          {"max", 2, Operation::kMaximum},
                                                          {"gcd", 2, Operation::kGreatestDivisor}}};

  static const Function* function_of(const std::string& word) {
    const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const Function& f) { return f.name == word; });
    return found == kFunctions.end() ? nullptr : found;
  }

  static bool is_keyword(const std::string& word) {
    static constexpr std::array<std::string_view, 4> kOthers = {"not", "for", "in", "if"};
    return std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end() ||
           std::any_of(kBinary.begin(), kBinary.end(),
                       [&](const Binary& b) { return b.text == word; });
  }

  Operand call(const Function& function) {
    const std::string usage =
        std::string(function.name) + (function.arguments == 1 ? "(a)" : "(a, b)");
    if (!tokens_.take("("))
      return wrong("'(' is missing before " + tokens_.next_text() + "; write " + usage);
    const auto first = binary(0);
    if (!first) return first;
    auto second = first;
    if (function.arguments == 2) {
      if (!tokens_.take(","))
        return wrong("',' is missing before " + tokens_.next_text() + "; write " + usage);
      second = binary(0);
      if (!second) return second;
    }
    if (!tokens_.take(")"))
      return wrong("')' is missing before " + tokens_.next_text() + "; write " + usage);
    return add(function.operation, 0, *first, *second);
  }

  std::string known_names() const {
    std::string text;
    for (const std::string& name : names_) {
      if (!name.empty()) text += (text.empty() ? "known are " : ", ") + name;
    }
    return text;
  }

  friend bool is_reserved(const std::string& word);

  Tokens& tokens_;
  const Names& names_;
  Expression result_;
  int depth_ = 0;
};

bool is_reserved(const std::string& word) {
  return ExpressionParser::is_keyword(word) || ExpressionParser::function_of(word) != nullptr;
}

Result<Expression> Expression::parse(Tokens& tokens, const Names& names) {
  return ExpressionParser(tokens, names).run();
}

bool Expression::uses(std::size_t slot) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return node.operation == Operation::kName && node.number == static_cast<std::int64_t>(slot);
  });
}

std::optional<std::int64_t> Expression::value(Values& values) const {
  return value(nodes_.size() - 1, values);
}

std::optional<std::int64_t> Expression::value(std::size_t index, Values& values) const {
  if (--values.steps < 0) return std::nullopt;
  const Node& node = nodes_[index];
  if (node.operation == Operation::kNumber) return node.number;
  if (node.operation == Operation::kName) return values.of[static_cast<std::size_t>(node.number)];
  const auto left = value(node.left, values);
  if (!left) return std::nullopt;
  // of one operand, or decided by the first
  if (node.left == node.right) return apply(node.operation, *left, *left);
  if (node.operation == Operation::kAnd && *left == 0) return 0;
  if (node.operation == Operation::kOr && *left != 0) return 1;
  const auto right = value(node.right, values);
  if (!right) return std::nullopt;
  return apply(node.operation, *left, *right);
}

std::optional<std::int64_t> Expression::apply(Operation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
  case Operation::kNumber:
  case Operation::kName:
    return std::nullopt; // have been dealt with
  case Operation::kNegative:
    return difference(0, a);
  case Operation::kNot:
    return a == 0 ? 1 : 0;
  case Operation::kAdd:
    return sum(a, b);
  case Operation::kSubtract:
    return difference(a, b);
  case Operation::kTimes:
    return product(a, b);
  case Operation::kDivide:
    return divided(a, b);
  case Operation::kModulo:
    return modulo(a, b);
  case Operation::kPower:
    return power(a, b);
  case Operation::kLeft:
    return shifted_left(a, b);
  case Operation::kRight:
    return b < 0 || b > 63 ? std::nullopt : Value(a >> b);
  case Operation::kBitAnd:
    return a & b;
  case Operation::kBitXor:
    return a ^ b;
  case Operation::kBitOr:
    return a | b;
  case Operation::kEqual:
    return a == b ? 1 : 0;
  case Operation::kUnequal:
    return a != b ? 1 : 0;
  case Operation::kLess:
    return a < b ? 1 : 0;
  case Operation::kLessEqual:
    return a <= b ? 1 : 0;
  case Operation::kGreater:
    return a > b ? 1 : 0;
  case Operation::kGreaterEqual:
    return a >= b ? 1 : 0;
  case Operation::kAnd:
    return a != 0 && b != 0 ? 1 : 0;
  case Operation::kOr:
    return a != 0 || b != 0 ? 1 : 0;
  case Operation::kLog2:
    return a <= 0 ? std::nullopt : Value(std::bit_width(static_cast<std::uint64_t>(a)) - 1);
  case Operation::kRoot:
    return root(a);
  case Operation::kAbsolute:
    return a == INT64_MIN ? std::nullopt : Value(a < 0 ? -a : a);
  case Operation::kMinimum:
    return std::min(a, b);
  case Operation::kMaximum:
    return std::max(a, b);
  case Operation::kGreatestDivisor:
    return a == INT64_MIN || b == INT64_MIN ? std::nullopt : Value(std::gcd(a, b));
  }
  return std::nullopt;
}

} // namespace rondo::topology::internal
