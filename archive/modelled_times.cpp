// SPDX-License-Identifier: Apache-2.0
// One description serves writer and reader: a writer's coder gives back what it was given. What is
// expected of a place is taken from places that were coded before it: the like place of a class
// before, and the last one of its own. Older files have the places themselves likewise
// (PlaceCoding), newer ones expect those of the program (ForetoldPlaces).
#include "archive/modelled_times.hpp"

#include "archive/foretold_places.hpp"
#include "archive/packed.hpp"
#include "archive/place_coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Durations;
using trace::PlaceTimes;
using trace::RankMeans;

constexpr int kBits = 7; // of a duration, the leading one too
constexpr int kBitsOfExtremes = 5; // where the histogram has the rest
constexpr int kCoarsest = 14; // bits of a duration that are left out at most: 16 us
constexpr double kSpreadsInOctave = 32;
constexpr std::uint64_t kFar = 8; // sums that are off what is expected by more than an eighth
constexpr std::uint64_t kMostAlone = 3; // durations that are told one by one
constexpr std::uint64_t kMostMeans = std::uint64_t{1} << 22;

std::uint16_t RankMeans::*mean_of_kind(std::size_t kind) {
  return kind == 0 ? &RankMeans::computation : &RankMeans::inside;
}
Durations PlaceTimes::*times_of_kind(std::size_t kind) {
  return kind == 0 ? &PlaceTimes::computation : &PlaceTimes::inside;
}

// Durations that are told one by one. More than one is told by its extremes, and of three the
// third by itself.
Durations of_few(std::uint64_t count, std::uint64_t least, std::uint64_t most,
                 std::uint64_t third) {
  Durations times;
  if (count > 0) times.add(least);
  if (count > 1) times.add(most);
  if (count > 2) times.add(third);
  return times;
}

std::uint64_t third_of(const Durations& times) {
  return times.sum_ns - times.min_ns - times.max_ns;
}

bool are_few(const Durations& times, std::uint64_t count) {
  if (count > kMostAlone) return false;
  if (count == 0) return times == Durations();
  const Durations all = of_few(count, times.min_ns, times.max_ns, third_of(times));
  return all.count == times.count && all.sum_ns == times.sum_ns && all.min_ns == times.min_ns &&
         all.max_ns == times.max_ns && all.bins == times.bins;
}

// How many of a duration's lowest bits are left out.
int left_out(int bits_below_bin, int kept) {
  return std::clamp(bits_below_bin - (kept - 3), 0, kCoarsest);
}

int bits_below(std::uint64_t bin) { return bin < 4 ? 0 : static_cast<int>(bin / 4) - 1; }

std::uint64_t middle_of_rounded(std::uint64_t ns) {
  const int out = left_out(bits_below(trace::bin_or_beyond(ns)), kBits);
  return out == 0 ? ns : (ns >> out << out) + (std::uint64_t{1} << (out - 1));
}

// What a histogram between these extremes would have by itself.
struct Expected {
  std::uint64_t sum = 0;
  double squares_off_mean = 0; // of the sum's mean
};

Expected expected_of(const Durations& times) {
  Expected expected;
  const auto each = [&](auto use) {
    for (std::size_t bin = times.bins.first(); bin < times.bins.end(); ++bin) {
      std::uint64_t in_bin = times.bins[bin];
      const std::uint64_t from = trace::bin_start(static_cast<int>(bin));
      const std::uint64_t width =
          bin < 4 ? 0 : trace::bin_start(static_cast<int>(bin) + 1) - from - 1;
      for (const std::uint64_t end : {times.min_ns, times.max_ns}) {
        if (in_bin == 0 || static_cast<std::size_t>(trace::bin_of(end)) != bin) continue;
        --in_bin;
        use(1, end, 0);
      }
      if (in_bin > 0) use(in_bin, from + width / 2, width);
    }
  };
  each([&](std::uint64_t count, std::uint64_t at, std::uint64_t) { expected.sum += count * at; });
  const double mean = static_cast<double>(expected.sum) / static_cast<double>(times.count);
  each([&](std::uint64_t count, std::uint64_t at, std::uint64_t width) {
    const double off = static_cast<double>(at) - mean;
    const auto wide = static_cast<double>(width);
    expected.squares_off_mean += static_cast<double>(count) * (off * off + wide * wide / 12);
  });
  return expected;
}

