// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/communicator_names.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/short_name.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rondo::trace {
namespace {

// "MPI_Comm_split" as "split", "MPI_Cart_create" as "cart", "MPI_Cart_sub" as "cart_sub",
// "MPI_Comm_get_parent" as "parent".
std::string way_made(std::string_view function) {
  std::string kind = short_name(function);
  if (kind.starts_with("comm_")) kind.erase(0, 5);
  if (kind.starts_with("get_")) kind.erase(0, 4);
  if (kind.ends_with("_create")) kind.resize(kind.size() - 7);
  return kind;
}

// As one word that no text or command line takes for anything else.
std::string one_word(const std::string& given) {
  constexpr std::string_view kPlain = "_.-+/@=";
  std::string text = escape::terminal(given);
  std::replace_if(
      text.begin(), text.end(),
      [&](unsigned char c) {
        return c < 0x80 && std::isalnum(c) == 0 && kPlain.find(static_cast<char>(c)) == kPlain.npos;
      },
      '_');
  return text;
}

std::set<std::int64_t> numbered_as_world(const Trace& trace) {
  std::set<std::int64_t> slots{kWorldSlot};
  std::set<std::int64_t> others;
  for (const CommDefinition& comm : trace.comms) {
    const bool is_all = comm.remote.empty() && comm.members.size() == 1 &&
                        comm.members.front().start == 0 && comm.members.front().stride == 1 &&
                        comm.members.front().count == trace.run.ranks;
    (is_all ? slots : others).insert(comm.slot);
  }
  for (const std::int64_t slot : others) slots.erase(slot);
  return slots;
}

bool is_plain_constant(const Word& word) {
  return word.form == Word::Form::kConstant && !is_special(word.value);
}

} // namespace

CommunicatorNames::CommunicatorNames(const Trace& trace,
                                     const std::map<std::int64_t, std::string>& made_besides) {
  as_world_ = numbered_as_world(trace);
  for (const auto& program : trace.programs) add_calls(*program);
  for (const auto& [slot, function] : made_besides) kinds_.emplace(slot, way_made(function));
  std::set<std::int64_t> slots;
  for (const CommDefinition& comm : trace.comms) {
    if (comm.slot >= 0) slots.insert(comm.slot);
  }
  for (const auto& known : {given_, kinds_}) {
    for (const auto& [slot, text] : known) slots.insert(slot);
  }
  std::map<std::string, int> seen;
  for (const std::int64_t slot : slots) {
    const auto given = given_.find(slot);
    const auto kind = kinds_.find(slot);
    if (given != given_.end() && !given->second.empty()) {
      const int number = ++seen[given->second];
      names_[slot] = given->second + (number == 1 ? "" : "#" + std::to_string(number));
    } else if (kind != kinds_.end()) {
      names_[slot] = kind->second + "#" + std::to_string(++seen[kind->second + "#"]);
    } else {
      names_[slot] = "comm#" + std::to_string(slot + 1);
    }
  }
}

void CommunicatorNames::add_calls(const MergedProgram& program) {
  for (const MergedCall& merged : program.calls) {
    const Function& function = *find_function(merged.call.function);
    const auto& words = merged.call.words;
    std::size_t at = 0;
    for (const Field& field : function.fields) {
      const bool is_made = field.kind == FieldKind::kComm && field.is_outcome && !field.is_array;
      if (is_made && is_plain_constant(words[at]) && words[at].value >= 0)
        kinds_.emplace(words[at].value, way_made(function.name));
      at += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    }
    const bool gives_name =
        function.role == Role::kComm && meaning_of(function).act == Act::kNameObject;
    if (!gives_name || merged.call.error != 0) continue;
    const Word& text = words[1];
    if (!is_plain_constant(words[0]) || words[0].value < 0 || !is_plain_constant(text)) continue;
    const std::string name = one_word(program.texts[static_cast<std::size_t>(text.value)]);
    const auto [known, is_new] = given_.emplace(words[0].value, name);
    if (!is_new && known->second != name)
      known->second.clear(); // pieces of a split have each its own
  }
}

std::string CommunicatorNames::how_made(std::int64_t slot) const {
  const auto kind = kinds_.find(slot);
  return kind == kinds_.end() ? "" : kind->second;
}

std::string CommunicatorNames::of(std::int64_t slot) const {
  if (slot < 0) {
    const auto names = predefined_objects(FieldKind::kComm);
    const auto index = static_cast<std::size_t>(-1 - slot);
    return index < names.size() ? std::string(names[index]) : "?";
  }
  const auto found = names_.find(slot);
  return found == names_.end() ? "comm#" + std::to_string(slot + 1) : found->second;
}

std::string CommunicatorNames::unknown(const std::string& name) const {
  constexpr std::size_t kMost = 12;
  std::string known = "MPI_COMM_WORLD, MPI_COMM_SELF";
  std::size_t said = 0;
  for (const auto& [slot, each] : names_) {
    if (++said <= kMost) known += ", " + each;
  }
  if (said > kMost) known += " and " + std::to_string(said - kMost) + " more";
  return "has no communicator '" + name + "'; it has " + known;
}

std::optional<std::int64_t> CommunicatorNames::slot_of(std::string_view name) const {
  const auto predefined = predefined_objects(FieldKind::kComm);
  for (std::size_t i = 0; i < predefined.size(); ++i) {
    if (predefined[i] == name) return -1 - static_cast<std::int64_t>(i);
  }
  for (const auto& [slot, known] : names_) {
    if (known == name) return slot;
  }
  return std::nullopt;
}

} // namespace rondo::trace
