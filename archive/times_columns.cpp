// SPDX-License-Identifier: Apache-2.0
// Numbers of one kind stand together, so that they pack well, and what follows from others is left
// out: of up to three durations the extremes and the sum say all.
#include "archive/times_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;
using trace::RankMeans;

// Columns that all places have, or only those with means.
enum PlaceColumn : std::size_t { kCall, kBefore, kCount, kForm, kRanks, kCommon };
// Columns of computation; those of the time inside stand behind them.
enum TimesColumn : std::size_t { kOne, kLeast, kRange, kRest, kSpread, kCounts, kMeans, kOfTimes };
constexpr std::size_t kColumns = kCommon + 2 * kOfTimes;

// What is not left out at a place.
constexpr std::uint64_t kWholeComputation = 1;
constexpr std::uint64_t kWholeInside = 2;
// Means of ranks: none; one that follows from the sums; less that of the rank before; less that of
// all.
enum class MeansForm : std::uint64_t { kNone = 0, kFollow = 4, kFromBefore = 8, kFromAll = 12 };
constexpr std::uint64_t kMeansForm = 12;

constexpr std::uint64_t kMostDerived = 3; // durations that extremes and sum say all of
constexpr int kSpreadBits = 5; // of a spread that are noise

std::uint16_t RankMeans::*mean_of(std::size_t kind) {
  return kind == 0 ? &RankMeans::computation : &RankMeans::inside;
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// How far the durations are from their mean, with eight bits of mantissa; 0 below a 128th of a ns.
constexpr std::uint32_t kLeastSpread = 0x3c00;
std::uint32_t spread_code(const Durations& times) {
  const double mean = times.mean_ns();
  const double square = times.sum_of_squares / static_cast<double>(times.count) - mean * mean;
  if (!(square > 0)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::sqrt(square)));
  const std::uint32_t code = (bits + 0x8000) >> 16;
  return code > kLeastSpread ? code - kLeastSpread : 0;
}
double squares_of_spread(std::uint32_t code, const Durations& times) {
  const double mean = times.mean_ns();
  const double spread =
      code == 0 ? 0 : static_cast<double>(std::bit_cast<float>((code + kLeastSpread) << 16));
  return static_cast<double>(times.count) * (mean * mean + spread * spread);
}

// Up to three durations of these extremes and this sum.
Durations derived(std::uint64_t count, std::uint64_t least, std::uint64_t range,
                  std::uint64_t rest) {
  Durations times;
  times.add(least);
  if (count > 1) times.add(least + range);
  if (count > 2) times.add(least + rest);
  return times;
}

// What the sum is above that of the lowest so often, and the highest once.
std::uint64_t rest_of(const Durations& times, std::uint64_t count) {
  return times.sum_ns - count * times.min_ns - (times.max_ns - times.min_ns);
}

bool follows(const Durations& times, std::uint64_t count) {
  if (count > kMostDerived) return false;
  if (count == 0) return times == Durations();
  const Durations all =
      derived(count, times.min_ns, times.max_ns - times.min_ns, rest_of(times, count));
  return all.count == times.count && all.sum_ns == times.sum_ns && all.min_ns == times.min_ns &&
         all.max_ns == times.max_ns && all.bins == times.bins &&
         static_cast<float>(all.sum_of_squares) == static_cast<float>(times.sum_of_squares);
}

// Bits one behind the other, lowest first.
class BitPacker {
public:
  void put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) {
      if (used_ == 0) bytes_.push_back('\0');
      bytes_.back() = static_cast<char>(bytes_.back() | static_cast<char>(value >> i & 1) << used_);
      used_ = (used_ + 1) % 8;
    }
  }
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
  int used_ = 0; // bits of the last byte
};

class BitUnpacker {
public:
  explicit BitUnpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t get(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i, ++next_) {
      if (next_ / 8 >= bytes_.size()) return 0;
      const auto byte = static_cast<std::uint8_t>(bytes_[next_ / 8]);
      value |= std::uint64_t{byte >> (next_ % 8) & 1U} << i;
    }
    return value;
  }
  bool at_end() const { return (next_ + 7) / 8 == bytes_.size(); }

private:
  std::string_view bytes_;
  std::size_t next_ = 0;
};

class ColumnPacker {
public:
  void add(const std::vector<PlaceTimes>& places) {
    sizes_.push_back(places.size());
    std::uint32_t last = 0;
    for (const PlaceTimes& place : places) add(place, std::exchange(last, place.call));
  }

