// SPDX-License-Identifier: Apache-2.0
#include "generate/write/python_text.hpp"

#include "generate/lower/statement_act.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/trace/functions.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/core.h>
#include <sstream>

namespace rondo::generate::internal {
namespace {

#include "generate/mpi4py_calls.inc" // kMpi4py_calls_txt

using Kind = Expression::Kind;

constexpr std::size_t kPythonColumns = 100;

// Names of MPI's that mpi4py 3.1 does not have.
const std::set<std::string_view> kUnknown{mpi::_2REAL, mpi::_2DOUBLE_PRECISION, mpi::_2INTEGER,
                                          mpi::COMM_TYPE_HW_GUIDED, mpi::COMM_TYPE_HW_UNGUIDED};

std::map<std::string, std::string> patterns() {
  std::map<std::string, std::string> all;
  std::istringstream lines{std::string(kMpi4py_calls_txt)};
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("#") || colon == std::string::npos) continue;
    std::istringstream functions(line.substr(0, colon));
    for (std::string function; functions >> function;) all[function] = line.substr(colon + 2);
  }
  return all;
}

// "Isend" of MPI_Isend, "Iread" of MPI_File_iread.
std::string method_of(const std::string& function) {
  static constexpr std::array<std::string_view, 4> kPrefixes{"MPI_File_", "MPI_Win_", "MPI_Group_",
                                                             "MPI_"};
  for (const std::string_view prefix : kPrefixes) {
    if (!function.starts_with(prefix)) continue;
    std::string method = function.substr(prefix.size());
    method[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(method[0])));
    return method;
  }
  return function;
}

bool is_name(const Expression& e, std::string_view text) {
  return e.kind == Kind::kName && e.text == text;
}

const Argument* find(const Statement& call, std::string_view name) {
  const auto found = std::ranges::find(call.arguments, name, &Argument::name);
  return found == call.arguments.end() ? nullptr : &*found;
}

// Whether it gives another value each time that it is looked at.
bool moves_on(const Expression& e) {
  return (e.kind == Kind::kCall &&
          (e.text == "next" || e.text == "drawn" || e.text == "recorded")) ||
         std::ranges::any_of(e.of, moves_on);
}

std::size_t mentions(const std::string& pattern, const std::string& name) {
  std::size_t count = 0;
  for (std::size_t at = pattern.find(name); at != std::string::npos;
       at = pattern.find(name, at + name.size())) {
    const auto end = at + name.size();
    const bool begins =
        at > 0 && std::string_view("{< ").find(pattern[at - 1]) != std::string::npos;
    const bool ends =
        end < pattern.size() && std::string_view("}> ").find(pattern[end]) != std::string::npos;
    count += begins && ends ? 1 : 0;
  }
  return count;
}

// The last ", " before a column that stands in no string; npos if there is none.
std::size_t last_comma(const std::string& line, std::size_t column) {
  std::size_t found = std::string::npos;
  bool is_in_string = false;
  for (std::size_t i = 0; i < std::min(column, line.size()); ++i) {
    if (is_in_string && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      is_in_string = !is_in_string;
    else if (!is_in_string && line.compare(i, 2, ", ") == 0)
      found = i;
  }
  return found;
}

// Breaks a line within its brackets, between arguments.
std::string lines_of(const std::string& text, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string rest = margin + text;
  std::string all;
  while (rest.size() > kPythonColumns) {
    const auto comma = last_comma(rest, kPythonColumns);
    if (comma == std::string::npos || comma <= rest.find_first_not_of(' ')) break;
    if (comma < rest.find('(') && all.empty()) break;
    all += rest.substr(0, comma + 1) + "\n";
    rest = margin + "    " + rest.substr(comma + 2);
  }
  return all + rest + "\n";
}

} // namespace

// ---- Expressions --------------------------------------------------------------------------------

