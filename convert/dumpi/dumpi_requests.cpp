// SPDX-License-Identifier: Apache-2.0
// Requests of one rank of a DUMPI trace, and what statuses say.
#include "convert/dumpi/dumpi_rank.hpp"
#include "convert/dumpi/dumpi_words.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {

using trace::Function;
using trace::Mode;

// Requests ----------------------------------------------------------------------------------------

void DumpiRank::note_request(const Function& function, const DumpiRecord& record) {
  Request request = request_of(record);
  request.is_persistent = function.mode == Mode::kPersistent;
  if (request.is_persistent) {
    const auto free = std::find(slots_.begin(), slots_.end(), false);
    request.number = free - slots_.begin();
    if (free == slots_.end())
      slots_.push_back(true);
    else
      *free = true;
  } else {
    request.number = ++made_;
  }
  if (const DumpiField* const made = record.field("request")) requests_[made->value] = request;
}

DumpiRank::Request DumpiRank::request_of(const DumpiRecord& record) const {
  Request request;
  const DumpiField* const source = record.field("source");
  request.is_receive = source != nullptr;
  request.any_source = source != nullptr && source->value == kDumpiAny;
  const char* const tag = record.field("recvtag") == nullptr ? "tag" : "recvtag";
  request.any_tag = source != nullptr && value_in(record, tag, 0) == kDumpiAny;
  return request;
}

std::int64_t DumpiRank::reference_to(std::int64_t request) {
  if (request <= kDumpiNullRequest) return trace::kNull;
  const auto found = requests_.find(request);
  if (found == requests_.end()) {
    ++counts_.unheard_requests;
    return trace::kUnrecorded;
  }
  const auto number = static_cast<std::uint64_t>(found->second.number);
  if (found->second.is_persistent) return trace::request_by_slot(number);
  return trace::request_by_age(static_cast<std::uint64_t>(made_) - number);
}

void DumpiRank::complete(const DumpiRecord& record) {
  if (value_in(record, "flag", 1) == 0 || record.function == mpi::Request_get_status) return;
  const auto end = [&](std::int64_t request) {
    const auto found = requests_.find(request);
    if (found != requests_.end() && !found->second.is_persistent) requests_.erase(found);
  };
  if (const DumpiField* const one = record.field("request")) return end(one->value);
  const DumpiField* const all = record.field("array_of_requests");
  if (all == nullptr) return;
  const auto end_at = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::uint64_t>(index) < all->values.size())
      end(all->values[static_cast<std::size_t>(index)]);
  };
  if (const DumpiField* const index = record.field("index")) return end_at(index->value);
  if (const DumpiField* const indices = record.field("array_of_indices")) {
    for (const std::int64_t index : indices->values) end_at(index);
    return;
  }
  for (const std::int64_t request : all->values) end(request);
}

// Statuses ----------------------------------------------------------------------------------------

// What a status says beyond the arguments; those of sends are whatever stood in memory.
void DumpiRank::fill_status(const DumpiStatus& status, const Request& request,
                            std::int64_t* words) const {
  if (!request.is_receive || status.is_cancelled || status.source < 0 || status.bytes < 0) return;
  if (request.any_source) words[0] = status.source;
  if (request.any_tag && status.tag >= 0) words[1] = status.tag;
  if (request.any_source || request.any_tag) words[2] = status.bytes;
}

void DumpiRank::fill_statuses(const Function& function, const DumpiRecord& record, Event& event) {
  if (const DumpiField* const one = record.field("status")) {
    std::int64_t* const words = word_in(function, "status", event);
    if (words == nullptr || one->statuses.empty()) return;
    Request request = request_of(record);
    std::int64_t waited = value_in(record, "request", 0);
    const DumpiField* const all = record.field("array_of_requests");
    const std::int64_t index = value_in(record, "index", -1);
    if (all != nullptr && index >= 0 && static_cast<std::uint64_t>(index) < all->values.size())
      waited = all->values[static_cast<std::size_t>(index)];
    if (const auto found = requests_.find(waited); found != requests_.end())
      request = found->second;
    return fill_status(one->statuses.front(), request, words);
  }
  const DumpiField* const many = record.field("array_of_statuses");
  const DumpiField* const requests = record.field("array_of_requests");
  std::int64_t* const word = word_in(function, "array_of_statuses", event);
  if (many == nullptr || requests == nullptr || word == nullptr) return;
  const DumpiField* const indices = record.field("array_of_indices");
  std::vector<std::int64_t> said = {static_cast<std::int64_t>(many->statuses.size())};
  for (std::size_t i = 0; i < many->statuses.size(); ++i) {
    std::size_t at = i;
    if (indices != nullptr && i < indices->values.size())
      at = static_cast<std::size_t>(std::max<std::int64_t>(indices->values[i], 0));
    const auto found =
        at < requests->values.size() ? requests_.find(requests->values[at]) : requests_.end();
    if (found == requests_.end()) continue;
    std::int64_t words[] = {trace::kNothing, trace::kNothing, trace::kNothing};
    fill_status(many->statuses[i], found->second, words);
    if (words[2] == trace::kNothing) continue;
    // In arrays ranks are relative to this one.
    const std::int64_t source = many->statuses[i].source - rank_;
    said.insert(said.end(),
                {static_cast<std::int64_t>(i), source, many->statuses[i].tag, words[2]});
  }
  if (said.size() > 1) *word = program_.array_of(said);
}

} // namespace rondo::convert::internal
