// SPDX-License-Identifier: Apache-2.0
// Statements and expressions as Python with mpi4py. How each MPI function is said stands in
// templates/mpi4py_calls.txt.
#pragma once

#include "generate/write/language.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rondo::generate::internal {

class PythonLanguage : public Language {
public:
  /// "MPI.DOUBLE" for "MPI_DOUBLE".
  std::string name(const std::string& text) const override;
  std::string literal(const std::string& text) const override;
  std::string comment(const std::string& text) const override;

protected:
  int strength(const std::string& op) const override;
  std::string spelled(const std::string& op) const override;
  std::string choice(const Expression& e) const override;
  std::string call(const Expression& e) const override;
  std::string address(const Expression& e) const override;
};

class PythonText {
public:
  explicit PythonText(const Benchmark& benchmark);

  /// Each statement on lines of its own; "pass" if there is none.
  std::string statements(const std::vector<Statement>& all, int indent);
  /// What mpi4py can't say, of all that was written so far and of the names in tables.
  std::set<std::string> problems() const { return problems_; }
  /// Some message goes to MPI_PROC_NULL, or may.
  bool has_nobody() const { return has_nobody_; }

private:
  std::string statement(const Statement& statement, int indent);
  std::string call(const Statement& statement, int indent);
  std::string filled(const Statement& call, const std::string& pattern);
  std::string argument(const Statement& call, const std::string& name);
  std::string message(const Statement& call, const std::vector<std::string>& names);
  std::string message(const Expression& buffer, const std::string& rest);
  std::string in_part(const Statement& loop, const std::string& margin, const std::string& text);
  bool may_be_nobody(const Expression& e) const;
  void see_arguments(const std::vector<Statement>& statements);
  void check_name(const std::string& name);

  PythonLanguage language_;
  std::map<std::string, std::string> patterns_; // function -> how it is said
  std::set<std::string> with_nobody_; // tables, series and parameters that hold MPI_PROC_NULL
  std::set<std::string> problems_;
  bool has_nobody_ = false;
};

} // namespace rondo::generate::internal
