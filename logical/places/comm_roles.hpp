// SPDX-License-Identifier: Apache-2.0
// Communicators by what they are to the program. Each rank numbers its own, and one that is freed
// and made anew with other members has another number: what one statement makes is one thing to a
// reader nevertheless, on all ranks and each time. A role is the parent's role, the call that makes
// it, and which one it is of those that this call has made and that are not freed yet.
//
//   CommRoles roles(trace);
//   roles.begin();                      // a rank's first call
//   roles.change(call, words);          // its calls, one by one: slots become those of roles
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

class CommRoles {
public:
  CommRoles() = default; // renames nothing

  /// A role has the slot of the first communicator in it, if no other role has that.
  /// @complexity  O(calls of one rank of each class), of loops whose passes come again those of a
  /// few;
  ///              O(classes) if no communicator is made
  explicit CommRoles(const trace::Trace& trace);

  /// Whether any slot is not what it was.
  bool is_renaming() const { return is_renaming_; }

  /// Whether calls of a function change which communicator a slot is.
  static bool follows(const trace::Function& function);

  void begin() {
    current_.clear();
    live_.clear();
  }
  void change(const trace::CallInstance& call, std::span<std::int64_t> words);

  /// As it was: the next call is changed in the same way.
  friend bool operator==(const CommRoles&, const CommRoles&) = default;

  /// All roles that a slot of a class of the trace has had.
  std::set<std::int64_t> roles_of(std::size_t rank_class, std::int64_t slot) const;

  /// Those of the slots that stand for no communicator with another slot.
  std::set<std::int64_t> kept(std::set<std::int64_t> slots) const;

  /// Of roles that have no slot of the trace's, the functions that make them.
  std::map<std::int64_t, std::string> made_besides() const;

  /// One for each role, with all ranks for members: peers in it are ranks of MPI_COMM_WORLD.
  std::vector<trace::CommDefinition> definitions(std::int64_t ranks) const;

private:
  using Statement = std::tuple<std::int64_t, std::uint16_t, std::uint32_t>; // parent, call, site
  using Role = std::pair<Statement, std::int64_t>;

  std::int64_t now(std::int64_t slot) const;
  void make(const trace::CallInstance& call, std::int64_t parent, std::int64_t& slot);
  void free(std::int64_t slot);

  bool is_renaming_ = false;
  std::map<Role, std::int64_t> numbers_; // as slots
  std::set<std::int64_t> taken_; // of the numbers
  std::int64_t first_besides_ = 0; // above all slots of the trace
  std::int64_t next_ = 0;
  std::map<std::pair<std::size_t, std::int64_t>, std::set<std::int64_t>> seen_; // by class and slot
  // Of the rank whose calls are read:
  std::map<std::int64_t, Role> current_; // by slot
  std::map<Statement, std::set<std::int64_t>> live_;
};

} // namespace rondo::logical::internal
