// SPDX-License-Identifier: Apache-2.0
// What a call to each MPI function means: what it does, and which of its words say to whom, how
// much, with which tag and request. Generated from record/mpi_calls.toml by the rules of
// tools/mpi_meanings.py; every analysis and every converter reads calls by it.
//
//   const CallMeaning& means = meaning_of(*call.function);
//   if (means.act == Act::kTransfer && means.dest >= 0)
//     use(word_or(call.words, means.dest, kProcNull));
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::trace {

/// What a call does. Whoever reads calls has a switch over all of these, without default: what a
/// new one means to it is then asked by the compiler.
enum class Act : std::uint8_t {
  kLocal, // nothing that another call, rank or object hears of
  kInit,
  kFinalize,
  kAbort,
  kPhaseBegin, // marked by the program
  kPhaseEnd,
  kTransfer, // sends, receives or both; at once, or at each start of its request
  kTakeMatched, // receives what a matched probe has found
  kProbe,
  kMatchedProbe,
  kComplete, // requests
  kAskPartition, // of a request, whether it has come
  kStart, // persistent requests
  kReady, // partitions of a request
  kCancel,
  kFreeRequest,
  kOwnRequest, // makes or completes one that the program itself completes
  kCollective,
  kMakeComm, // the communicator's ranks meet in it
  kFreeComm,
  kDisconnect, // its ranks meet, and it is gone
  kProcess, // starts or meets other processes
  kMakeWindow,
  kFreeWindow,
  kAttach, // memory to a window, or takes it back
  kFence,
  kExpose, // one's memory to a group: MPI_Win_post
  kEndExposure, // waits or asks for the group
  kAccess, // a group's memory: MPI_Win_start
  kEndAccess,
  kLock,
  kFlush, // one-sided calls to one target or to all; unlocking does that too
  kOneSided,
  kFile, // opens, closes, seeks, ends an access, ...
  kFileAccess, // reads or writes, or begins to
  // Of objects that only their own rank knows: groups, datatypes, operations, sessions; names.
  kMakeObject,
  kAskObject,
  kNameObject,
  kFreeObject,
};

/// Of the requests that a call waits for or asks for, how many it completes.
enum class Completes : std::uint8_t { kNone, kOne, kAll, kAny, kSome };

enum class SendKind : std::uint8_t { kStandard, kSynchronous, kBuffered, kReady };

/// Blocking, nonblocking and persistent calls are the same operation.
enum class Collective : std::uint8_t {
  kNone,
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
};

/// That a call gives to the communicator it makes.
enum class MadeTopology : std::uint8_t {
  kNone,
  kCart,
  kCartSub,
  kGraph,
  kDistGraph,
  kDistGraphAdjacent,
  kSame, // as that of the communicator it duplicates
};

struct CallMeaning {
  Act act = Act::kLocal;
  Completes completes = Completes::kNone;
  Collective collective = Collective::kNone;
  SendKind send_kind = SendKind::kStandard;
  MadeTopology topology = MadeTopology::kNone;
  bool is_started_later = false; // its request is named by a slot, and does nothing until started
  bool is_partitioned = false;
  bool keeps_request = false; // asks about it, but does not complete it
  bool is_removed = false; // from MPI, though its library may still have it
  bool may_find_nothing = false; // comes back at once, with what there is
  bool gets = false; // one-sided: nothing goes there
  bool gives_back = false; // one-sided: something comes back
  bool compares = false; // one-sided: a second element goes there
  bool is_of_group = false; // it is a group that meets, not all of the communicator
  bool has_send_counts = false; // arrays, not one
  bool has_send_types = false;
  bool has_receive_counts = false;
  bool has_receive_types = false;
  // Indices of words, kNoWord where the function has no such argument.
  static constexpr std::int8_t kNoWord = -1;
  std::int8_t comm = kNoWord; // whose ranks the call's are; the parent of one that it makes
  std::int8_t new_comm = kNoWord;
  std::int8_t dest = kNoWord;
  std::int8_t send_count = kNoWord; // of one-sided calls: at the origin
  std::int8_t send_type = kNoWord;
  std::int8_t send_tag = kNoWord;
  std::int8_t source = kNoWord;
  std::int8_t receive_count = kNoWord; // of one-sided calls: that comes back
  std::int8_t receive_type = kNoWord;
  std::int8_t receive_tag = kNoWord;
  std::int8_t partitions = kNoWord;
  std::int8_t message = kNoWord; // of a matched probe
  std::int8_t send_buffer = kNoWord;
  std::int8_t root = kNoWord;
  std::int8_t op = kNoWord;
  std::int8_t request = kNoWord; // that the call is given
  std::int8_t requests = kNoWord; // an array
  std::int8_t request_count = kNoWord; // its length, of calls that complete requests
  std::int8_t flag = kNoWord; // what it came back with: found or not
  std::int8_t index = kNoWord;
  std::int8_t indices = kNoWord;
  std::int8_t outcount = kNoWord;
  std::int8_t status = kNoWord; // the first of three
  std::int8_t statuses = kNoWord; // an array
  std::int8_t target = kNoWord; // rank of a window
  std::int8_t target_count = kNoWord;
  std::int8_t target_type = kNoWord;
  std::int8_t window = kNoWord;
  std::int8_t group = kNoWord;
  std::int8_t file = kNoWord;
  std::int8_t name = kNoWord; // of a phase or an object

  /// Of calls that only send or only receive; kNoWord of those that do both.
  std::int8_t tag() const {
    if (send_tag == kNoWord) return receive_tag;
    return receive_tag == kNoWord ? send_tag : kNoWord;
  }
  bool sends() const { return act == Act::kTransfer && dest != kNoWord; }
  bool receives() const { return act == Act::kTransfer && source != kNoWord; }
  bool waits() const { return act == Act::kComplete && !may_find_nothing; }
};

/// @complexity O(1)
const CallMeaning& meaning_of(const Function& function);

/// "gatherv"; empty for kNone.
std::string_view name_of(Collective operation);

inline std::int64_t word_or(std::span<const std::int64_t> words, int index,
                            std::int64_t otherwise) {
  return index < 0 ? otherwise : words[static_cast<std::size_t>(index)];
}

/// What a status says of the message.
struct StatusWords {
  bool says_something = false; // that the arguments do not
  std::int64_t source = kNothing; // rank in the communicator
  std::int64_t tag = kNothing;
  std::int64_t bytes = kNothing;
  /// The message's tag where the receive asked for `asked`: statuses of other tools' traces may not
  /// say it.
  std::int64_t tag_asked_as(std::int64_t asked) const {
    return tag == kNothing && asked != kAnyTag ? asked : tag;
  }
};

/// The words of one recorded call by what they mean; where its function has no such argument, what
/// that is like: no peer, one partition, no request.
class CallView {
public:
  /// Both must outlive it.
  CallView(const CallMeaning& means, std::span<const std::int64_t> words)
      : means_(&means), words_(words) {}

  const CallMeaning& means() const { return *means_; }
  std::span<const std::int64_t> words() const { return words_; }

  std::int64_t comm() const { return word_or(words_, means_->comm, kWorldSlot); }
  std::int64_t dest() const { return word_or(words_, means_->dest, kProcNull); }
  std::int64_t send_tag() const { return word_or(words_, means_->send_tag, 0); }
  std::int64_t send_count() const { return word_or(words_, means_->send_count, 0); }
  std::int64_t send_type() const { return word_or(words_, means_->send_type, kNull); }
  std::int64_t source() const { return word_or(words_, means_->source, kProcNull); }
  std::int64_t receive_tag() const { return word_or(words_, means_->receive_tag, 0); }
  std::int64_t receive_count() const { return word_or(words_, means_->receive_count, 0); }
  std::int64_t receive_type() const { return word_or(words_, means_->receive_type, kNull); }
  std::int64_t root() const { return word_or(words_, means_->root, kNothing); }
  std::int64_t partitions() const { return word_or(words_, means_->partitions, 1); }
  std::int64_t request() const { return word_or(words_, means_->request, kNull); }
  std::int64_t requests() const { return word_or(words_, means_->requests, kNothing); }
  std::int64_t index() const { return word_or(words_, means_->index, kUndefined); }
  std::int64_t indices() const { return word_or(words_, means_->indices, kNothing); }
  std::int64_t window() const { return word_or(words_, means_->window, kNull); }
  std::int64_t target() const { return word_or(words_, means_->target, kNothing); }
  std::int64_t file() const { return word_or(words_, means_->file, kNull); }

  /// False of a test or probe that came back without.
  bool has_found() const { return word_or(words_, means_->flag, 1) == 1; }

  StatusWords status() const {
    if (means_->status < 0) return {};
    const auto at = static_cast<std::size_t>(means_->status);
    if (words_[at] == kNothing) return {};
    return {true, words_[at], words_[at + 1], words_[at + 2]};
  }

private:
  const CallMeaning* means_;
  std::span<const std::int64_t> words_;
};

} // namespace rondo::trace