template <class Coder, class Places> class TimesCoding {
public:
  TimesCoding(Coder& coder, Places& places, Budget* budget)
      : coder_(coder), budget_(budget), places_(places) {}

  // Of the class that the places have begun with; `given` is what a writer has.
  std::vector<PlaceTimes> of_class(std::uint64_t size, const PlaceTimes* given) {
    static const PlaceTimes kNone;
    std::vector<PlaceTimes> places;
    for (std::uint64_t i = 0; i < size && is_ok() && pay(1, sizeof(PlaceTimes)); ++i)
      places.push_back(place(Coder::kWrites ? given[i] : kNone));
    return places;
  }
  bool is_ok() const { return is_ok_ && places_.is_ok() && coder_.is_ok(); }

private:
  PlaceTimes place(const PlaceTimes& given) {
    PlaceTimes place;
    const PlaceTimes* const like = places_.name(place, given);
    const std::uint64_t count = place.inside.count;
    for (const std::size_t kind : {0, 1}) {
      const auto part = times_of_kind(kind);
      const Durations* model = like != nullptr ? &(like->*part) : nullptr;
      const Durations* near = last_of(kind);
      place.*part = durations(kind, count, given.*part, model, near);
      if (count > 0) recent_[kind] = place.*part;
    }
    means(place, given);
    return place;
  }

  const Durations* last_of(std::size_t kind) const {
    return recent_[kind].count > 0 ? &recent_[kind] : nullptr;
  }

  Durations durations(std::size_t kind, std::uint64_t count, const Durations& given,
                      const Durations* model, const Durations* near) {
    const bool few_given = Coder::kWrites && are_few(given, count);
    const bool is_few = count <= kMostAlone
                            ? !coder_.bit({context(What::kIsWhole, kind),
                                           context(What::kIsWhole, kind, size_class(count))},
                                          0, !few_given)
                            : false;
    if (is_few && count == 0) return {};
    const int kept = is_few ? kBits : kBitsOfExtremes;
    const std::uint64_t least_bin = expected_bin(
        kind, What::kLeast, std::min<std::uint64_t>(count, 3) + (count > 30 ? 1 : 0), given.min_ns,
        model == nullptr ? nullptr : &model->min_ns, near == nullptr ? nullptr : &near->min_ns);
    const std::uint64_t least = refined(least_bin, kept, given.min_ns);
    if (is_few && count == 1) return of_few(1, least, 0, 0);
    const std::uint64_t most_bin =
        least_bin +
        code_number(coder_,
                    {context(What::kRange, kind, size_class(count)),
                     context(What::kRange, kind, size_class(count),
                             model == nullptr ? 0 : 1 + range_class(*model))},
                    trace::bin_or_beyond(given.max_ns) - trace::bin_or_beyond(given.min_ns));
    const std::uint64_t most = std::max(least, refined(most_bin, kept, given.max_ns));
    if (!is_ok()) return {};
    if (is_few && count == 2) return of_few(2, least, most, 0);
    if (is_few) {
      const std::uint64_t range = most_bin - least_bin;
      const std::uint64_t third_given = third_of(given);
      const std::uint64_t bin =
          least_bin + code_number(coder_,
                                  {context(What::kThird, kind),
                                   context(What::kThird, kind, std::min<std::uint64_t>(range, 20))},
                                  trace::bin_or_beyond(third_given) - least_bin);
      return of_few(3, least, most, std::clamp(refined(bin, kept, third_given), least, most));
    }
    return whole(kind, count, least, most, given, model);
  }

  static std::uint64_t range_class(const Durations& model) {
    return static_cast<std::uint64_t>(trace::bin_of(model.max_ns) - trace::bin_of(model.min_ns)) /
           2;
  }

  // A bin as how far it is off one that is known.
  std::uint64_t expected_bin(std::size_t kind, What what, std::uint64_t a, std::uint64_t given,
                             const std::uint64_t* model, const std::uint64_t* near) {
    const auto bin_of = [](const std::uint64_t* ns) {
      return ns == nullptr ? 0 : 1 + trace::bin_or_beyond(*ns);
    };
    const std::uint64_t first = bin_of(model != nullptr ? model : near);
    const std::uint64_t second = bin_of(near);
    const std::uint64_t which = model != nullptr ? 1 : 0;
    const BitContexts contexts{context(what, kind, a),
                               context(what, kind, a, 1 + which, 1 + first / 4),
                               context(what, kind, a, 3 + first / 2, 1 + second / 4)};
    const std::uint64_t given_bin = trace::bin_or_beyond(given);
    std::uint32_t bin = 1;
    for (int bit = 7; bit >= 0; --bit)
      bin = 2 * bin + (coder_.bit(contexts, bin, (given_bin >> bit & 1) != 0) ? 1U : 0U);
    return bin - 256;
  }

  // A duration of this bin, with as many bits as are kept; the middle of what is left out.
  std::uint64_t refined(std::uint64_t bin, int kept, std::uint64_t given) {
    constexpr std::uint64_t kBinsOfNumbers = 252;
    if (bin < 4) return bin;
    if (bin >= kBinsOfNumbers) {
      is_ok_ = false;
      return 0;
    }
    const int below = bits_below(bin);
    const int out = left_out(below, kept);
    const std::uint64_t mask = (std::uint64_t{1} << (below - out)) - 1;
    const std::uint64_t bits = coder_.noise(below - out, given >> out & mask);
    const std::uint64_t middle = out == 0 ? 0 : std::uint64_t{1} << (out - 1);
    return ((((4 + bin % 4) << (below - out)) + bits) << out) + middle;
  }

  Durations whole(std::size_t kind, std::uint64_t count, std::uint64_t least, std::uint64_t most,
                  const Durations& given, const Durations* model) {
    Durations times;
    times.count = count;
    times.min_ns = least;
    times.max_ns = most;
    bins(kind, times, given, model);
    if (!is_ok()) return {};
    const Expected expected = expected_of(times);
    times.sum_ns = sum(kind, times, given, expected);
    times.sum_of_squares = squares(kind, times, given, expected);
    return times;
  }

  void bins(std::size_t kind, Durations& times, const Durations& given, const Durations* model) {
    const int first = trace::bin_of(times.min_ns);
    const int last = trace::bin_of(times.max_ns);
    if (!pay(static_cast<std::uint64_t>(last - first), sizeof(std::uint64_t))) return;
    std::uint64_t left = times.count;
    std::uint64_t before = 0;
    std::uint64_t before_that = 0;
    for (int bin = first; bin < last && left > 0 && is_ok(); ++bin) {
      const auto at = static_cast<std::size_t>(bin);
      const auto to_come = static_cast<std::uint64_t>(last - bin);
      const std::uint64_t share = left / (to_come + 1);
      const std::uint64_t of_model =
          model == nullptr || model->count == 0
              ? 0
              : 1 + size_class(model->bins[at] * times.count / model->count);
      const std::uint64_t near = std::min<std::uint64_t>(4, size_class(before)) * 5 +
                                 std::min<std::uint64_t>(4, size_class(before_that));
      const std::uint64_t in_bin = code_number(
          coder_,
          {context(What::kInBin, kind, size_class(share), bin == first),
           context(What::kInBin, kind, size_class(left) * 16 + std::min<std::uint64_t>(15, to_come),
                   1 + near, bin == first),
           context(What::kInBin, kind, 400 + size_class(left), of_model * 32 + near, bin == first)},
          given.bins[at]);
      if (in_bin > left) {
        is_ok_ = false;
        return;
      }
      left -= in_bin;
      before_that = std::exchange(before, in_bin);
      if (in_bin > 0) times.bins.add(at, in_bin);
    }
    if (left > 0) times.bins.add(static_cast<std::size_t>(last), left);
  }

  // Less what the bins let expect; by itself where these are no good, as times of several places
  // that were one sum have extremes that are none of their own.
  std::uint64_t sum(std::size_t kind, const Durations& times, const Durations& given,
                    const Expected& expected) {
    const std::uint64_t from = expected.sum;
    const int step = std::clamp(static_cast<int>(std::bit_width(from)) - kBits, 0, kCoarsest);
    const std::uint64_t half = step == 0 ? 0 : std::uint64_t{1} << (step - 1);
    const auto steps = [&](std::uint64_t sum) {
      return static_cast<std::int64_t>(sum + half - from) >> step;
    };
    const auto most = static_cast<std::int64_t>(from / kFar >> step);
    std::uint64_t own = given.sum_ns;
    if (std::abs(steps(own)) > most) own = middle_of_rounded(own);
    const std::uint64_t size = size_class(times.count);
    const bool is_far = coder_.bit({context(What::kIsFar, kind), context(What::kIsFar, kind, size)},
                                   0, std::abs(steps(own)) > most);
    if (is_far) {
      const std::uint64_t bin = expected_bin(kind, What::kFarSum, size, own, &from, nullptr);
      return refined(bin, kBits, own);
    }
    const std::int64_t off = code_signed(
        coder_, {context(What::kRest, kind), context(What::kRest, kind, size)}, steps(own));
    return from + (static_cast<std::uint64_t>(off) << step);
  }

  double squares(std::size_t kind, const Durations& times, const Durations& given,
                 const Expected& expected) {
    const auto count = static_cast<double>(times.count);
    const double mean_given = given.mean_ns();
    const double square = given.sum_of_squares / std::max(1.0, static_cast<double>(given.count)) -
                          mean_given * mean_given;
    const double likely = std::max(0.01, std::sqrt(expected.squares_off_mean / count));
    const bool has_any = coder_.bit({context(What::kHasSpread, kind)}, 0, square > 1e-4);
    double spread = 0;
    if (has_any) {
      const double octaves = square > 1e-4 ? std::log2(std::sqrt(square) / likely) : 0;
      const std::int64_t code = code_signed(
          coder_,
          {context(What::kSpread, kind), context(What::kSpread, kind, size_class(times.count))},
          std::llround(octaves * kSpreadsInOctave));
      spread = likely * std::exp2(static_cast<double>(code) / kSpreadsInOctave);
    }
    const double mean = times.mean_ns();
    return count * (mean * mean + spread * spread);
  }

  void means(PlaceTimes& place, const PlaceTimes& given) {
    const RankMeans all{trace::mean_code(place.computation), trace::mean_code(place.inside)};
    const std::uint64_t size_last = sizes_of_means_;
    const std::uint64_t size =
        code_number(coder_,
                    {context(What::kRanks, 0),
                     context(What::kRanks, 1, std::min<std::uint64_t>(size_last, 99))},
                    given.means.size());
    sizes_of_means_ = size;
    if (size > kMostMeans || !pay(size, sizeof(RankMeans))) {
      is_ok_ = false;
      return;
    }
    place.means.resize(size);
    if (size == 1) {
      const bool is_one = !given.means.empty() && given.means.front() == all;
      if (coder_.bit({context(What::kMeansForm, 0)}, 0, is_one)) {
        place.means.front() = all;
        return;
      }
    }
    // Each rank came once: its mean is one of the durations.
    const bool are_alone =
        Places::kAreForetold && size > 1 && size <= kMostAlone && place.inside.count == size;
    for (const std::size_t kind : {0, 1}) {
      const auto part = mean_of_kind(kind);
      const std::int64_t of_all = all.*part;
      std::int64_t last = of_all;
      std::uint64_t off_last = 0;
      std::uint64_t is_most = 0;
      for (std::uint64_t i = 0; i < size && is_ok(); ++i) {
        const std::uint64_t first = are_alone ? 2 : i == 0 ? 1 : 0;
        const std::int64_t mean_given = Coder::kWrites ? given.means[i].*part : 0;
        const std::int64_t from = are_alone ? extreme(kind, place, is_most, mean_given)
                                  : i + 1 < size || size == 1
                                      ? (last + of_all + 1) / 2
                                      : last_mean(place, part, place.*times_of_kind(kind));
        const std::int64_t off = code_signed(
            coder_,
            {context(What::kMean, kind, first), context(What::kMean, kind, first, 1 + off_last),
             context(What::kMean, kind, first, 1 + off_last, 1 + size_class(place.inside.count))},
            mean_given - from);
        off_last = size_class(static_cast<std::uint64_t>(std::abs(off)));
        last = static_cast<std::uint16_t>(from + off);
        place.means[i].*part = static_cast<std::uint16_t>(last);
      }
    }
  }

  // The least or the most, whatever is nearer; `so_far` has what it was for the ranks before.
  std::int64_t extreme(std::size_t kind, const PlaceTimes& place, std::uint64_t& so_far,
                       std::int64_t given) {
    const Durations& times = place.*times_of_kind(kind);
    const std::int64_t least = code_of(times.min_ns);
    const std::int64_t most = code_of(times.max_ns);
    const bool is_most =
        coder_.bit({context(What::kIsMost, kind), context(What::kIsMost, kind, 1 + so_far)}, 0,
                   std::abs(given - most) < std::abs(given - least));
    so_far = so_far * 3 + 1 + (is_most ? 1 : 0);
    return is_most ? most : least;
  }

  static std::uint16_t code_of(std::uint64_t ns) {
    Durations one;
    one.add(ns);
    return trace::mean_code(one);
  }

  // What the last rank has if all are as often there.
  static std::int64_t last_mean(const PlaceTimes& place, std::uint16_t RankMeans::*part,
                                const Durations& times) {
    double left = times.mean_ns() * static_cast<double>(place.means.size());
    for (std::size_t i = 0; i + 1 < place.means.size(); ++i)
      left -= trace::mean_of_code_ns(place.means[i].*part);
    return code_of(static_cast<std::uint64_t>(std::max(0.0, left)));
  }

  bool pay(std::uint64_t count, std::uint64_t bytes_each) {
    if (budget_ == nullptr || budget_->take_items(count, bytes_each)) return true;
    is_ok_ = false;
    return false;
  }

  Coder& coder_;
  Budget* budget_;
  bool is_ok_ = true;
  Places& places_;
  Durations recent_[2];
  std::uint64_t sizes_of_means_ = 0;
};

} // namespace

