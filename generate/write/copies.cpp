// SPDX-License-Identifier: Apache-2.0
// From left to right, the longest of the last places where the next entries stood [ziv1977].
#include "generate/write/copies.hpp"

#include <algorithm>

namespace rondo::generate::internal {
namespace {

constexpr std::size_t kReadable = 32; // entries that are written as they are
constexpr std::size_t kShortest = 4; // entries that are worth a copy
constexpr int kTried = 64; // earlier places
constexpr std::size_t kNone = ~std::size_t{0};

bool are_equal(const Progression& a, const Progression& b) {
  return a.first == b.first && a.step == b.step && a.count == b.count;
}

// Where the same entries began before, the last first.
class EarlierEntries {
public:
  explicit EarlierEntries(const std::vector<Progression>& all)
      : all_(all), before_(all.size(), kNone), last_(kSlots, kNone) {}

  void add(std::size_t at) {
    if (at + kShortest > all_.size()) return;
    std::size_t& last = last_[slot(at)];
    before_[at] = last;
    last = at;
  }

  struct Match {
    std::size_t at = 0;
    std::size_t length = 0;
  };
  Match longest(std::size_t at, std::size_t end) const {
    Match best;
    if (at + kShortest > end) return best;
    int tried = 0;
    for (std::size_t other = last_[slot(at)]; other != kNone && tried < kTried;
         other = before_[other], ++tried) {
      std::size_t length = 0;
      while (at + length < end && are_equal(all_[other + length], all_[at + length])) ++length;
      if (length > best.length) best = {other, length};
    }
    return best.length >= kShortest ? best : Match();
  }

private:
  static constexpr std::size_t kSlots = std::size_t{1} << 16;

  std::size_t slot(std::size_t at) const {
    std::uint64_t hash = 0;
    for (std::size_t i = at; i < at + kShortest; ++i) {
      for (const std::int64_t part : {all_[i].first, all_[i].step, all_[i].count})
        hash = (hash + static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U;
    }
    return static_cast<std::size_t>(hash >> 48);
  }

  const std::vector<Progression>& all_;
  std::vector<std::size_t> before_; // of each place
  std::vector<std::size_t> last_; // of each slot
};

} // namespace

ShortSeries shortened(const Series& series) {
  ShortSeries result;
  std::vector<Progression> all;
  for (const auto& row : series.rows) {
    result.starts.push_back(all.size());
    all.insert(all.end(), row.begin(), row.end());
  }
  result.entries = all.size();
  EarlierEntries earlier(all);
  for (std::size_t r = 0; r < series.rows.size(); ++r) {
    std::vector<SeriesEntry>& entries = result.rows.emplace_back();
    const std::size_t end = result.starts[r] + series.rows[r].size();
    for (std::size_t at = result.starts[r]; at < end;) {
      const auto [from, length] =
          all.size() <= kReadable ? EarlierEntries::Match() : earlier.longest(at, end);
      if (length == 0) {
        entries.push_back({all[at], 0, 0});
      } else {
        entries.push_back(
            {{}, static_cast<std::int64_t>(length), static_cast<std::int64_t>(at - from)});
        result.has_copies = true;
      }
      for (const std::size_t next = at + std::max<std::size_t>(length, 1); at < next; ++at)
        earlier.add(at);
    }
  }
  return result;
}

} // namespace rondo::generate::internal
