// SPDX-License-Identifier: Apache-2.0
// The program's communicators, groups, datatypes and other handles, as words (trace/functions.hpp).
// Objects that MPI predefines have fixed words. Others get slots: the lowest slot that is free and
// had the same meaning before, or a new one, so that a loop which makes and frees an object sees
// the same word every time.
#pragma once

#include "rondo/fold/hash_index.hpp"
#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::record {

/// Any MPI handle as an integer: Open MPI's are pointers, MPICH's are integers.
template <class Handle> std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uint64_t>(handle);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(handle));
  }
}

/// The handle again.
template <class Handle> Handle handle_of(std::uint64_t key) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(key);
  } else {
    return static_cast<Handle>(static_cast<std::int64_t>(key));
  }
}

/// Numbers as a key.
inline std::string key_text(const std::vector<std::int64_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

/// Words of one kind's handles. kUnknown means that the handle has not been seen. Where MPI hands
/// out one handle several times (Open MPI's MPI_Comm_group), it means the newest word that is not
/// forgotten.
class HandleWords {
public:
  static constexpr std::int64_t kUnknown = trace::kFirstSpecial - 100;
  /// The program has freed the object, and MPI must not be asked about it: it need not notice.
  static constexpr std::int64_t kFreed = trace::kFirstSpecial - 101;

  std::int64_t word_of(std::uint64_t handle) {
    const std::int64_t* const known = recent(handle);
    return known != nullptr ? *known : look_up(handle, true);
  }
  /// The same, and recent() does not know of it.
  std::int64_t word_unseen(std::uint64_t handle) { return look_up(handle, false); }
  /// The word if word_of() was asked for it not long ago, or see() told it, and the handle has an
  /// object; else nullptr.
  const std::int64_t* recent(std::uint64_t handle) const {
    const Entry& entry = cache_[place_of(handle)];
    return entry.handle == handle ? &entry.word : nullptr;
  }
  void see(std::uint64_t handle, std::int64_t word) { cache_[place_of(handle)] = {handle, word}; }
  void set(std::uint64_t handle, std::int64_t word);
  /// The object with this word is gone. Where another thread was given its handle before this is
  /// known, the handle has a newer word, which stays.
  void forget(std::uint64_t handle, std::int64_t word);

private:
  static constexpr auto kNoHandle = ~std::uint64_t{0x10000}; // no MPI has such a one
  struct Entry {
    std::uint64_t handle = kNoHandle;
    std::int64_t word = 0;
  };
  static constexpr std::size_t kCacheSize = 64;
  static std::size_t place_of(std::uint64_t handle) { return (handle * 0x9e3779b97f4a7c15u) >> 58; }
  std::int64_t look_up(std::uint64_t handle, bool sees);
  void forget_recent(std::uint64_t handle) {
    if (Entry& entry = cache_[place_of(handle)]; entry.handle == handle) entry = {};
  }

  Entry cache_[kCacheSize];
  std::unordered_map<std::uint64_t, std::int64_t> words_;
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>>
      older_; // words of handles that have several
};

/// Hands out slots by meaning. Takes memory for those in use, and for some that were: a program
/// that goes on making objects of new meanings does not fill the memory.
class Slots {
public:
  static constexpr std::size_t kMostFree = std::size_t{1} << 14; // meanings of slots that are free
  struct Taken {
    std::int64_t slot;
    bool is_new; // the meaning has to be noted
  };
  /// A slot that is taken or released quietly, by a call that is not recorded, must not look like
  /// another object to a reader: one that the trace knows is not used again after a quiet release.
  /// @complexity   O(log of the free slots with this meaning)
  Taken take(std::string_view meaning, bool quietly = false);
  void release(std::int64_t slot, bool quietly = false);
  /// From now on, what was taken quietly may have been seen.
  void forget_quiet() { quiet_.clear(); }
  /// Meanings of which anything is kept.
  std::size_t meanings() const { return in_use_.size() + free_.size(); }

private:
  using Meaning = std::pair<std::uint64_t, std::uint64_t>; // a hash: two are never the same
  class Lowest { // of some slots, of which there is mostly one
  public:
    bool empty() const { return lowest_ == kNone; }
    void add(std::int64_t slot);
    std::int64_t take();

  private:
    static constexpr std::int64_t kNone = -1;
    std::int64_t lowest_ = kNone;
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> others_;
  };

  Lowest* free_of(const Meaning& meaning); // nullptr if nothing is kept of it
  void note_free(const Meaning& meaning, std::int64_t slot);

  std::set<std::int64_t> quiet_; // taken quietly, and not in a recorded call's outcome since
  std::int64_t made_ = 0;
  std::unordered_map<std::int64_t, Meaning> in_use_; // by slot
  std::unordered_map<std::int64_t, Meaning>::node_type spare_; // the last that was in there
  std::vector<std::pair<Meaning, Lowest>> free_;
  fold::HashIndex free_by_meaning_;
};

} // namespace rondo::record
