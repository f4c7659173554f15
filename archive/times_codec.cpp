// SPDX-License-Identifier: Apache-2.0
// Times as archives of version 2 have them, place by place, and which places share theirs.
#include "archive/program_codec.hpp"

#include <map>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;

// Histograms: count, sum, extremes, spread, then the bins between the extremes.
Durations unpack_durations(Unpacker& in, std::uint64_t count) {
  Durations times;
  times.count = count;
  times.sum_ns = in.get();
  times.min_ns = in.get();
  times.max_ns = times.min_ns + in.get();
  times.sum_of_squares = in.get_float();
  const int last = trace::bin_of(times.max_ns);
  std::uint64_t left = count;
  for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin) {
    const std::uint64_t in_bin = in.get();
    if (in_bin > left) in.refuse();
    left -= in_bin;
    if (in_bin > 0) times.bins.add(static_cast<std::size_t>(bin), in_bin);
  }
  if (left != 0) in.refuse();
  return times;
}

// Each as the difference from the rank before. First all of one kind.
std::vector<trace::RankMeans> unpack_means(Unpacker& in) {
  const std::size_t count = in.get_count();
  if (!in.pay(count, sizeof(trace::RankMeans))) return {};
  std::vector<trace::RankMeans> means(count);
  for (const auto kind : {&trace::RankMeans::computation, &trace::RankMeans::inside}) {
    std::int64_t last = 0;
    for (trace::RankMeans& rank : means) {
      last = trace::wrapping_sum(last, in.get_signed());
      rank.*kind = static_cast<std::uint16_t>(last);
    }
  }
  return means;
}

} // namespace

std::vector<PlaceTimes> unpack_times(Unpacker& in) {
  std::uint32_t call = 0;
  return unpack_items<PlaceTimes>(in, [&] {
    PlaceTimes place;
    place.call = call += static_cast<std::uint32_t>(in.get());
    const std::uint64_t before = in.get();
    place.before = before < 2 ? PlaceTimes::kStart - static_cast<std::uint32_t>(before)
                              : static_cast<std::uint32_t>(before - 2);
    const std::uint64_t count = in.get();
    place.computation = unpack_durations(in, count);
    place.inside = unpack_durations(in, count);
    place.means = unpack_means(in);
    return place;
  });
}

void pack_shared(Packer& out, const std::vector<PlaceTimes>& places) {
  std::map<std::uint32_t, std::uint64_t> numbers; // small ones, in the order of the places
  std::size_t last = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].shared == 0) continue;
    out.put(i - std::exchange(last, i));
    out.put(numbers.emplace(places[i].shared, numbers.size() + 1).first->second);
  }
}

void unpack_shared(Unpacker& in, std::vector<PlaceTimes>& places) {
  std::size_t place = 0;
  while (!in.at_end()) {
    place += in.get();
    const std::uint64_t number = in.get();
    if (place >= places.size() || number == 0 || number > places.size()) return in.refuse();
    places[place].shared = static_cast<std::uint32_t>(number);
  }
}

} // namespace rondo::archive