  std::string bytes() {
    Packer out;
    out.put(sizes_.size());
    for (const std::size_t size : sizes_) out.put(size);
    for (const Packer& column : columns_) out.put_text(column.bytes());
    out.put_text(bits_.bytes());
    return std::move(out).bytes();
  }

private:
  void add(const PlaceTimes& place, std::uint32_t call_before) {
    columns_[kCall].put(static_cast<std::uint32_t>(place.call - call_before));
    // kStart and kOther, the two highest numbers, become 0 and 1.
    const auto special = static_cast<std::uint32_t>(PlaceTimes::kStart - place.before);
    const auto from = static_cast<std::int64_t>(place.before) - std::int64_t{place.call};
    columns_[kBefore].put(special < 2 ? special : zigzag(from) + 2);
    const std::uint64_t count = place.inside.count;
    columns_[kCount].put(count);
    const bool is_whole[] = {!follows(place.computation, count), !follows(place.inside, count)};
    const MeansForm means = form_of(place);
    columns_[kForm].put((is_whole[0] ? kWholeComputation : 0) + (is_whole[1] ? kWholeInside : 0) +
                        static_cast<std::uint64_t>(means));
    add(0, place.computation, count, is_whole[0]);
    add(1, place.inside, count, is_whole[1]);
    if (means != MeansForm::kFromBefore && means != MeansForm::kFromAll) return;
    columns_[kRanks].put(place.means.size());
    add_means(0, place.means, place.computation, means);
    add_means(1, place.means, place.inside, means);
  }

  void add(std::size_t kind, const Durations& times, std::uint64_t count, bool is_whole) {
    if (count == 0 && !is_whole) return;
    if (count == 1 && !is_whole) return put_number(kind, kOne, times.min_ns);
    put_number(kind, kLeast, times.min_ns);
    put_number(kind, kRange, times.max_ns - times.min_ns);
    if (is_whole || count == kMostDerived) put_number(kind, kRest, rest_of(times, count));
    if (!is_whole) return;
    const std::uint32_t spread = spread_code(times);
    column(kind, kSpread).put(spread >> kSpreadBits);
    bits_.put(spread, kSpreadBits);
    const int last = trace::bin_of(times.max_ns);
    for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin)
      column(kind, kCounts).put(times.bins[static_cast<std::size_t>(bin)]);
  }

  void add_means(std::size_t kind, const std::vector<RankMeans>& means, const Durations& times,
                 MeansForm form) {
    std::int64_t from = trace::mean_code(times);
    for (const RankMeans& rank : means) {
      const std::int64_t mean = rank.*mean_of(kind);
      column(kind, kMeans).put_signed(mean - from);
      if (form == MeansForm::kFromBefore) from = mean;
    }
  }

  // Ranks are alike, or one is like the one before.
  static MeansForm form_of(const PlaceTimes& place) {
    if (place.means.empty()) return MeansForm::kNone;
    const RankMeans all{trace::mean_code(place.computation), trace::mean_code(place.inside)};
    if (place.means.size() == 1 && place.means.front() == all) return MeansForm::kFollow;
    std::int64_t off_before = 0;
    std::int64_t off_all = 0;
    for (std::size_t i = 1; i < place.means.size(); ++i) {
      for (const std::size_t kind : {0, 1}) {
        const auto mean = mean_of(kind);
        off_before += std::abs(place.means[i].*mean - place.means[i - 1].*mean);
        off_all += std::abs(place.means[i].*mean - all.*mean);
      }
    }
    return off_all < off_before ? MeansForm::kFromAll : MeansForm::kFromBefore;
  }

  Packer& column(std::size_t kind, TimesColumn which) {
    return columns_[kCommon + kind * kOfTimes + which];
  }

  // Its three highest bits and how many follow, as a bin; these apart, as they are noise.
  void put_number(std::size_t kind, TimesColumn which, std::uint64_t value) {
    const std::size_t bin = trace::bin_or_beyond(value);
    column(kind, which).put(bin);
    bits_.put(value, bin < 4 ? 0 : static_cast<int>(bin / 4) - 1);
  }

  std::vector<std::size_t> sizes_; // of the classes
  std::array<Packer, kColumns> columns_;
  BitPacker bits_;
};

class ColumnUnpacker {
public:
  ColumnUnpacker(std::string_view bytes, Budget* budget)
      : in_(bytes, budget), columns_(), bits_(std::string_view()) {
    sizes_ = unpack_items<std::uint64_t>(in_, [&] { return in_.get(); });
    for (std::size_t i = 0; i < kColumns; ++i) columns_.emplace_back(in_.get_view(), budget);
    bits_ = BitUnpacker(in_.get_view());
  }

  std::optional<std::vector<std::vector<PlaceTimes>>> run() {
    std::vector<std::vector<PlaceTimes>> times;
    for (const std::uint64_t size : sizes_) {
      std::vector<PlaceTimes>& places = times.emplace_back();
      std::uint32_t call = 0;
      for (std::uint64_t i = 0; i < size && is_ok() && in_.pay(1, sizeof(PlaceTimes)); ++i) {
        places.push_back(place(call));
        call = places.back().call;
      }
    }
    for (const Unpacker& column : columns_) {
      if (!column.at_end()) in_.refuse();
    }
    if (!is_ok() || !in_.at_end() || !bits_.at_end()) return std::nullopt;
    return times;
  }

private:
  bool is_ok() const {
    bool ok = in_.ok();
    for (const Unpacker& column : columns_) ok = ok && column.ok();
    return ok;
  }

