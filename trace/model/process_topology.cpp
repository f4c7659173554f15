// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/process_topology.hpp"

#include <algorithm>
#include <cstddef>

namespace rondo::trace {

Neighbors grid_neighbors(std::int64_t rank, std::span<const std::int64_t> dims,
                         std::span<const std::int64_t> periods) {
  Neighbors result;
  const std::size_t dimensions = std::min(dims.size(), periods.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (dims[i] <= 0) return result;
    stride *= dims[i];
  }
  for (std::size_t i = 0; i < dimensions; ++i) {
    stride /= dims[i];
    const std::int64_t at = rank / stride % dims[i];
    for (const std::int64_t step : {-1, 1}) {
      const bool is_closed = periods[i] != 0;
      const std::int64_t to = is_closed ? (at + step + dims[i]) % dims[i] : at + step;
      const bool is_there = to >= 0 && to < dims[i];
      result.sources.push_back(is_there ? rank + (to - at) * stride : -1);
    }
  }
  result.destinations = result.sources;
  return result;
}

Neighbors graph_neighbors(std::int64_t rank, std::span<const std::int64_t> index,
                          std::span<const std::int64_t> edges) {
  Neighbors result;
  const auto own = static_cast<std::size_t>(rank);
  if (rank < 0 || own >= index.size()) return result;
  const std::int64_t first = own == 0 ? 0 : index[own - 1];
  const std::int64_t end = std::min(index[own], static_cast<std::int64_t>(edges.size()));
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i < end; ++i)
    result.sources.push_back(edges[static_cast<std::size_t>(i)]);
  result.destinations = result.sources;
  return result;
}

void DistGraph::add(std::span<const std::int64_t> sources, std::span<const std::int64_t> degrees,
                    std::span<const std::int64_t> destinations) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < std::min(sources.size(), degrees.size()); ++i) {
    for (std::int64_t k = 0; k < degrees[i] && next < destinations.size(); ++k, ++next) {
      of_rank_[sources[i]].destinations.push_back(destinations[next]);
      of_rank_[destinations[next]].sources.push_back(sources[i]);
    }
  }
}

const Neighbors& DistGraph::of(std::int64_t rank) const {
  const auto found = of_rank_.find(rank);
  return found == of_rank_.end() ? none_ : found->second;
}

} // namespace rondo::trace
