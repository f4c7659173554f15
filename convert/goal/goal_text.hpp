// SPDX-License-Identifier: Apache-2.0
// The operations of one rank of a GOAL schedule as text, with what each requires. What is posted
// requires what was waited for last; posts do not require each other, but computation begins when
// those before it have begun.
//
//   GoalText text;
//   text.write_to(out);
//   const auto sent = text.send({3, 7, 1024});   // to rank 3 with tag 7
//   text.compute(5000);
//   text.wait({sent});
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

class GoalText {
public:
  using Label = std::uint64_t; // from 1
  struct Message {
    std::int64_t peer = 0;
    std::int64_t tag = 0;
    std::uint64_t bytes = 0;
  };

  void write_to(std::string& out) { out_ = &out; }
  Label send(const Message& message);
  Label receive(const Message& message);
  void compute(std::uint64_t ns) { computed_ns_ += ns; }
  /// What is over already is none to wait for.
  void wait(const std::vector<Label>& labels);

  /// Says computation that nothing has followed yet.
  void finish();

  /// What is said until end_branch() goes on beside the rest.
  void begin_branch();
  /// @return  what to wait for, for the branch to be over; empty if it had no operations
  std::vector<Label> end_branch();

private:
  struct State { // of what comes next
    std::vector<Label> required;
    std::set<Label> begun; // since the last computation, and not waited for
    std::uint64_t epoch = 0; // of `required`
  };
  Label begin();
  void require(Label label);
  void join();

  std::string* out_ = nullptr;
  Label last_ = 0;
  State now_;
  State main_; // while there is a branch
  Label first_of_branch_ = 0;
  std::uint64_t epochs_ = 0;
  std::uint64_t computed_ns_ = 0; // and not said yet
  std::unordered_map<Label, std::uint64_t> open_; // their epochs
};

} // namespace rondo::convert::internal