  PlaceTimes place(std::uint32_t call_before) {
    PlaceTimes place;
    place.call = call_before + static_cast<std::uint32_t>(columns_[kCall].get());
    const std::uint64_t before = columns_[kBefore].get();
    place.before = before < 2 ? PlaceTimes::kStart - static_cast<std::uint32_t>(before)
                              : static_cast<std::uint32_t>(place.call + from_zigzag(before - 2));
    const std::uint64_t count = columns_[kCount].get();
    const std::uint64_t form = columns_[kForm].get();
    place.computation = durations(0, count, (form & kWholeComputation) != 0);
    place.inside = durations(1, count, (form & kWholeInside) != 0);
    const auto means = static_cast<MeansForm>(form & kMeansForm);
    if (means == MeansForm::kFollow && in_.pay(1, sizeof(RankMeans)))
      place.means = {{trace::mean_code(place.computation), trace::mean_code(place.inside)}};
    if (means != MeansForm::kFromBefore && means != MeansForm::kFromAll) return place;
    const std::uint64_t ranks = columns_[kRanks].get();
    if (ranks > in_size() || !in_.pay(ranks, sizeof(RankMeans))) {
      in_.refuse();
      return place;
    }
    place.means.resize(ranks);
    read_means(0, place.means, place.computation, means);
    read_means(1, place.means, place.inside, means);
    return place;
  }

  Durations durations(std::size_t kind, std::uint64_t count, bool is_whole) {
    if (count == 0 && !is_whole) return {};
    if (!is_whole && count > kMostDerived) return refused();
    if (count == 1 && !is_whole) return derived(1, number(kind, kOne), 0, 0);
    const std::uint64_t least = number(kind, kLeast);
    const std::uint64_t range = number(kind, kRange);
    const std::uint64_t rest =
        is_whole || count == kMostDerived ? number(kind, kRest) : std::uint64_t{0};
    const int first = trace::bin_of(least);
    const int last = trace::bin_of(least + range);
    if (!in_.pay(static_cast<std::uint64_t>(std::max(0, last - first)), sizeof(std::uint64_t)))
      return {};
    if (!is_whole) return derived(count, least, range, rest);
    Durations times;
    times.count = count;
    times.min_ns = least;
    times.max_ns = least + range;
    times.sum_ns = rest + count * least + range;
    const auto spread = static_cast<std::uint32_t>(column(kind, kSpread).get() << kSpreadBits);
    times.sum_of_squares =
        squares_of_spread(spread + static_cast<std::uint32_t>(bits_.get(kSpreadBits)), times);
    std::uint64_t left = count;
    for (int bin = first; bin <= last; ++bin) {
      const std::uint64_t in_bin = column(kind, kCounts).get();
      if (in_bin > left) return refused();
      left -= in_bin;
      if (in_bin > 0) times.bins.add(static_cast<std::size_t>(bin), in_bin);
    }
    return left == 0 ? times : refused();
  }

  void read_means(std::size_t kind, std::vector<RankMeans>& means, const Durations& times,
                  MeansForm form) {
    std::int64_t from = trace::mean_code(times);
    for (RankMeans& rank : means) {
      const auto mean =
          static_cast<std::uint16_t>(from + (column(kind, kMeans).get_signed() & 0xffff));
      rank.*mean_of(kind) = mean;
      if (form == MeansForm::kFromBefore) from = mean;
    }
  }

  Durations refused() {
    in_.refuse();
    return {};
  }

  // Each mean takes a byte at least.
  std::size_t in_size() { return column(0, kMeans).left(); }

  Unpacker& column(std::size_t kind, TimesColumn which) {
    return columns_[kCommon + kind * kOfTimes + which];
  }

  std::uint64_t number(std::size_t kind, TimesColumn which) {
    constexpr std::uint64_t kBinsOfNumbers = 252;
    const std::uint64_t bin = column(kind, which).get();
    if (bin < 4) return bin;
    if (bin >= kBinsOfNumbers) {
      in_.refuse();
      return 0;
    }
    const int bits = static_cast<int>(bin / 4) - 1;
    return ((4 + bin % 4) << bits) + bits_.get(bits);
  }

  Unpacker in_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Unpacker> columns_;
  BitUnpacker bits_;
};

} // namespace

std::string pack_times_in_columns(const std::vector<const std::vector<PlaceTimes>*>& times) {
  ColumnPacker packer;
  for (const std::vector<PlaceTimes>* of_class : times) packer.add(*of_class);
  return packer.bytes();
}

std::vector<std::size_t> borders_of_columns(std::string_view bytes) {
  Unpacker in(bytes);
  for (std::size_t classes = in.get_count(); classes > 0; --classes) in.get();
  std::vector<std::size_t> borders;
  for (std::size_t i = 0; i < kColumns + 1; ++i) { // and the bits
    const std::size_t size = in.get_view().size();
    borders.push_back(bytes.size() - in.left() - size);
  }
  borders.push_back(bytes.size() - in.left());
  return in.ok() ? borders : std::vector<std::size_t>();
}

std::optional<std::vector<std::vector<PlaceTimes>>> unpack_times_in_columns(std::string_view bytes,
                                                                            Budget* budget) {
  return ColumnUnpacker(bytes, budget).run();
}

} // namespace rondo::archive
