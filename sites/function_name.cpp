// SPDX-License-Identifier: Apache-2.0
#include "sites/function_name.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace rondo::sites {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kOfModule = "_MOD_"; // gfortran's "__solver_MOD_exchange"
constexpr std::string_view kOfModuleIntel = "_mp_"; // "solver_mp_exchange_"
constexpr std::string_view kFlang = "_Q"; // "_QMsolverPexchange", "_QPsolve"
constexpr std::size_t kLong = 60; // a name that does not fit into a line beside its call

// Position of the bracket that the one at `close` belongs to, or npos.
std::size_t opening(std::string_view name, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

bool is_after_operator(std::string_view name, std::size_t position) {
  return name.substr(0, position).ends_with(kOperator);
}

// Where the name begins behind a return type: after the last blank outside of all brackets.
std::size_t behind_return_type(std::string_view name) {
  const std::size_t end = std::min(name.find(kOperator), name.size());
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (name[i] == '(' || name[i] == '<' || name[i] == '{' || name[i] == '[') ++depth;
    if (name[i] == ')' || name[i] == '>' || name[i] == '}' || name[i] == ']') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

bool is_fortran_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Compilers put an underscore behind Fortran's names, which have small letters only.
std::string_view without_underscore(std::string_view name) {
  const bool is_fortran = name.size() > 1 && name.ends_with('_') && !name.starts_with('_') &&
                          std::all_of(name.begin(), name.end(), is_fortran_letter);
  return is_fortran ? name.substr(0, name.find_last_not_of('_') + 1) : name;
}

// What compilers make of parts of functions: "solve.constprop.0", "solve.cold", "inner.4711".
std::string_view without_clone(std::string_view name) {
  const std::size_t dot = name.find('.', 1);
  return name.substr(0, dot);
}

// Flang writes what is around in capitals: M for modules, F for functions; P is the name itself.
std::string_view flang_name(std::string_view name) {
  const std::size_t last = name.find_last_of("PFM");
  const bool has_name = last != name.npos && last + 1 < name.size();
  return has_name ? name.substr(last + 1) : name;
}

std::string_view fortran_or_c_name(std::string_view symbol) {
  const std::string_view name = without_clone(symbol);
  if (name.starts_with(kFlang)) return flang_name(name);
  if (const std::size_t at = name.find(kOfModule); name.starts_with("__") && at != name.npos)
    return name.substr(at + kOfModule.size());
  const std::string_view plain = without_underscore(name);
  const std::size_t at = plain.size() < name.size() ? plain.find(kOfModuleIntel) : name.npos;
  return at == name.npos ? plain : plain.substr(at + kOfModuleIntel.size());
}

// "map<...>::insert" for a name that is too long with all that stands in its brackets.
std::string without_template_arguments(const std::string& name) {
  std::string text;
  int depth = 0;
  const std::size_t end = std::min(name.find(kOperator), name.size()); // operator<< is no bracket
  for (std::size_t i = 0; i < end; ++i) {
    if (name[i] == '<' && depth++ == 0) text += "<...>";
    if (depth == 0) text += name[i];
    if (name[i] == '>') --depth;
  }
  return depth == 0 ? text + name.substr(end) : name;
}

} // namespace

std::string shortened(std::string name) {
  return name.size() > kLong ? without_template_arguments(name) : name;
}

std::string without_parameters(std::string name) {
  if (const std::size_t clone = name.find(" [clone"); clone != std::string::npos) name.erase(clone);
  const std::size_t close = name.rfind(')');
  const std::size_t open = close == std::string::npos ? close : opening(name, close);
  const bool is_list = open != std::string::npos && open > 0 && !is_after_operator(name, open) &&
                       name.find("::", close) == std::string::npos;
  if (!is_list) return name;
  name.erase(open);
  return name.substr(behind_return_type(name));
}

std::string function_name(const char* symbol) {
  if (symbol == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  const std::string_view name(symbol);
  if (name.starts_with("_Z") && status == 0) return shortened(without_parameters(demangled.get()));
  return std::string(fortran_or_c_name(name));
}

} // namespace rondo::sites
