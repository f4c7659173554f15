// SPDX-License-Identifier: Apache-2.0
// Statements and expressions as C.
#pragma once

#include "generate/write/language.hpp"

#include <string>

namespace rondo::generate::internal {

class CLanguage : public Language {
public:
  std::string name(const std::string& text) const override { return text; }
  std::string literal(const std::string& text) const override;
  std::string comment(const std::string& text) const override;

protected:
  int strength(const std::string& op) const override;
  std::string choice(const Expression& e) const override;
  std::string call(const Expression& e) const override;
  std::string address(const Expression& e) const override;
};

std::string c_expression(const Expression& expression);
/// Each statement on lines of its own.
std::string c_statements(const std::vector<Statement>& statements, int indent);
/// "{1, 2, 3}"; long ones go over several lines.
/// @param column   where the opening brace stands
std::string c_values(const std::vector<std::string>& values, std::size_t column = 60);

} // namespace rondo::generate::internal
