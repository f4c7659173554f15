// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/prv_places.hpp"

#include <algorithm>

namespace rondo::convert::internal {

PrvPlaces::PrvPlaces(const trace::Trace& trace, const trace::Communicators& comms)
    : trace_(trace), views_(comms) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  threads_.assign(ranks, 1);
  first_processor_.assign(ranks, 0);
  node_.assign(ranks, 0);
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      auto& threads = threads_[static_cast<std::size_t>(rank)];
      threads = std::max(threads, c.thread + 1);
    }
  }
  std::uint64_t next = 1;
  for (const trace::Host& host : trace.hosts) {
    const std::uint64_t before = next;
    for (const std::int64_t rank : host.ranks.ranks()) {
      const auto index = static_cast<std::size_t>(rank);
      node_[index] = processors_.size() + 1;
      first_processor_[index] = next;
      next += threads_[index];
    }
    processors_.push_back(next - before);
  }
  for (const trace::CommDefinition& comm : trace.comms) {
    if (!comm.remote.empty()) continue;
    for (const std::int64_t rank : comm.holders.ranks()) {
      const std::uint32_t id = comms.of(rank, comm.slot).id;
      const bool is_made = id > trace::Communicators::kSelf && id < comms.size();
      if (is_made) made_.try_emplace(id, 0, &comm);
    }
  }
  std::uint64_t number = 1 + ranks;
  for (auto& [id, comm] : made_) comm.first = ++number;
}

std::uint64_t PrvPlaces::processor(std::int64_t rank, std::uint32_t thread) const {
  const std::uint64_t first = first_processor_[static_cast<std::size_t>(rank)];
  return first == 0 ? 0 : first + thread;
}

std::string PrvPlaces::prefix(std::int64_t rank, std::uint32_t thread) const {
  return std::to_string(processor(rank, thread)) + ":1:" + std::to_string(rank + 1) + ":" +
         std::to_string(thread + 1) + ":";
}

std::uint64_t PrvPlaces::number_of(std::int64_t rank, std::uint32_t id) const {
  if (id == trace::Communicators::kWorld) return 1;
  if (id == trace::Communicators::kSelf) return static_cast<std::uint64_t>(rank) + 2;
  const auto found = made_.find(id);
  return found == made_.end() ? 0 : found->second.first;
}

std::vector<PrvPlaces::Comm> PrvPlaces::comms() const {
  std::vector<Comm> all(1);
  all[0].id = 1;
  for (std::int64_t rank = 0; rank < trace_.run.ranks; ++rank) {
    all[0].members.push_back(rank);
    all.push_back({static_cast<std::uint64_t>(rank) + 2, {rank}});
  }
  for (const auto& [id, comm] : made_)
    all.push_back({comm.first, trace::sequence_of(comm.second->members)});
  return all;
}

std::string PrvPlaces::header() const {
  std::string text = std::to_string(processors_.size());
  for (std::size_t i = 0; i < processors_.size(); ++i)
    text += (i == 0 ? "(" : ",") + std::to_string(processors_[i]);
  text += processors_.empty() ? ":1:" : "):1:";
  text += std::to_string(threads_.size()) + "(";
  for (std::size_t i = 0; i < threads_.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(threads_[i]) + ":" + std::to_string(node_[i]);
  return text + ")," + std::to_string(comm_count());
}

std::string PrvPlaces::row() const {
  std::string text;
  std::uint64_t processors = 0;
  for (const std::uint64_t count : processors_) processors += count;
  if (processors > 0) {
    text += "LEVEL CPU SIZE " + std::to_string(processors) + "\n";
    std::uint64_t number = 0;
    for (std::size_t node = 0; node < processors_.size(); ++node) {
      for (std::uint64_t i = 0; i < processors_[node]; ++i)
        text += std::to_string(++number) + "." + trace_.hosts[node].name + "\n";
    }
    text += "\nLEVEL NODE SIZE " + std::to_string(processors_.size()) + "\n";
    for (const trace::Host& host : trace_.hosts) text += host.name + "\n";
    text += "\n";
  }
  std::uint64_t threads = 0;
  for (const std::uint32_t count : threads_) threads += count;
  text += "LEVEL THREAD SIZE " + std::to_string(threads) + "\n";
  for (std::size_t rank = 0; rank < threads_.size(); ++rank) {
    for (std::uint32_t thread = 0; thread < threads_[rank]; ++thread)
      text += "THREAD 1." + std::to_string(rank + 1) + "." + std::to_string(thread + 1) + "\n";
  }
  return text;
}

} // namespace rondo::convert::internal
