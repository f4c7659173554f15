// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/function_groups.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::trace {
namespace {

struct Group {
  std::string_view name;
  std::vector<Role> roles;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"point-to-point",
       {Role::kSend, Role::kRecv, Role::kSendrecv, Role::kProbe, Role::kComplete, Role::kRequest}},
      {"send", {Role::kSend}},
      {"recv", {Role::kRecv}},
      {"sendrecv", {Role::kSendrecv}},
      {"probe", {Role::kProbe}},
      {"complete", {Role::kComplete}},
      {"request", {Role::kRequest}},
      {"collective", {Role::kCollective, Role::kNeighbor}},
      {"neighbor", {Role::kNeighbor}},
      {"rma", {Role::kRma, Role::kWin}},
      {"win", {Role::kWin}},
      {"io", {Role::kIo}},
      {"comm", {Role::kComm}},
      {"topo", {Role::kTopo}},
      {"group", {Role::kGroup}},
      {"datatype", {Role::kDatatype}},
      {"op", {Role::kOp}},
      {"process", {Role::kProcess}},
      {"session", {Role::kSession}},
  };
  return all;
}

bool is_frame(const Function& function) {
  return function.role == Role::kEnv || function.role == Role::kMarker;
}

// Sets what the name stands for; false if it is none.
bool mark(std::string_view name, std::vector<bool>& marked) {
  const auto group = std::find_if(groups().begin(), groups().end(),
                                  [&](const Group& g) { return g.name == name; });
  const Function* single = find_function(name);
  if (group == groups().end() && (single == nullptr || is_frame(*single))) return false;
  for (const Function& function : all_functions()) {
    const bool is_in = group == groups().end() ? &function == single
                                               : std::find(group->roles.begin(), group->roles.end(),
                                                           function.role) != group->roles.end();
    if (is_in) marked[function.id] = true;
  }
  return true;
}

Status mark_all(std::string_view names, std::vector<bool>& marked) {
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    if (!mark(name, marked)) {
      return fail(ErrorCode::kUsage, "'" + std::string(name) +
                                         "' is no group of MPI functions that can be chosen: use " +
                                         function_group_names() + ", or names such as MPI_Send");
    }
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return {};
}

} // namespace

Result<FunctionChoice> choose_functions(std::string_view only, std::string_view skip) {
  std::size_t size = 0;
  for (const Function& function : all_functions())
    size = std::max(size, function.id + std::size_t{1});
  std::vector<bool> in(size, only.empty());
  std::vector<bool> out(size, false);
  if (auto known = mark_all(only, in); !known) return propagate(known);
  if (auto known = mark_all(skip, out); !known) return propagate(known);
  FunctionChoice choice;
  choice.wanted.resize(size, false);
  for (const Function& function : all_functions())
    choice.wanted[function.id] = is_frame(function) || (in[function.id] && !out[function.id]);
  if (!only.empty()) choice.text = "only " + std::string(only);
  if (!skip.empty()) choice.text += (only.empty() ? "without " : ", without ") + std::string(skip);
  return choice;
}

bool is_local(const Function& function) {
  if (function.role == Role::kGroup) return true;
  const Act act = meaning_of(function).act;
  if (function.role == Role::kComm) return act == Act::kNameObject;
  const bool is_of_data = function.role == Role::kDatatype || function.role == Role::kOp;
  return is_of_data && act != Act::kMakeObject;
}

std::string function_group_names() {
  std::string names;
  for (const Group& group : groups())
    names += (names.empty() ? "" : ", ") + std::string(group.name);
  return names;
}

} // namespace rondo::trace
