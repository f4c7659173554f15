// SPDX-License-Identifier: Apache-2.0
// The MPI functions that Rondo knows, generated from record/mpi_calls.toml. Each has fields: what
// is kept of a call's arguments and outcomes. A field takes one word (a status takes three); the
// words of a call are those of its fields in the order of the C signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rondo::trace {

enum class Role : std::uint8_t {
  kEnv,
  kSend,
  kRecv,
  kSendrecv,
  kProbe,
  kComplete,
  kRequest,
  kCollective,
  kNeighbor,
  kComm,
  kTopo,
  kGroup,
  kDatatype,
  kOp,
  kRma,
  kWin,
  kIo,
  kProcess,
  kSession,
  kMarker, // no call to MPI: what the program says to the recorder (rondo_phase.h)
};

enum class Mode : std::uint8_t { kNone, kBlocking, kNonblocking, kPersistent, kPartitioned };

enum class FieldKind : std::uint8_t {
  kBuffer, // 0 data, or kInPlace, kBottom
  kInteger, // counts, displacements, flags
  kTag,
  kColor,
  kRank,
  kRoot,
  kComm,
  kGroup,
  kDatatype,
  kOp,
  kRequest,
  kMessage,
  kWin,
  kFile,
  kSession,
  kStatus, // three words: source, tag, bytes; kNothing if the status says no more than the
           // arguments
  kText, // index into the program's texts
};

struct Field {
  std::string_view name; // as in MPI's C binding
  FieldKind kind;
  bool is_outcome; // given back by the call
  bool is_array; // the word is an index into the program's arrays
  std::span<const std::string_view> names = {}; // of the values that choice() numbers, or
  bool are_flags = false; // of the bits of the value, the first name's lowest
};

struct Function {
  std::uint16_t id;
  std::string_view name;
  Role role;
  Mode mode;
  bool makes_request; // one more request of the program's when it succeeds
  std::span<const Field> fields;

  std::size_t words() const; // length of a call's word list
  /// First word of the field of that name, or -1.
  int word_of(std::string_view field) const;
  /// Word of the communicator that the call's ranks belong to, or -1 (then they are ranks of
  /// MPI_COMM_WORLD).
  int comm_word() const;
};

/// The function with this id, or nullptr.
const Function* find_function(std::uint16_t id);
/// The function of this name, or nullptr.
const Function* find_function(std::string_view name);
std::span<const Function> all_functions();
std::string_view name_of(Role role);

/// MPI's name for a word of a field that has names ("MPI_ORDER_C",
/// "MPI_MODE_NOPUT|MPI_MODE_NOSTORE"); empty if the word is none of them.
std::string named_value(const Field& field, std::int64_t word);
/// MPI's name of the error class that a call recorded; "MPI_ERR_LASTCODE" stands for all classes
/// that the program added. Error 0 is success and has none.
std::string_view error_class_name(std::uint16_t error);

/// Objects that MPI defines. An object is a word: its kind's slot >= 0 if the program made it, -1 -
/// index here if MPI predefines it, kNull if there is none.
std::span<const std::string_view> predefined_objects(FieldKind kind);

constexpr std::int64_t kWorldSlot = -1; // MPI_COMM_WORLD
constexpr std::int64_t kSelfSlot = -2; // MPI_COMM_SELF

// Special values of words, far from any value that MPI allows.
constexpr std::int64_t kFirstSpecial = -0x7fffffffffffff00;
constexpr std::int64_t kNothing =
    kFirstSpecial - 1; // the argument is not significant, or says nothing
constexpr std::int64_t kNull = kFirstSpecial - 2; // a null handle
constexpr std::int64_t kInPlace = kFirstSpecial - 3;
constexpr std::int64_t kBottom = kFirstSpecial - 4;
constexpr std::int64_t kAnySource = kFirstSpecial - 5;
constexpr std::int64_t kProcNull = kFirstSpecial - 6;
constexpr std::int64_t kRootHere = kFirstSpecial - 7; // MPI_ROOT
constexpr std::int64_t kAnyTag = kFirstSpecial - 8;
constexpr std::int64_t kUndefined = kFirstSpecial - 9;
constexpr std::int64_t kNoProcess = kFirstSpecial - 10; // MPI_MESSAGE_NO_PROC
constexpr std::int64_t kUnweighted = kFirstSpecial - 11;
constexpr std::int64_t kWeightsEmpty = kFirstSpecial - 12;
constexpr std::int64_t kUnrecorded = kFirstSpecial - 13; // a request that a call not recorded made

constexpr std::int64_t kFirstChoice = kFirstSpecial - 20;

/// The word for a constant whose value differs between MPIs: its place among the field's names.
constexpr std::int64_t choice(int index) { return kFirstChoice - index; }

inline bool is_special(std::int64_t word) { return word < kFirstSpecial; }

} // namespace rondo::trace
