// SPDX-License-Identifier: Apache-2.0
// Windows and files: what the records in a region say of the call that is on one.
#include "convert/otf2/stream.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

using trace::Act;
using trace::CallMeaning;

constexpr std::size_t kMostTransfers = std::size_t{1} << 18;

} // namespace

// Records -----------------------------------------------------------------------------------------

// Those outside of MPI are of other libraries: OpenSHMEM, GASPI, copies to accelerators.
bool Otf2Stream::on_window(const Otf2WindowRecord& said) {
  if (!open_) return false;
  if (!open_->window) open_->window = Otf2WindowRecord{said.window};
  Otf2WindowRecord& all = *open_->window;
  if (said.target) all.target = said.target;
  if (said.lock) all.lock = said.lock;
  if (said.group) all.group = said.group;
  if (!said.transfer) return true;
  all = said;
  if (targets_.size() < kMostTransfers) targets_[*said.transfer] = *said.target;
  return true;
}

// It may be the request that the call waits for, or what it flushes.
bool Otf2Stream::transfer_ended(OTF2_RmaWinRef window, std::uint64_t transfer, bool is_remote) {
  Otf2WindowRecord said{window};
  if (const auto target = targets_.find(transfer); target != targets_.end()) {
    said.target = target->second;
    if (is_remote) targets_.erase(target);
  }
  if (requests_.contains(window_request(transfer)) && open_ && open_->region->call.form.completes())
    completes(window_request(transfer));
  return on_window(said);
}

bool Otf2Stream::on_file(const Otf2FileRecord& said) {
  const auto handle = run_.definitions.files.find(said.handle);
  const bool is_known = handle != run_.definitions.files.end() && handle->second.is_of_mpi;
  if (!open_ || !is_known) return false;
  if (!open_->file) open_->file = Otf2FileRecord{said.handle};
  Otf2FileRecord& all = *open_->file;
  if (said.bytes) all.bytes = said.bytes;
  if (said.operation) all.operation = said.operation;
  if (said.offset) all.whence = said.whence;
  if (said.offset) all.offset = said.offset;
  if (said.opening) all.opening = said.opening;
  return true;
}

bool Otf2Stream::access_ended(OTF2_IoHandleRef handle, std::uint64_t operation) {
  if (requests_.contains(file_request(operation)) && open_ && open_->region->call.form.completes())
    completes(file_request(operation));
  return on_file({handle});
}

// Words -------------------------------------------------------------------------------------------

std::int64_t Otf2Stream::group_slot(OTF2_GroupRef ref) {
  const auto known = group_slots_.find(ref);
  if (known != group_slots_.end()) return known->second;
  const auto group = run_.definitions.groups.find(ref);
  const bool is_of_ranks =
      group != run_.definitions.groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_GROUP;
  if (!is_of_ranks) return trace::kNothing;
  std::vector<std::int64_t> members;
  for (const std::uint64_t member : group->second.members) {
    if (member >= run_.layout.ranks.size()) return trace::kNothing;
    members.push_back(static_cast<std::int64_t>(member));
  }
  const auto slot = static_cast<std::int64_t>(group_slots_.size());
  groups_.push_back(
      {slot, trace::ranges_of(members), trace::RankSet::of({static_cast<std::int64_t>(rank_)})});
  return group_slots_[ref] = slot;
}

void Otf2Stream::fill_window(const CallForm& form, const Otf2WindowRecord& said, CallWords& words) {
  const CallMeaning& means = trace::meaning_of(*form.function);
  words.put(means.window, windows_.of(said.window));
  if (means.act == Act::kFreeWindow) windows_.release(said.window);
  if (means.act == Act::kMakeWindow) {
    const auto comm = run_.definitions.windows.find(said.window);
    words.put(means.comm,
              comm == run_.definitions.windows.end() ? trace::kNothing : slot_of(comm->second));
  }
  if (said.target) words.put(means.target, std::int64_t{*said.target});
  if (said.lock) words.put(form.function->word_of("lock_type"), trace::choice(*said.lock));
  if (said.group) words.put(means.group, group_slot(*said.group));
  words.put(means.flag, 1);
  if (means.act != Act::kOneSided) return;
  if (means.gives_back)
    words.put_bytes(means.receive_count, means.receive_type, size_word(said.back_bytes));
  if (!means.gets) words.put_bytes(means.send_count, means.send_type, size_word(said.there_bytes));
  const bool is_fetch_only = means.gives_back && said.there_bytes == 0 && said.back_bytes > 0;
  if (is_fetch_only) words.put(means.op, no_operation());
  words.put_bytes(means.target_count, means.target_type,
                  size_word(std::max(said.there_bytes, said.back_bytes)));
}

void Otf2Stream::fill_file(const CallForm& form, const Otf2FileRecord& said, CallWords& words) {
  const trace::Function& function = *form.function;
  const CallMeaning& means = trace::meaning_of(function);
  const Otf2FileHandle& handle = run_.definitions.files.at(said.handle);
  words.put(means.file, files_.of(said.handle));
  if (said.opening) {
    words.put(form.comm, slot_of(handle.comm));
    words.put(function.word_of("filename"), program_.builder().text(handle.file));
    words.put(function.word_of("amode"), mode_word(*said.opening));
  }
  if (function.name == mpi::File_close) files_.release(said.handle);
  if (said.offset) {
    words.put(function.word_of("offset"), *said.offset);
    words.put(function.word_of("whence"), whence_word(said.whence));
  }
  if (said.bytes) words.put_bytes(means.send_count, means.send_type, size_word(*said.bytes));
}

// False if no record says which window or file it is on.
bool Otf2Stream::fill_object(const CallForm& form, Open& open, CallWords& words,
                             std::optional<std::uint64_t>& request) {
  const bool is_on_file = form.function->role == trace::Role::kIo;
  if (is_on_file ? !open.file : !open.window) return false;
  if (is_on_file)
    fill_file(form, *open.file, words);
  else
    fill_window(form, *open.window, words);
  if (!form.makes_request()) return true;
  if (is_on_file && open.file->operation) request = file_request(*open.file->operation);
  if (!is_on_file && open.window->transfer) request = window_request(*open.window->transfer);
  return true;
}

} // namespace rondo::convert::internal
