// SPDX-License-Identifier: Apache-2.0
// One stream of calls of a foreign trace as it becomes a folded program, and the words of a call
// whose facts come one by one. What readers of event traces share.
//
//   CallWords words(form);
//   words.put(form.dest, 3);
//   program.record(words.event, {begin_ns, end_ns, computation_ns});
//   parts.push_back(program.finish(ending));
#pragma once

#include "convert/calls/call_forms.hpp"
#include "rondo/convert/imported.hpp"
#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

struct CallWords {
  explicit CallWords(const CallForm& form) : event(form.event) {}

  /// Nothing for a word that the call does not have (-1).
  void put(int word, std::int64_t value) {
    if (word >= 0) event[fold::kEventHead + static_cast<std::size_t>(word)] = value;
  }
  /// A size as a count of MPI_BYTE.
  void put_bytes(int count_word, int type_word, std::int64_t bytes) {
    if (count_word < 0 || bytes == trace::kNothing) return;
    put(count_word, bytes);
    put(type_word, byte_datatype());
  }
  void put_site(std::uint32_t site) { event[1] = site; }

  std::vector<std::int64_t> event;
};

/// When a call was, and how much was computed before it.
struct CallSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t computation_ns = 0;
};

class RankProgram {
public:
  RankProgram(const ImportOptions& options, std::int64_t rank, std::uint32_t thread,
              std::int64_t ranks);

  fold::ProgramBuilder& builder() { return builder_; }
  std::int64_t array_of(const std::vector<std::int64_t>& values) {
    return builder_.array(values.data(), values.size());
  }
  /// Calls come in order, and do not overlap.
  void record(const std::vector<std::int64_t>& event, const CallSpan& span);
  /// Computed behind the last call.
  /// The trace ends in this call: it is none of the stream's, but what the rank was in.
  void end_in(const std::vector<std::int64_t>& event, std::uint64_t in_call_ns);
  void compute(std::uint64_t ns) { facts_.computation_ns += ns; }

  struct Finish {
    std::uint64_t span_ns = 0; // of the run
    std::int64_t origin_unix_ns = 0;
    std::vector<trace::CallSite> sites = {}; // without the unknown one, which is the first
  };
  /// Ends the stream, which must not be used afterwards.
  fold::RecordingPart finish(Finish&& how);

private:
  fold::ProgramBuilder builder_;
  std::int64_t rank_;
  std::uint32_t thread_;
  std::optional<trace::TimeStampWriter> stamps_;
  trace::RankFacts facts_;
  bool is_finalized_ = false;
};

/// A further thread's stream becomes part of its rank's.
void add_thread(fold::RecordingPart& rank, fold::RecordingPart&& thread);

/// All ranks' parts as one, along the tree along which the recorder merges.
fold::RecordingPart merge_parts(std::vector<fold::RecordingPart>& parts, bool merges);

/// The form of a function that is called so; letters and a "P" before or "()" behind do not matter,
/// as tools write them in many ways. `canonical` is MPI's name, empty if it is none of MPI's.
struct NamedCall {
  CallForm form;
  std::string canonical;
};
NamedCall call_of_name(std::string_view name, Objects objects = Objects::kUnnamed);

} // namespace rondo::convert::internal
