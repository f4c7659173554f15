// SPDX-License-Identifier: Apache-2.0
#include "generate/c_text.hpp"

#include <cmath>
#include <fmt/core.h>
#include <map>

namespace rondo::generate::internal {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t kColumns = 100;

// How strongly C's operators bind.
int strength(const Expression& e) {
  static const std::map<std::string, int> kStrengths{{"*", 9},  {"/", 9}, {"%", 9},  {"+", 8},
                                                     {"-", 8},  {"<", 7}, {">=", 7}, {"==", 6},
                                                     {"!=", 6}, {"^", 5}, {"&&", 4}, {"||", 3}};
  if (e.kind == Kind::kIf) return 1;
  if (e.kind == Kind::kNumber && e.number < 0) return 10;
  return e.kind == Kind::kBinary ? kStrengths.at(e.text) : 20;
}

std::string operand(const Expression& e, int at_least) {
  const std::string text = c_expression(e);
  return strength(e) < at_least ? "(" + text + ")" : text;
}

// Compilers warn of && beside || and of ^ in arithmetic, and people stumble.
std::string binary_text(const Expression& e) {
  const int own = strength(e);
  const bool is_arithmetic = own >= 8;
  const int left = is_arithmetic ? own : own + 1;
  const bool joins = e.text == "&&" || e.text == "||";
  const auto side = [&](const Expression& part, int least) {
    const bool continues = joins && part.kind == Kind::kBinary && part.text == e.text;
    return continues ? c_expression(part) : operand(part, least);
  };
  return side(e.of[0], left) + " " + e.text + " " + side(e.of[1], own + 1);
}

std::string joined(const std::vector<Expression>& expressions) {
  std::string text;
  for (const Expression& e : expressions) text += (text.empty() ? "" : ", ") + c_expression(e);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// The arguments behind "name(", broken before the columns end.
std::string call_line(const std::string& head, const std::vector<std::string>& arguments,
                      int indent) {
  std::string text = std::string(static_cast<std::size_t>(indent), ' ') + head + "(";
  std::size_t line = text.size();
  const std::string next(static_cast<std::size_t>(indent) + 4, ' ');
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string part = arguments[i] + (i + 1 < arguments.size() ? "," : ");");
    if (i > 0 && line + part.size() + 1 > kColumns) {
      text += "\n" + next;
      line = next.size();
    } else if (i > 0) {
      text += ' ';
      ++line;
    }
    text += part;
    line += part.size();
  }
  return text + (arguments.empty() ? ");\n" : "\n");
}

std::string call_text(const Statement& statement, int indent) {
  std::vector<std::string> arguments;
  for (const Argument& argument : statement.arguments)
    arguments.push_back(c_expression(argument.value));
  if (statement.name.starts_with("rondo_"))
    return call_line("if (" + statement.name + ") " + statement.name, arguments, indent);
  return call_line(statement.name, arguments, indent);
}

// A loop that a skeleton shortens is timed pass by pass.
std::string in_part(const Statement& statement, const std::string& margin,
                    const std::string& text) {
  if (statement.full == 0) return text;
  return margin + "begin_part();\n" + text + margin + "end_part(" + std::to_string(statement.full) +
         ");\n";
}

std::string statement_text(const Statement& statement, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text = statement.comment.empty() ? "" : margin + "/* " + statement.comment + " */\n";
  switch (statement.kind) {
  case Statement::Kind::kCall:
    if (statement.name == "MPI_Finalize") text += margin + "finish();\n";
    text += call_text(statement, indent);
    if (statement.name.starts_with("MPI_Init")) text += margin + "start();\n";
    return text;
  case Statement::Kind::kCompute:
    return text + margin + "compute(" + c_expression(statement.value) + ");\n";
  case Statement::Kind::kInvoke:
    return text + in_part(statement, margin, call_text(statement, indent));
  case Statement::Kind::kLoop: {
    const std::string& v = statement.name;
    const std::string count = c_expression(statement.value);
    // A count that is taken from a series is taken once.
    const bool is_fixed = statement.value.kind == Kind::kName || statement.value.is_number();
    const std::string head =
        is_fixed ? fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{\n", v, count)
                 : fmt::format("for (int {0} = 0, n{0} = {1}; {0} < n{0}; ++{0}) {{\n", v, count);
    const bool is_timed = statement.full > 0 || statement.is_part;
    const std::string body =
        c_statements(statement.body, indent + 2) + (is_timed ? margin + "  end_pass();\n" : "");
    return text + in_part(statement, margin, margin + head + body + margin + "}\n");
  }
  case Statement::Kind::kIf:
    text += margin + "if (" + c_expression(statement.value) + ") {\n" +
            c_statements(statement.body, indent + 2);
    if (!statement.otherwise.empty())
      text += margin + "} else {\n" + c_statements(statement.otherwise, indent + 2);
    return text + margin + "}\n";
  }
  return text;
}

} // namespace

std::string c_seconds(double value) {
  if (value <= 0) return "0";
  const int steps = std::min(0, static_cast<int>(std::floor(std::log10(value) / 3)));
  const std::string mantissa = fmt::format("{:.3g}", value * std::pow(10, -3 * steps));
  const bool is_plain = mantissa.find_first_of(".e") == std::string::npos;
  return steps == 0 ? mantissa + (is_plain ? ".0" : "") : mantissa + fmt::format("e{}", 3 * steps);
}

std::string c_expression(const Expression& e) {
  switch (e.kind) {
  case Kind::kNumber:
    return std::to_string(e.number);
  case Kind::kSeconds:
    return c_seconds(e.seconds);
  case Kind::kName:
    return e.text;
  case Kind::kText:
    return quoted(e.text);
  case Kind::kBinary:
    return binary_text(e);
  case Kind::kIf:
    return operand(e.of[0], 3) + " ? " + operand(e.of[1], 2) + " : " + c_expression(e.of[2]);
  case Kind::kLookup: {
    std::string text = e.text;
    for (const Expression& index : e.of) text += "[" + c_expression(index) + "]";
    return text;
  }
  case Kind::kCall: {
    const bool takes_state = e.text == "next" || e.text == "drawn";
    return e.text + "(" + (takes_state ? "&" : "") + joined(e.of) + ")";
  }
  case Kind::kAddress:
    return "&" + operand(e.of[0], 20);
  }
  return "";
}

std::string c_statements(const std::vector<Statement>& statements, int indent) {
  std::string text;
  for (const Statement& statement : statements) text += statement_text(statement, indent);
  return text;
}

std::string c_values(const std::vector<std::string>& values, std::size_t column) {
  std::string text = "{";
  std::size_t line = column + 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string part = values[i] + (i + 1 < values.size() ? ", " : "");
    if (line + part.size() > kColumns) {
      while (!text.empty() && text.back() == ' ') text.pop_back();
      text += "\n    ";
      line = 4;
    }
    text += part;
    line += part.size();
  }
  return text + "}";
}

} // namespace rondo::generate::internal
