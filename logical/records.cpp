// SPDX-License-Identifier: Apache-2.0
// How long a logical program is, in the paper's records.
#include "rondo/logical/logical_text.hpp"

#include <set>
#include <string>

namespace rondo::logical {
namespace {

// What statements say, without trip counts.
std::string gist_of(const std::vector<Statement>& statements) {
  std::string gist;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      gist += "loop {" + gist_of(loop->body) + "}";
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      gist += guard->condition + " {" + gist_of(guard->body) + "}";
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      gist += call->text();
    } else {
      continue; // a phase tells what the calls say too
    }
    gist += "\n";
  }
  return gist;
}

std::size_t records_among(const std::vector<Statement>& statements, std::set<std::string>& loops) {
  std::size_t records = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      if (loops.insert(gist_of(loop->body)).second) records += 1 + records_among(loop->body, loops);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      records += records_among(guard->body, loops);
    } else if (std::holds_alternative<CallStatement>(statement.is)) {
      ++records;
    }
  }
  return records;
}

} // namespace

std::size_t records_of(const std::vector<Statement>& statements) {
  std::set<std::string> loops;
  return records_among(statements, loops);
}

} // namespace rondo::logical
