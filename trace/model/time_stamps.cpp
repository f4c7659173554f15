// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/time_stamps.hpp"

#include "rondo/trace/rank_clock.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>
#include <zstd.h>

namespace rondo::trace {
namespace {

// Long enough that zstd's tables and frames cost little, short enough that compressing one is no
// noticeable break in the program.
constexpr std::size_t kCallsOfBlock = 4096;
constexpr std::uint64_t kMostCalls = 1 << 16; // of a block that is read
constexpr int kLevel = 1; // higher levels look for repetitions: times have none
constexpr std::size_t kColumns = 3; // the rest, computation, inside

// A number is its bin, four to an octave as in histograms but without a last one, and the bits that
// tell it from the others in the bin. Bins are far from evenly spread and go through zstd; the bits
// are noise and stand as they are.
struct Split {
  std::uint8_t bin;
  int bits;
  std::uint64_t rest;
};

constexpr Split split(std::uint64_t value) {
  if (value < 4) return {static_cast<std::uint8_t>(value), 0, 0};
  const int bits = std::bit_width(value) - 3; // below the leading bit and two more
  const auto bin = static_cast<std::uint8_t>(4 * (bits + 1) + static_cast<int>(value >> bits & 3));
  return {bin, bits, value & ((std::uint64_t{1} << bits) - 1)};
}

int bits_of(std::uint8_t bin) { return bin < 4 ? 0 : bin / 4 - 1; }

std::uint64_t joined(std::uint8_t bin, std::uint64_t rest) {
  if (bin < 4) return bin;
  return (std::uint64_t{4} + bin % 4) << bits_of(bin) | rest;
}

// The rest is rarely negative, and then by little: so much is added, modulo 2^64. A zigzag would
// spend a bit on the sign of each.
constexpr std::uint64_t kShift = 3;

void put(std::string& out, std::uint64_t value) { // LEB128
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::optional<std::uint64_t> get(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Context = std::unique_ptr<ZSTD_CCtx, FreeContext>;

} // namespace

StampBlock stamp_block(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return {*owner, owner};
}

std::uint64_t TimeStamps::bytes() const {
  std::uint64_t sum = 0;
  for (const StampBlock& block : blocks) sum += block.bytes.size();
  return sum;
}

void TimeStamps::append(TimeStamps&& later) {
  calls += later.calls;
  blocks.insert(blocks.end(), later.blocks.begin(), later.blocks.end());
}

std::optional<std::uint64_t> calls_of_block(std::string_view block) {
  const auto calls = get(block);
  return calls && *calls > 0 && *calls <= kMostCalls ? calls : std::nullopt;
}

// Writing
// -----------------------------------------------------------------------------------------------

struct TimeStampWriter::Block {
  std::size_t calls = 0;
  std::array<std::array<char, kCallsOfBlock>, kColumns> bins;
  // Room for the most that there can be; what is not used is never touched.
  std::array<char, kCallsOfBlock * kColumns * 8> bits;
  std::size_t bytes_of_bits = 0;
  std::uint64_t pending = 0; // bits that do not yet fill bytes
  int pending_bits = 0;
  mutable Context context;

  void add(std::size_t column, std::uint64_t value) {
    const Split s = split(value);
    bins[column][calls] = static_cast<char>(s.bin);
    put_bits(s.rest & 0xffffffff, std::min(s.bits, 32));
    if (s.bits > 32) put_bits(s.rest >> 32, s.bits - 32);
  }

  void put_bits(std::uint64_t value, int count) { // at most 32
    pending |= value << pending_bits;
    pending_bits += count;
    if (pending_bits >= 32) flush(4);
  }

  void flush(int bytes) {
    for (int i = 0; i < bytes; ++i)
      bits[bytes_of_bits++] = static_cast<char>(pending >> 8 * i); // one store, to the compiler
    pending >>= 8 * bytes;
    pending_bits -= 8 * bytes;
  }

  // The block's bytes. A column that zstd does not shrink stands as it is: as long as the calls.
  std::string bytes() const {
    if (!context) context.reset(ZSTD_createCCtx());
    std::string out;
    out.reserve(kColumns * ZSTD_compressBound(calls) + bytes_of_bits + 16);
    put(out, calls);
    std::array<char, kCallsOfBlock + 1024> packed; // at least ZSTD_compressBound of a column
    for (const auto& column : bins) {
      const std::size_t size = ZSTD_compressCCtx(context.get(), packed.data(), packed.size(),
                                                 column.data(), calls, kLevel);
      const bool shrinks = ZSTD_isError(size) == 0 && size < calls;
      put(out, shrinks ? size : calls);
      out.append(shrinks ? packed.data() : column.data(), shrinks ? size : calls);
    }
    out.append(bits.data(), bytes_of_bits);
    for (int left = 0; left < pending_bits; left += 8) out += static_cast<char>(pending >> left);
    out.shrink_to_fit();
    return out;
  }

  void clear() {
    calls = 0;
    bytes_of_bits = 0;
    pending = 0;
    pending_bits = 0;
  }
};

TimeStampWriter::TimeStampWriter() = default;
TimeStampWriter::~TimeStampWriter() = default;
TimeStampWriter::TimeStampWriter(TimeStampWriter&&) noexcept = default;
TimeStampWriter& TimeStampWriter::operator=(TimeStampWriter&&) noexcept = default;

void TimeStampWriter::add(const CallTime& time) {
  if (!open_) open_.reset(new Block); // arrays as they come
  open_->add(0, time.start_ns - end_ns_ - time.computation_ns + kShift);
  open_->add(1, time.computation_ns);
  open_->add(2, time.inside_ns);
  end_ns_ = time.end_ns();
  if (++open_->calls < kCallsOfBlock) return;
  done_.blocks.push_back(stamp_block(open_->bytes()));
  done_.calls += open_->calls;
  open_->clear();
}

TimeStamps TimeStampWriter::snapshot() const {
  TimeStamps stamps = done_;
  if (!open_ || open_->calls == 0) return stamps;
  stamps.blocks.push_back(stamp_block(open_->bytes()));
  stamps.calls += open_->calls;
  return stamps;
}

TimeStamps TimeStampWriter::take() {
  TimeStamps stamps = snapshot();
  done_ = {};
  if (open_) open_->clear();
  return stamps;
}

std::size_t TimeStampWriter::memory() const {
  constexpr std::size_t kOfBlock = 64; // shared pointer, string and their blocks' heads
  const std::size_t open = open_ ? sizeof(Block) : 0;
  return open + done_.bytes() + done_.blocks.size() * kOfBlock;
}

// Reading
// -----------------------------------------------------------------------------------------------

bool TimeStampReader::open_block() {
  at_ = size_ = 0;
  if (block_ == stamps_->blocks.size()) return false;
  std::string_view bytes = stamps_->blocks[block_++].bytes;
  const auto calls = calls_of_block(bytes);
  is_damaged_ = !calls || !get(bytes);
  for (std::size_t column = 0; column < kColumns && !is_damaged_; ++column) {
    const auto size = get(bytes);
    is_damaged_ = !size || *size > *calls || *size > bytes.size();
    if (is_damaged_) break;
    std::string& bins = bins_[column];
    bins.assign(bytes.substr(0, *size));
    if (*size < *calls) {
      bins.assign(*calls, '\0');
      is_damaged_ = ZSTD_decompress(bins.data(), *calls, bytes.data(), *size) != *calls;
    }
    bytes.remove_prefix(*size);
  }
  if (is_damaged_) return false;
  bits_ = bytes;
  bit_ = 0;
  size_ = *calls;
  return true;
}

// Bits that are missing at the end of a damaged block are 0.
std::uint64_t TimeStampReader::take_bits(int bits) {
  std::uint64_t value = 0;
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  if (kIsLittle && bits <= 64 - 7 && bits_.size() >= sizeof value) { // almost always
    std::memcpy(&value, bits_.data(), sizeof value);
    value = value >> bit_ & ((std::uint64_t{1} << bits) - 1);
    bit_ += static_cast<unsigned>(bits);
    bits_.remove_prefix(bit_ / 8);
    bit_ %= 8;
    return value;
  }
  for (int got = 0; got < bits;) {
    if (bits_.empty()) {
      is_damaged_ = true;
      return 0;
    }
    const int count = std::min(8 - static_cast<int>(bit_), bits - got);
    const unsigned byte = static_cast<std::uint8_t>(bits_.front()) >> bit_;
    value |= static_cast<std::uint64_t>(byte & ((1u << count) - 1)) << got;
    got += count;
    bit_ += static_cast<unsigned>(count);
    if (bit_ < 8) continue;
    bit_ = 0;
    bits_.remove_prefix(1);
  }
  return value;
}

std::uint64_t TimeStampReader::value(std::size_t column) {
  const auto bin = static_cast<std::uint8_t>(bins_[column][at_]);
  if (bin > split(~std::uint64_t{0}).bin) {
    is_damaged_ = true;
    return 0;
  }
  return joined(bin, take_bits(bits_of(bin)));
}

std::optional<CallTime> TimeStampReader::next() {
  if (is_damaged_ || (at_ == size_ && !open_block())) return std::nullopt;
  const std::uint64_t rest = value(0) - kShift;
  CallTime time;
  time.computation_ns = value(1);
  time.inside_ns = value(2);
  time.start_ns = end_ns_ + time.computation_ns + rest;
  end_ns_ = time.end_ns();
  ++at_;
  return is_damaged_ ? std::nullopt : std::optional(time);
}

std::optional<CallTime> TimeStampReader::next_on_common_clock() {
  auto time = next();
  if (!time || stamps_->gain_ppt == 0) return time;
  const auto corrected = [&](std::uint64_t ns) {
    const std::int64_t gained = parts_of(static_cast<std::int64_t>(ns), stamps_->gain_ppt);
    return ns + static_cast<std::uint64_t>(gained);
  };
  const std::uint64_t end = corrected(time->end_ns());
  time->start_ns = corrected(time->start_ns);
  time->inside_ns = end - time->start_ns;
  return time;
}

} // namespace rondo::trace
