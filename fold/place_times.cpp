// SPDX-License-Identifier: Apache-2.0
#include "fold/place_times.hpp"

#include "rondo/base/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::fold {
namespace {

using trace::Durations;
using trace::PlaceTimes;

// Whole numbers that add up to `all`, as near to the weights' parts as can be: the largest
// remainders are rounded up.
std::vector<std::uint64_t> whole_parts(std::uint64_t all, const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> parts;
  std::vector<double> remainders;
  std::uint64_t given = 0;
  for (const double weight : weights) {
    const double wanted = sum > 0 ? static_cast<double>(all) * weight / sum : 0;
    parts.push_back(std::min(static_cast<std::uint64_t>(wanted), all - given));
    given += parts.back();
    remainders.push_back(wanted - std::floor(wanted));
  }
  for (; given < all; ++given) {
    const auto next = std::max_element(remainders.begin(), remainders.end());
    ++parts[static_cast<std::size_t>(next - remainders.begin())];
    *next -= 1;
  }
  return parts;
}

// Each bin is dealt by what the shares still lack.
void deal(const Durations& all, const std::vector<std::uint64_t>& counts,
          Durations PlaceTimes::*kind, std::vector<PlaceTimes>& shares) {
  std::vector<double> lacking(counts.begin(), counts.end());
  for (std::size_t bin = all.bins.first(); bin < all.bins.end(); ++bin) {
    if (all.bins[bin] == 0) continue;
    const std::vector<std::uint64_t> parts = whole_parts(all.bins[bin], lacking);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (parts[i] > 0) (shares[i].*kind).bins.add(bin, parts[i]);
      lacking[i] = std::max(0.0, lacking[i] - static_cast<double>(parts[i]));
    }
  }
  const std::vector<double> weights(counts.begin(), counts.end());
  const std::vector<std::uint64_t> sums = whole_parts(all.sum_ns, weights);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Durations& share = shares[i].*kind;
    share.count = share.bins.sum();
    if (counts[i] == 0) continue;
    share.sum_ns = sums[i];
    share.min_ns = all.min_ns;
    share.max_ns = all.max_ns;
    share.sum_of_squares = all.sum_of_squares * static_cast<double>(counts[i]) /
                           static_cast<double>(std::max<std::uint64_t>(all.count, 1));
  }
}

// A number for places that share their times: the same however the ranks were merged.
std::uint32_t shared_number(const PlaceTimes& times) {
  std::uint64_t hash = 0;
  for (const std::uint64_t value :
       {std::uint64_t{times.before}, std::uint64_t{times.call}, times.computation.sum_ns,
        times.inside.sum_ns, times.inside.count})
    hash = mixed(hash, value);
  return std::max(static_cast<std::uint32_t>(hash), std::uint32_t{1});
}

// Of a single one there is no course, as the sum says it.
trace::TimeCourse course_of(const PlaceTimes& place) {
  if (!place.courses.empty()) return place.courses.front().course;
  trace::TimeCourse course;
  if (place.computation.count == 1) course.add(0, place.computation.sum_ns);
  return course;
}

} // namespace

void join_courses(PlaceTimes& into, std::uint64_t pending_into, const PlaceTimes& from,
                  std::uint64_t pending_from) {
  const std::uint64_t before = into.computation.count + pending_into;
  const std::uint64_t behind = from.computation.count + pending_from;
  if (before == 0) into.courses = from.courses;
  if (before == 0 || behind == 0) return;
  trace::TimeCourse joined = course_of(into);
  trace::TimeCourse later = course_of(from);
  later.end(behind);
  joined.append(before, later);
  into.courses = {};
  if (joined.codes().find_first_not_of('\0') != std::string::npos)
    into.courses = {{0, std::move(joined)}};
}

std::vector<PlaceTimes> dealt(const PlaceTimes& times, const std::vector<double>& weights) {
  PlaceTimes empty;
  empty.before = times.before;
  empty.call = times.call;
  empty.means = times.means;
  empty.shared = times.shared;
  std::vector<PlaceTimes> shares(weights.size(), empty);
  const std::vector<std::uint64_t> counts = whole_parts(times.inside.count, weights);
  deal(times.computation, counts, &PlaceTimes::computation, shares);
  deal(times.inside, counts, &PlaceTimes::inside, shares);
  const auto timed =
      counts.size() -
      static_cast<std::size_t>(std::count(counts.begin(), counts.end(), std::uint64_t{0}));
  // Whose calls go through it together, in the order of the program.
  const auto first = std::find_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  if (first != counts.end())
    shares[static_cast<std::size_t>(first - counts.begin())].courses = times.courses;
  if (timed < 2 || times.shared != 0) return shares;
  for (PlaceTimes& share : shares) share.shared = shared_number(times);
  return shares;
}

void SharedTimes::add(PlaceTimes& into, const PlaceTimes& from) {
  into.computation.add(from.computation);
  into.inside.add(from.inside);
  const std::uint32_t a = now(into.shared);
  const std::uint32_t b = now(from.shared);
  if (a != 0 && b != 0 && a != b) renamed_[std::max(a, b)] = std::min(a, b);
  if (a == 0) into.shared = b;
}

std::uint32_t SharedTimes::now(std::uint32_t number) const {
  for (auto next = renamed_.find(number); next != renamed_.end(); next = renamed_.find(number))
    number = next->second;
  return number;
}

void SharedTimes::rename(std::vector<PlaceTimes>& places) const {
  if (renamed_.empty()) return;
  for (PlaceTimes& place : places) place.shared = now(place.shared);
}

} // namespace rondo::fold