std::string PythonLanguage::name(const std::string& text) const {
  static const std::map<std::string_view, std::string_view> kOther{
      {"NULL", "None"},
      {"no_request", "MPI.REQUEST_NULL"},
      {mpi::_2INT, "MPI.TWOINT"},
      {mpi::LONG_LONG_INT, "MPI.LONG_LONG"}};
  if (const auto found = kOther.find(text); found != kOther.end())
    return std::string(found->second);
  std::string result; // of flags, several: "MPI_MODE_CREATE | MPI_MODE_WRONLY"
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "MPI_") == 0 && (i == 0 || !std::isalnum(text[i - 1]))) {
      result += "MPI.";
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string PythonLanguage::literal(const std::string& text) const {
  return escape::python_string(text);
}

std::string PythonLanguage::comment(const std::string& text) const {
  return escape::python_comment(text);
}

int PythonLanguage::strength(const std::string& op) const {
  static const std::map<std::string, int> kStrengths{{"*", 9},  {"/", 9},  {"%", 9},  {"+", 8},
                                                     {"-", 8},  {"^", 7},  {"<", 5},  {">=", 5},
                                                     {"==", 5}, {"!=", 5}, {"&&", 4}, {"||", 3}};
  return kStrengths.at(op);
}

std::string PythonLanguage::spelled(const std::string& op) const {
  return op == "&&" ? "and" : op == "||" ? "or" : op == "/" ? "//" : op;
}

std::string PythonLanguage::choice(const Expression& e) const {
  return operand(e.of[1], 2) + " if " + operand(e.of[0], 2) + " else " + text(e.of[2]);
}

// Lists know their lengths in Python.
std::string PythonLanguage::call(const Expression& e) const {
  if (e.text == "requests_of" || e.text == "types_of") return e.text + "(" + text(e.of[0]) + ")";
  return e.text + "(" + joined(e.of) + ")";
}

std::string PythonLanguage::address(const Expression& e) const { return operand(e.of[0], kAtom); }

// ---- Calls --------------------------------------------------------------------------------------

PythonText::PythonText(const Benchmark& benchmark) : patterns_(patterns()) {
  const auto see = [&](const std::string& holder,
                       const std::map<std::int64_t, std::string>& names) {
    for (const auto& [value, name] : names) {
      check_name(name);
      if (name == mpi::PROC_NULL) with_nobody_.insert(holder);
    }
  };
  for (const Table& table : benchmark.tables) see(table.name, table.names);
  for (const Series& series : benchmark.series) see(series.name, series.names);
  for (const Preset& preset : benchmark.presets) check_name(preset.name);
  const Uses uses(benchmark);
  for (const std::string& name : uses.names()) check_name(name);
  see_arguments(benchmark.main); // functions call those before them
  for (std::size_t f = benchmark.functions.size(); f-- > 0;)
    see_arguments(benchmark.functions[f].body);
}

// A function's parameter is nobody if it is so at one of its places.
void PythonText::see_arguments(const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    for (const Argument& argument : s.arguments) {
      if (s.kind == Statement::Kind::kInvoke && may_be_nobody(argument.value))
        with_nobody_.insert(argument.name);
    }
    see_arguments(s.body);
    see_arguments(s.otherwise);
  }
}

void PythonText::check_name(const std::string& name) {
  if (kUnknown.contains(name)) problems_.insert(name);
}

bool PythonText::may_be_nobody(const Expression& e) const {
  const bool is_nobody = is_name(e, mpi::PROC_NULL) || with_nobody_.contains(e.text);
  return is_nobody ||
         std::ranges::any_of(e.of, [&](const Expression& p) { return may_be_nobody(p); });
}

std::string PythonText::argument(const Statement& call, const std::string& name) {
  const Argument* const found = find(call, name);
  if (found == nullptr) {
    problems_.insert(call.name);
    return "";
  }
  const Expression& value = found->value;
  const bool is_run = name == "array_of_requests" && value.kind == Kind::kAddress;
  if (!is_run) return language_.text(value);
  const Expression& first = value.of[0].of[0]; // the first of some persistent requests
  const std::string count = language_.text(call.arguments.front().value);
  const std::string start = language_.text(first);
  return "persistent[" + start + ":" + (start == "0" ? "" : start + " + ") + count + "]";
}

std::string PythonText::message(const Expression& buffer, const std::string& rest) {
  if (is_name(buffer, mpi::IN_PLACE)) return "MPI.IN_PLACE";
  if (buffer.kind == Kind::kIf)
    return message(buffer.of[1], rest) + " if " + language_.text(buffer.of[0]) + " else " +
           message(buffer.of[2], rest);
  if (buffer.kind != Kind::kName)
    problems_.insert("buffers that are MPI_IN_PLACE in some iterations only");
  return "[" + language_.text(buffer) + rest + "]";
}

std::string PythonText::message(const Statement& call, const std::vector<std::string>& names) {
  std::string rest;
  for (std::size_t i = 1; i < names.size(); ++i) rest += ", " + argument(call, names[i]);
  const Argument* const buffer = find(call, names.front());
  return buffer == nullptr ? argument(call, names.front()) : message(buffer->value, rest);
}

