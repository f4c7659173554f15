// SPDX-License-Identifier: Apache-2.0
// Names of procedures that are no function of the program: what their calls do.
#include "logical/procedures/procedure_name.hpp"
#include "rondo/logical/procedures.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/short_name.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::logical {
namespace {

constexpr std::string_view kNumbered = "part_";

const trace::Function* function_said(const std::string& name) {
  static const auto by_short_name = [] {
    std::unordered_map<std::string, const trace::Function*> all;
    for (const trace::Function& function : trace::all_functions())
      all.emplace(trace::short_name(function.name), &function);
    return all;
  }();
  const auto found = by_short_name.find(trace::short_name(name));
  return found == by_short_name.end() ? nullptr : found->second;
}

// Which way the messages of some statements go on a tree.
struct OnTree {
  bool up = false; // to the parent, or from children
  bool down = false;
  bool elsewhere = false;
  bool by_caller = false; // as the arguments of procedures say: "recv $from"

  void add(const OnTree& other) {
    up = up || other.up;
    down = down || other.down;
    elsewhere = elsewhere || other.elsewhere;
    by_caller = by_caller || other.by_caller;
  }
};

// Of a message to or from `peer`: "parent", "child 0|child 1", "(child 1, child 2)". What started a
// process is "parent 0".
OnTree on_tree(std::string_view peer, bool sends) {
  for (const std::string_view front : {"(", "any of "}) {
    if (peer.starts_with(front)) peer.remove_prefix(front.size());
  }
  OnTree way;
  if (peer == "parent" || peer.starts_with("parent of ")) {
    (sends ? way.up : way.down) = true;
  } else if (peer.starts_with("child ")) {
    (sends ? way.down : way.up) = true;
  } else {
    way.by_caller = peer.starts_with('$');
    way.elsewhere = !way.by_caller;
  }
  return way;
}

OnTree on_tree(const CallStatement& call, const trace::CallMeaning& means) {
  if (means.act != trace::Act::kTransfer) return {}; // a message that was matched says nobody
  OnTree way;
  if (means.sends() && means.receives()) {
    way.elsewhere = true;
  } else if (call.what.starts_with('$') || call.words.empty()) {
    way = on_tree(call.what, means.sends());
  } else {
    way = on_tree(call.words.front().text, means.sends());
  }
  return way;
}

// What the calls of some statements do, procedures that they call included.
struct Doings {
  std::vector<std::string> in_order; // "send", "receive", "allreduce": the first of each first
  std::map<std::string, std::size_t> times; // statements
  bool waits = false;
  bool exchanges = false; // messages that do not wait for one another, or a call that does both
  OnTree tree;

  void add(std::string what, std::size_t often = 1) {
    if ((times[what] += often) == often) in_order.push_back(std::move(what));
  }
  void add(const Doings& other) {
    for (const std::string& what : other.in_order) add(what, other.times.at(what));
    waits = waits || other.waits;
    exchanges = exchanges || other.exchanges;
    tree.add(other.tree);
  }
  bool is_on_tree_only() const {
    return tree.up != tree.down && !tree.elsewhere && !tree.by_caller && times.size() == 2 &&
           times.contains("send") && times.contains("receive");
  }
};

void add_call(const CallStatement& call, Doings& doings) {
  const trace::Function* function = function_said(call.name);
  if (function == nullptr) return;
  const trace::CallMeaning& means = trace::meaning_of(*function);
  if (means.act == trace::Act::kTransfer || means.act == trace::Act::kTakeMatched) {
    const bool receives = means.receives() || means.act == trace::Act::kTakeMatched;
    if (means.sends()) doings.add("send");
    if (receives) doings.add("receive");
    doings.tree.add(on_tree(call, means));
    doings.exchanges =
        doings.exchanges || (means.sends() && receives) || function->mode != trace::Mode::kBlocking;
  } else if (means.act == trace::Act::kStart) {
    doings.add("start");
  } else if (means.act == trace::Act::kOneSided) {
    doings.add(means.gets ? "get" : "put");
  } else if (means.collective != trace::Collective::kNone || means.act == trace::Act::kMakeComm ||
             means.act == trace::Act::kFence || means.act == trace::Act::kFileAccess) {
    doings.add(trace::short_name(function->name));
  }
  doings.waits = doings.waits || means.act == trace::Act::kComplete;
}

std::string in_one_name(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i)
    text += (i + 1 < words.size() ? "_" : "_and_") + words[i];
  return text;
}