std::string pack_foretold_times(const std::vector<trace::RankClass>& classes) {
  Packer out;
  out.put(classes.size());
  for (const trace::RankClass& c : classes) out.put(c.program->times.size());
  AdaptiveWriter writer;
  ForetoldPlaces<AdaptiveWriter> places(writer);
  TimesCoding<AdaptiveWriter, ForetoldPlaces<AdaptiveWriter>> coding(writer, places, nullptr);
  std::vector<std::vector<PlaceTimes>> times;
  for (const trace::RankClass& c : classes) {
    const std::vector<PlaceTimes>& given = c.program->times;
    places.begin(c);
    times.push_back(coding.of_class(given.size(), given.data()));
    places.end(times.back());
  }
  return std::move(out).bytes() + std::move(writer).bytes();
}

namespace {

// Calls begin(class), and end(its places), of each class.
template <class Places, class Begin, class End>
std::optional<TimesOfClasses> unpack_times(std::string_view bytes, Budget* budget, Begin begin,
                                           End end) {
  Unpacker in(bytes, budget);
  const auto sizes = unpack_items<std::uint64_t>(in, [&] { return in.get(); });
  if (!in.ok()) return std::nullopt;
  AdaptiveReader reader(bytes.substr(bytes.size() - in.left()));
  Places places(reader);
  TimesCoding<AdaptiveReader, Places> coding(reader, places, budget);
  TimesOfClasses times;
  for (const std::uint64_t size : sizes) {
    if (!begin(places, times)) return std::nullopt;
    times.push_back(coding.of_class(size, nullptr));
    if (!coding.is_ok()) return std::nullopt;
    end(places, times.back());
  }
  if (!reader.at_end()) return std::nullopt;
  return times;
}

} // namespace

std::optional<TimesOfClasses> unpack_foretold_times(std::string_view bytes,
                                                    const std::vector<trace::RankClass>& classes,
                                                    Budget* budget) {
  return unpack_times<ForetoldPlaces<AdaptiveReader>>(
      bytes, budget,
      [&](auto& places, const TimesOfClasses& times) {
        if (times.size() >= classes.size()) return false;
        places.begin(classes[times.size()]);
        return true;
      },
      [](auto& places, const std::vector<PlaceTimes>& of_class) { places.end(of_class); });
}

std::optional<TimesOfClasses> unpack_modelled_times(std::string_view bytes, Budget* budget) {
  return unpack_times<PlaceCoding<AdaptiveReader>>(
      bytes, budget,
      [](auto& places, const TimesOfClasses& times) {
        places.begin(times.empty() ? nullptr : &times.back());
        return true;
      },
      [](const auto&, const std::vector<PlaceTimes>&) {});
}

} // namespace rondo::archive
