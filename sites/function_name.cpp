// SPDX-License-Identifier: Apache-2.0
#include "sites/function_name.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace rondo::sites {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kOfModule = "_MOD_"; // gfortran's "__solver_MOD_exchange"

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

} // namespace

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
  if (name.starts_with("_Z") && status == 0) return without_parameters(demangled.get());
  const std::size_t module_end = name.starts_with("__") ? name.find(kOfModule) : name.npos;
  return std::string(module_end == name.npos ? name : name.substr(module_end + kOfModule.size()));
}

} // namespace rondo::sites