// Messages as they are, all else as "collectives" and "files".
std::vector<std::string> in_fewer_words(const std::vector<std::string>& words) {
  std::vector<std::string> fewer;
  for (const std::string& word : words) {
    const bool is_message = word == "exchange" || word == "send" || word == "receive" ||
                            word == "start" || word == "get" || word == "put";
    const std::string kind = is_message                  ? word
                             : word.starts_with("file_") ? "files"
                                                         : "collectives";
    if (std::ranges::find(fewer, kind) == fewer.end()) fewer.push_back(kind);
  }
  return fewer;
}

// "exchange", "receive_and_send", "exchange_and_allreduce"; "allreduces" where that is all;
// "exchange_and_collectives" of more than three kinds;
// "up_the_tree" and "down_the_tree" where each rank receives from one side of it and sends to the
// other.
std::string name_of(const Doings& doings) {
  constexpr std::size_t kMostWords = 3;
  std::vector<std::string> words = doings.in_order;
  const bool is_exchange =
      doings.exchanges && doings.times.contains("send") && doings.times.contains("receive");
  if (is_exchange) {
    *std::ranges::find_if(words, [](const std::string& word) {
      return word == "send" || word == "receive";
    }) = "exchange";
    std::erase_if(words,
                  [](const std::string& word) { return word == "send" || word == "receive"; });
  }
  if (doings.is_on_tree_only()) return doings.tree.up ? "up_the_tree" : "down_the_tree";
  if (words.empty()) return doings.waits ? "waits" : "";
  if (words.size() > kMostWords) {
    words = in_fewer_words(words);
    return words.size() > kMostWords ? "" : in_one_name(words);
  }
  if (words.size() == 1) return is_exchange ? words.front() : words.front() + "s";
  return in_one_name(words);
}

class NamingByCalls {
public:
  const Doings& look_at(const Procedure& procedure) {
    Doings& doings = known_[procedure.name];
    visit(procedure.statements, doings);
    return doings;
  }

private:
  void visit(const std::vector<Statement>& statements, Doings& doings) const {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) visit(loop->body, doings);
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
        visit(guard->body, doings);
      if (const auto* call = std::get_if<CallStatement>(&statement.is)) add_call(*call, doings);
      if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
        const auto known = known_.find(invoke->name);
        if (known == known_.end()) continue;
        Doings called = known->second;
        if (std::exchange(called.tree.by_caller, false)) add_arguments(*invoke, called.tree);
        doings.add(called);
      }
    }
  }

  static void add_arguments(const InvokeStatement& invoke, OnTree& tree) {
    for (const Argument& argument : invoke.arguments) {
      const bool sends = argument.name.starts_with("to");
      if (sends || argument.name.starts_with("from")) tree.add(on_tree(argument.value, sends));
      tree.elsewhere = tree.elsewhere || argument.name.starts_with("with");
    }
  }

  std::map<std::string, Doings> known_; // by procedure
};

} // namespace

void name_by_calls(LogicalText& text) {
  NamingByCalls naming;
  std::set<std::string> taken;
  for (const Procedure& procedure : text.procedures) taken.insert(procedure.name);
  std::map<std::string, std::string> new_names;
  for (const Procedure& procedure : text.procedures) { // those that it calls come before
    const std::string what = name_of(naming.look_at(procedure));
    if (what.empty() || !procedure.name.starts_with(kNumbered)) continue;
    std::string name = what;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = what + "_" + std::to_string(number);
    new_names.emplace(procedure.name, std::move(name));
  }
  internal::rename_procedures(text, new_names);
}

} // namespace rondo::logical
