// SPDX-License-Identifier: Apache-2.0
// Calls as lines of text, exactly as docs/formats/call-lines.md says. The writer keeps count of the
// objects and requests that the program makes, so it must see every call of the rank in order.
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::trace {

class CallLineWriter {
public:
  /// What an array word of the call stands for; ranks in it are relative to the rank in
  /// MPI_COMM_WORLD.
  using ArrayReader = std::function<std::vector<std::int64_t>(const Field&, std::int64_t word)>;

  /// @param arrays   if empty, the arrays of the reader's program
  CallLineWriter(const Trace& trace, const CallReader& reader, ArrayReader arrays = {});

  /// Communicators that the program made are then written by these names ("split#1"), as all
  /// commands have them, and not by their numbers on this rank ("comm#1").
  /// @param names   must live as long as the writer
  void name_communicators(const CommunicatorNames& names) { comm_names_ = &names; }

  /// The line of the next call, without a line feed.
  std::string line(const CallInstance& call);

private:
  static constexpr std::size_t kKinds = 16;

  void argument(std::string& out, const CallInstance& call, const Field& field, std::size_t word);
  std::string value(const CallInstance& call, const Field& field, std::int64_t word);
  std::string array(const CallInstance& call, const Field& field, std::int64_t word);
  std::vector<std::int64_t> elements(const Field& field, std::int64_t word) const;
  std::string object(const Field& field, std::int64_t word);
  std::string new_object(const Field& field, std::int64_t word);
  std::string members(FieldKind kind, std::int64_t slot) const;
  std::string request(std::int64_t reference) const;
  std::string statuses(const Field& field, std::int64_t word) const;
  void count_new_request(const CallInstance& call);
  void count_freed(const CallInstance& call);

  const Trace* trace_;
  const CallReader* reader_;
  ArrayReader arrays_;
  const CommunicatorNames* comm_names_ = nullptr;
  std::int64_t longest_array_ =
      1 << 16; // at least; the requests of a call are one, so statuses are no more
  std::array<std::int64_t, kKinds> made_{}; // by kind
  std::array<std::unordered_map<std::int64_t, std::int64_t>, kKinds>
      number_; // slot -> number, by kind
  std::int64_t requests_made_ = 0;
  std::vector<std::int64_t> by_age_; // numbers of nonblocking requests in the order they were made
  std::vector<std::int64_t> by_slot_; // numbers of persistent requests
  std::vector<bool> slot_in_use_;
};

/// A word as text without a trace's numbering: specials by name, others as integers.
/// A request that another thread made: "thread1#5", its fifth nonblocking one, or "thread1.slot0".
std::string foreign_request_text(std::int64_t reference);
std::string special_text(FieldKind kind, std::int64_t word);

} // namespace rondo::trace
