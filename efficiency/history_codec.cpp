// SPDX-License-Identifier: Apache-2.0
#include "efficiency/history_codec.hpp"

#include "archive/packed.hpp"

#include <bit>
#include <cmath>
#include <memory>
#include <zstd.h>

namespace rondo::efficiency::internal {
namespace {

constexpr double kSecondsOfNs = 1e-9;

// The nearest whole number of nanoseconds; 0 where there is none. What a time is more than that is
// told in bits, which are few where it is one.
std::int64_t whole_ns(double seconds) {
  constexpr double kMost = 0x1p62;
  const double ns = seconds / kSecondsOfNs;
  return std::abs(ns) < kMost ? std::llround(ns) : 0;
}
std::int64_t bits_of(double value) { return std::bit_cast<std::int64_t>(value); }
std::int64_t bits_of(float value) { return std::bit_cast<std::int32_t>(value); }
template <class Time> Time time_of(std::int64_t bits) {
  if constexpr (sizeof(Time) == sizeof(std::int32_t)) {
    return std::bit_cast<Time>(static_cast<std::int32_t>(bits));
  } else {
    return std::bit_cast<Time>(bits);
  }
}
template <class Time> std::int64_t bits_at(std::int64_t ns) {
  return bits_of(static_cast<Time>(static_cast<double>(ns) * kSecondsOfNs));
}
// Around what there is of numbers.
std::int64_t sum_of(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) +
                                   static_cast<std::uint64_t>(other));
}
std::int64_t less(std::int64_t one, std::int64_t other) { return sum_of(one, sum_of(~other, 1)); }

class ColumnsIn {
public:
  /// @param of    the member of an item
  /// @param base  a number that is near it, known before it
  template <class Items, class Of, class Base> void numbers(Items items, Of of, Base base) {
    std::int64_t before = 0;
    for (auto& item : items) {
      const std::int64_t more = less(static_cast<std::int64_t>(of(item)), base(item));
      out_.put_signed(less(more, before));
      before = more;
    }
  }
  template <class Items, class Of, class Base> void times(Items items, Of of, Base base) {
    std::int64_t before = 0;
    for (auto& item : items) {
      const auto time = of(item);
      const std::int64_t ns = whole_ns(static_cast<double>(time));
      const std::int64_t more = less(ns, base(item));
      out_.put_signed(less(more, before));
      out_.put_signed(less(bits_of(time), bits_at<decltype(time)>(ns)));
      before = more;
    }
  }
  std::string packed() const {
    constexpr int kLevel = 1;
    thread_local const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(
        ZSTD_createCCtx(), ZSTD_freeCCtx);
    thread_local std::string scratch; // so that no piece leaves a hole in memory
    const std::string_view raw = out_.bytes();
    scratch.resize(ZSTD_compressBound(raw.size()));
    const std::size_t size = ZSTD_compressCCtx(context.get(), scratch.data(), scratch.size(),
                                               raw.data(), raw.size(), kLevel);
    archive::Packer whole;
    whole.put(raw.size());
    std::string packed;
    packed.reserve(whole.bytes().size() + size);
    packed.append(whole.bytes()).append(scratch, 0, size);
    return packed;
  }

private:
  archive::Packer out_;
};

class ColumnsOut {
public:
  explicit ColumnsOut(std::string_view packed) : in_(plain_of(packed)) {}

  template <class Items, class Of, class Base> void numbers(Items items, Of of, Base base) {
    std::int64_t more = 0;
    for (auto& item : items) {
      more = sum_of(more, in_.get_signed());
      auto& number = of(item);
      number = static_cast<std::remove_reference_t<decltype(number)>>(sum_of(more, base(item)));
    }
  }
  template <class Items, class Of, class Base> void times(Items items, Of of, Base base) {
    std::int64_t more = 0;
    for (auto& item : items) {
      auto& time = of(item);
      using Time = std::remove_reference_t<decltype(time)>;
      more = sum_of(more, in_.get_signed());
      time = time_of<Time>(sum_of(bits_at<Time>(sum_of(more, base(item))), in_.get_signed()));
    }
  }

private:
  static std::string_view plain_of(std::string_view packed) {
    thread_local std::string plain;
    thread_local const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(
        ZSTD_createDCtx(), ZSTD_freeDCtx);
    archive::Unpacker size(packed);
    plain.resize(size.get());
    const std::string_view bytes = packed.substr(packed.size() - size.left());
    ZSTD_decompressDCtx(context.get(), plain.data(), plain.size(), bytes.data(), bytes.size());
    return plain;
  }
  archive::Unpacker in_;
};

// Both ways: what a column is, and what is near it.
constexpr auto kNothing = [](const auto&) { return std::int64_t{0}; };

template <class Columns, class Items>
void go_through(Columns& columns, Items items, const Computed&) {
  columns.times(
      items, [](auto& c) -> auto& { return c.from_s; }, kNothing);
  columns.times(
      items, [](auto& c) -> auto& { return c.seconds; }, kNothing);
  columns.numbers(
      items, [](auto& c) -> auto& { return c.spot; }, kNothing);
}

template <class Columns, class Items, class Of>
void go_through_stretches(Columns& columns, Items items, Of of) {
  columns.numbers(
      items, [of](auto& w) -> auto& { return of(w).computed_to; }, kNothing);
  columns.numbers(
      items, [of](auto& w) -> auto& { return of(w).waits_to; }, kNothing);
  columns.numbers(
      items, [of](auto& w) -> auto& { return of(w).computed_from; },
      [of](const auto& w) { return std::int64_t{of(w).computed_to}; });
  columns.numbers(
      items, [of](auto& w) -> auto& { return of(w).waits_from; },
      [of](const auto& w) { return std::int64_t{of(w).waits_to}; });
}

template <class Columns, class Items>
void go_through(Columns& columns, Items items, const Waited&) {
  columns.numbers(
      items, [](auto& w) -> auto& { return w.kind; }, kNothing);
  columns.numbers(
      items, [](auto& w) -> auto& { return w.spot; }, kNothing);
  columns.numbers(
      items, [](auto& w) -> auto& { return w.rank; }, kNothing);
  columns.numbers(
      items, [](auto& w) -> auto& { return w.other; }, kNothing);
  columns.times(
      items, [](auto& w) -> auto& { return w.from_s; }, kNothing);
  columns.times(
      items, [](auto& w) -> auto& { return w.until_s; },
      [](const auto& w) { return whole_ns(w.from_s); });
  go_through_stretches(
      columns, items, [](auto& w) -> auto& { return w.own; });
  go_through_stretches(
      columns, items, [](auto& w) -> auto& { return w.others; });
}

template <class Columns, class Items>
void go_through(Columns& columns, Items items, const std::uint32_t&) {
  columns.numbers(
      items, [](auto& number) -> auto& { return number; }, kNothing);
}

template <class T> std::string packed(std::span<const T> items) {
  ColumnsIn columns;
  go_through(columns, items, T());
  return columns.packed();
}

template <class T> void unpacked(std::string_view packed, std::span<T> items) {
  ColumnsOut columns(packed);
  go_through(columns, items, T());
}

} // namespace

std::string pack(std::span<const Computed> items) { return packed(items); }
std::string pack(std::span<const Waited> items) { return packed(items); }
std::string pack(std::span<const std::uint32_t> items) { return packed(items); }
void unpack(std::string_view packed, std::span<Computed> items) { unpacked(packed, items); }
void unpack(std::string_view packed, std::span<Waited> items) { unpacked(packed, items); }
void unpack(std::string_view packed, std::span<std::uint32_t> items) { unpacked(packed, items); }

} // namespace rondo::efficiency::internal
