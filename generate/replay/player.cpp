// SPDX-License-Identifier: Apache-2.0
#include "generate/replay/player.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <utility>

namespace rondo::generate {
namespace {

// More than any message; only what is touched takes memory.
constexpr std::size_t kMessageSpace = std::size_t{1} << 38;

// Equal names give equal numbers on every rank.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

} // namespace

Player::Player(const trace::CallReader& reader, std::string scratch)
    : reader_(&reader), scratch_(std::move(scratch)),
      sending_(kMessageSpace, ReservedMemory::Read::kOwn), receiving_(kMessageSpace),
      predefined_datatypes_(predefined_datatypes()), predefined_ops_(predefined_ops()) {
  PMPI_Comm_dup(MPI_COMM_SELF, &private_);
  PMPI_Irecv(receiving_.start(), 1, MPI_BYTE, 0, 0, private_, &never_);
  PMPI_Op_create(do_nothing, 1, &unknown_op_);
}

bool Player::play(const trace::CallInstance& call) {
  return play_by_hand(call) || play_memory_call(call) || play_marker(call) || play_generated(call);
}

void Player::finish() {
  PMPI_Cancel(&never_);
  PMPI_Wait(&never_, MPI_STATUS_IGNORE);
  PMPI_Comm_free(&private_);
  PMPI_Op_free(&unknown_op_);
}

int Player::rank(std::int64_t word) {
  if (word == trace::kAnySource) return MPI_ANY_SOURCE;
  if (word == trace::kProcNull) return MPI_PROC_NULL;
  if (word == trace::kRootHere) return MPI_ROOT;
  return integer(word);
}

MPI_Comm Player::comm(std::int64_t word) const {
  if (word == trace::kWorldSlot) return MPI_COMM_WORLD;
  if (word == trace::kSelfSlot) return MPI_COMM_SELF;
  return comms_.has(word) ? comms_.of(word) : MPI_COMM_NULL;
}

MPI_Group Player::group(std::int64_t word) const {
  if (word == -1) return MPI_GROUP_EMPTY;
  return groups_.has(word) ? groups_.of(word) : MPI_GROUP_NULL;
}

// An argument that does not matter must still be something that MPI takes for a datatype.
MPI_Datatype Player::datatype(std::int64_t word) const {
  if (word == trace::kNothing) return MPI_BYTE;
  const auto index = static_cast<std::size_t>(-1 - word);
  if (!trace::is_special(word) && word < 0 && index < predefined_datatypes_.size())
    return predefined_datatypes_[index];
  return datatypes_.has(word) ? datatypes_.of(word) : MPI_DATATYPE_NULL;
}

MPI_Op Player::op(std::int64_t word) const {
  if (word == trace::kNothing) return unknown_op_;
  const auto index = static_cast<std::size_t>(-1 - word);
  if (!trace::is_special(word) && word < 0 && index < predefined_ops_.size())
    return predefined_ops_[index];
  return ops_.has(word) ? ops_.of(word) : MPI_OP_NULL;
}

MPI_Win Player::win(std::int64_t word) const {
  return wins_.has(word) ? wins_.of(word) : MPI_WIN_NULL;
}

MPI_File Player::file(std::int64_t word) const {
  return files_.has(word) ? files_.of(word) : MPI_FILE_NULL;
}

MPI_Message Player::message(std::int64_t word) const {
  if (word == trace::kNoProcess) return MPI_MESSAGE_NO_PROC;
  return messages_.has(word) ? messages_.of(word) : MPI_MESSAGE_NULL;
}

void* Player::buffer(std::int64_t word, const ReservedMemory& memory) const {
  return word == trace::kInPlace ? MPI_IN_PLACE : memory.message();
}

std::vector<int> Player::ranks(std::int64_t word) const {
  std::vector<int> values;
  for (const std::int64_t element : elements(word)) {
    const bool is_special = trace::is_special(element);
    values.push_back(rank(is_special ? element : trace::wrapping_sum(element, reader_->rank())));
  }
  return values;
}

std::vector<MPI_Datatype> Player::some_datatypes(std::int64_t word) const {
  std::vector<MPI_Datatype> values;
  for (const std::int64_t element : elements(word)) values.push_back(datatype(element));
  return values;
}

const int* Player::weights(std::int64_t word, std::vector<int>& values) const {
  if (word == trace::kUnweighted) return MPI_UNWEIGHTED;
  if (word == trace::kWeightsEmpty) return MPI_WEIGHTS_EMPTY;
  values = integers(word);
  return values.data();
}

std::string Player::text(std::int64_t word) const {
  const auto& texts = reader_->program().texts;
  const bool is_index = !trace::is_special(word) && static_cast<std::size_t>(word) < texts.size();
  return is_index ? texts[static_cast<std::size_t>(word)] : "";
}

std::string Player::file_of(const std::string& original) const {
  std::string name = original.substr(original.find_last_of('/') + 1);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  std::array<char, 20> number{};
  std::snprintf(number.data(), number.size(), "%016llx-",
                static_cast<unsigned long long>(hash_of(original)));
  return scratch_ + "/" + number.data() + name;
}

void Player::check(int result, const char* function) const {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(result, text.data(), &length);
  std::fprintf(stderr, "rondo replay: rank %lld: %s failed: %s\n",
               static_cast<long long>(reader_->rank()), function, text.data());
  PMPI_Abort(MPI_COMM_WORLD, 2);
}

void do_nothing(void*, void*, int*, MPI_Datatype*) {}

int answer_nothing(void*, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int free_nothing(void*) { return MPI_SUCCESS; }
int cancel_nothing(void*, int) { return MPI_SUCCESS; }

} // namespace rondo::generate
