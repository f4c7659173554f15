// SPDX-License-Identifier: Apache-2.0
// How long a logical program is, in the paper's records.
#include "rondo/logical/logical_text.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::logical {
namespace {

// What statements say, without trip counts.
std::string gist_of(std::span<const Statement> statements) {
  std::string gist;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      gist += "loop {" + gist_of(loop->body) + "}";
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      gist += guard->condition + " {" + gist_of(guard->body) + "}";
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      gist += call->text();
    } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
      gist += "call " + invoke->name;
      for (const Argument& argument : invoke->arguments) gist += " " + argument.value;
    } else {
      continue; // a phase tells what the calls say too
    }
    gist += "\n";
  }
  return gist;
}

// Statements of a body, each by what it says; a phase says nothing of its own.
std::vector<std::string> gists_of(std::span<const Statement> statements) {
  std::vector<std::string> gists;
  for (const Statement& statement : statements) gists.push_back(gist_of({&statement, 1}));
  return gists;
}

class Records {
public:
  explicit Records(const std::vector<Statement>& statements) { collect(statements); }

  // What is done once, and is elsewhere the body of a loop, is a loop too that goes round once.
  std::size_t among(std::span<const Statement> statements) {
    const std::vector<std::string> gists = gists_of(statements);
    std::size_t records = 0;
    for (std::size_t i = 0; i < statements.size();) {
      const std::size_t length = body_at(gists, i);
      if (length == 0) {
        records += of(statements[i++]);
        continue;
      }
      records += of_body(statements.subspan(i, length));
      i += length;
    }
    return records;
  }

private:
  void collect(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        if (loop->body.size() > 1) {
          std::vector<std::string> gists = gists_of(loop->body);
          bodies_[gists.front()].insert(std::move(gists));
        }
        collect(loop->body);
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        collect(guard->body);
      }
    }
  }

  // How many statements from here on are the longest body of a loop, but not all of them.
  std::size_t body_at(const std::vector<std::string>& gists, std::size_t at) const {
    const auto bodies = bodies_.find(gists[at]);
    if (bodies == bodies_.end()) return 0;
    std::size_t longest = 0;
    for (const std::vector<std::string>& body : bodies->second) {
      if (body.size() <= longest || body.size() > gists.size() - at || body.size() == gists.size())
        continue;
      const auto from = gists.begin() + static_cast<std::ptrdiff_t>(at);
      if (std::equal(body.begin(), body.end(), from)) longest = body.size();
    }
    return longest;
  }

  std::size_t of(const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) return of_body(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) return among(guard->body);
    return std::holds_alternative<PhaseStatement>(statement.is) ? 0 : 1;
  }

  std::size_t of_body(std::span<const Statement> body) {
    return seen_.insert(gist_of(body)).second ? 1 + among(body) : 0;
  }

  // Of all loops, by the first of each: programs of many statements have many loops.
  std::unordered_map<std::string, std::set<std::vector<std::string>>> bodies_;
  std::set<std::string> seen_;
};

} // namespace

std::size_t records_of(const std::vector<Statement>& statements) {
  return Records(statements).among(statements);
}

} // namespace rondo::logical
