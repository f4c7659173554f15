// SPDX-License-Identifier: Apache-2.0
// What writers of all languages do alike: expressions with as few brackets as the language's
// operators need, lines that are not too long, the parts of templates that are lists.
//
//   class Shell : public Language { ... }; // says only what is its own
//   Shell().text(expression);
#pragma once

#include "rondo/generate/benchmark.hpp"
#include "rondo/generate/writers.hpp"

#include <kainjow/mustache.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::generate::internal {

class Language {
public:
  Language() = default;
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;
  virtual ~Language() = default;

  std::string text(const Expression& e) const;
  /// A variable, a constant, or a value of MPI's.
  virtual std::string name(const std::string& text) const = 0;
  /// A string literal.
  virtual std::string literal(const std::string& text) const = 0;
  /// Text of the recording for the inside of a comment.
  virtual std::string comment(const std::string& text) const = 0;

protected:
  static constexpr int kAtom = 20; // binds more strongly than every operator

  /// How strongly C's operator binds in this language.
  virtual int strength(const std::string& op) const = 0;
  /// How the language spells C's operator.
  virtual std::string spelled(const std::string& op) const { return op; }
  /// Must bind as strongly as 1.
  virtual std::string choice(const Expression& e) const = 0;
  virtual std::string call(const Expression& e) const = 0;
  virtual std::string address(const Expression& e) const = 0;

  /// In brackets if it binds less than that.
  std::string operand(const Expression& e, int at_least) const;
  std::string joined(const std::vector<Expression>& expressions) const;

private:
  std::string binary(const Expression& e) const;
  int strength_of(const Expression& e) const;
};

/// Every name that a program uses: which support code it needs.
class Uses {
public:
  explicit Uses(const Benchmark& benchmark);
  bool has(std::string_view name) const { return names_.contains(name); }
  template <class... Names> bool has_any(const Names&... names) const {
    return (has(names) || ...);
  }
  const std::set<std::string, std::less<>>& names() const { return names_; }

private:
  void see(const std::vector<Statement>& statements);
  void see(const Expression& expression);

  std::set<std::string, std::less<>> names_;
};

/// "48.2e-6"
std::string seconds_text(double seconds);
/// "HEAD(A, B, C);" with line breaks between arguments, behind `indent` blanks.
std::string call_lines(const std::string& head, const std::vector<std::string>& arguments,
                       const std::string& tail, int indent);
/// "{1, 2, 3}" in the given brackets; long ones go over several lines.
/// @param column   where the opening one stands
std::string list_text(const std::vector<std::string>& values, std::string_view brackets,
                      std::size_t column);

/// A template filled in, without the blank lines that its sections leave.
std::string rendered(std::string_view text, const kainjow::mustache::data& values,
                     int most_blank_lines = 1);
kainjow::mustache::data flag(bool is_set);
/// What every language's program and README say: ranks, version, notes, files, constants.
kainjow::mustache::data common_values(const Benchmark& benchmark, const Language& language,
                                      const WriterOptions& options);
/// Cells of a table or values of a series, as the language writes them.
std::string value_text(const Language& language, std::int64_t value,
                       const std::map<std::int64_t, std::string>& names);
std::vector<std::string> cells_of(const Language& language, const Table& table);
/// Seconds of each pass.
std::vector<std::string> passes_of(const Course& course, const Course::Row& row);
bool has_passes_apart(const Benchmark& benchmark);
/// Seconds of each bin, and the share of times up to it.
std::vector<std::pair<std::string, std::string>> cumulated(const Histogram& histogram);

} // namespace rondo::generate::internal
