// SPDX-License-Identifier: Apache-2.0
#include "generate/write/c_text.hpp"

#include "generate/lower/statement_act.hpp"
#include "rondo/base/escape.hpp"

#include <fmt/core.h>

namespace rondo::generate::internal {
namespace {

using Kind = Expression::Kind;

std::string call_text(const Statement& statement, int indent) {
  std::vector<std::string> arguments;
  for (const Argument& argument : statement.arguments)
    arguments.push_back(c_expression(argument.value));
  const std::string head = statement.name.starts_with("rondo_")
                               ? "if (" + statement.name + ") " + statement.name
                               : statement.name;
  return call_lines(head, arguments, ";", indent);
}

// A loop that a skeleton shortens is timed pass by pass.
std::string in_part(const Statement& statement, const std::string& margin,
                    const std::string& text) {
  if (statement.full == 0) return text;
  return fmt::format("{0}begin_part({1}, {2});\n{3}{0}end_part();\n", margin,
                     c_expression(iterations_of(statement)), statement.full, text);
}

std::string statement_text(const Statement& statement, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text = statement.comment.empty()
                         ? ""
                         : margin + "/* " + escape::c_comment(statement.comment) + " */\n";
  switch (statement.kind) {
  case Statement::Kind::kCall:
    if (act_of(statement) == trace::Act::kFinalize) text += margin + "finish();\n";
    text += call_text(statement, indent);
    if (act_of(statement) == trace::Act::kInit) text += margin + "start();\n";
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

std::string CLanguage::literal(const std::string& text) const { return escape::c_string(text); }

std::string CLanguage::comment(const std::string& text) const { return escape::c_comment(text); }

int CLanguage::strength(const std::string& op) const {
  static const std::map<std::string, int> kStrengths{{"*", 9},  {"/", 9}, {"%", 9},  {"+", 8},
                                                     {"-", 8},  {"<", 7}, {">=", 7}, {"==", 6},
                                                     {"!=", 6}, {"^", 5}, {"&&", 4}, {"||", 3}};
  return kStrengths.at(op);
}

std::string CLanguage::choice(const Expression& e) const {
  return operand(e.of[0], 3) + " ? " + operand(e.of[1], 2) + " : " + text(e.of[2]);
}

std::string CLanguage::call(const Expression& e) const {
  const bool takes_state = e.text == "next" || e.text == "drawn" || e.text == "recorded";
  return e.text + "(" + (takes_state ? "&" : "") + joined(e.of) + ")";
}

std::string CLanguage::address(const Expression& e) const { return "&" + operand(e.of[0], kAtom); }

std::string c_expression(const Expression& e) { return CLanguage().text(e); }

std::string c_statements(const std::vector<Statement>& statements, int indent) {
  std::string text;
  for (const Statement& statement : statements) text += statement_text(statement, indent);
  return text;
}

std::string c_values(const std::vector<std::string>& values, std::size_t column) {
  return list_text(values, "{}", column);
}

} // namespace rondo::generate::internal