std::string PythonText::filled(const Statement& call, const std::string& pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      const auto end = pattern.find('}', i);
      const std::string name = pattern.substr(i + 1, end - i - 1);
      text += name == "*"          ? method_of(call.name)
              : name == "function" ? call.name
                                   : argument(call, name);
      i = end;
    } else if (pattern[i] == '<') {
      const auto end = pattern.find('>', i);
      std::istringstream words(pattern.substr(i + 1, end - i - 1));
      std::vector<std::string> names;
      for (std::string name; words >> name;) names.push_back(name);
      text += message(call, names);
      i = end;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string PythonText::call(const Statement& statement, int indent) {
  const auto found = patterns_.find(statement.name);
  if (found == patterns_.end()) {
    problems_.insert(statement.name);
    return "";
  }
  Statement call = statement;
  std::string pattern = found->second;
  std::string before;
  const bool chooses = std::ranges::any_of(call.arguments, [](const Argument& a) {
    return a.value.kind == Kind::kIf && a.name.find("buf") != std::string::npos;
  });
  for (Argument& argument : call.arguments) { // a series is looked at once for each call
    if (!moves_on(argument.value)) continue;
    if (!chooses && mentions(pattern, argument.name) < 2) continue;
    before += lines_of("this_" + argument.name + " = " + language_.text(argument.value), indent);
    argument.value = name("this_" + argument.name);
  }
  for (const char* peer : {"dest", "source", "target_rank"}) {
    const Argument* const who = find(call, peer);
    if (who == nullptr || !may_be_nobody(who->value) || call.name.find("robe") != std::string::npos)
      continue;
    if (std::string_view(peer) == "target_rank")
      problems_.insert(call.name + " to MPI_PROC_NULL");
    else if (pattern.find("exact(") == std::string::npos)
      pattern.replace(pattern.find("{comm}"), 6, "exact({comm})");
    has_nobody_ = true;
  }
  std::string text = filled(call, pattern);
  const Argument* const request = find(call, "request");
  if (request != nullptr && request->value.kind == Kind::kCall &&
      (request->value.text == "new_request" || request->value.text == "new_persistent")) {
    const auto equals = text.find(" = ");
    const std::string target = equals == std::string::npos ? "" : text.substr(0, equals + 3);
    text = target.empty() ? request->value.text + "(" + text + ")" : text; // idup() does it itself
  }
  return before + lines_of(text, indent);
}

// ---- Statements ---------------------------------------------------------------------------------

// A loop that a skeleton shortens is timed pass by pass.
std::string PythonText::in_part(const Statement& loop, const std::string& margin,
                                const std::string& text) {
  if (loop.full == 0) return text;
  return fmt::format("{0}begin_part({1}, {2})\n{3}{0}end_part()\n", margin,
                     language_.text(iterations_of(loop)), loop.full, text);
}

std::string PythonText::statement(const Statement& statement, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const std::string comment =
      statement.comment.empty() ? ""
                                : margin + "# " + escape::python_comment(statement.comment) + "\n";
  switch (statement.kind) {
  case Statement::Kind::kCall: {
    std::string text =
        comment + (act_of(statement) == trace::Act::kFinalize ? margin + "finish()\n" : "");
    text += call(statement, indent);
    return text + (act_of(statement) == trace::Act::kInit ? margin + "start()\n" : "");
  }
  case Statement::Kind::kCompute:
    return comment + lines_of("compute(" + language_.text(statement.value) + ")", indent);
  case Statement::Kind::kInvoke: {
    std::string arguments;
    for (const Argument& a : statement.arguments)
      arguments += (arguments.empty() ? "" : ", ") + language_.text(a.value);
    return comment +
           in_part(statement, margin, lines_of(statement.name + "(" + arguments + ")", indent));
  }
  case Statement::Kind::kLoop: {
    std::string text = margin + "for " + statement.name + " in range(" +
                       language_.text(statement.value) + "):\n" +
                       statements(statement.body, indent + 4);
    if (statement.full > 0 || statement.is_part) text += margin + "    end_pass()\n";
    return comment + in_part(statement, margin, text);
  }
  case Statement::Kind::kIf: {
    std::string text = margin + "if " + language_.text(statement.value) + ":\n" +
                       statements(statement.body, indent + 4);
    if (!statement.otherwise.empty())
      text += margin + "else:\n" + statements(statement.otherwise, indent + 4);
    return comment + text;
  }
  }
  return "";
}

std::string PythonText::statements(const std::vector<Statement>& all, int indent) {
  if (all.empty()) return std::string(static_cast<std::size_t>(indent), ' ') + "pass\n";
  std::string text;
  for (const Statement& s : all) text += statement(s, indent);
  return text;
}

} // namespace rondo::generate::internal
