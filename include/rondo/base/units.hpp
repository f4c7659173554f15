// SPDX-License-Identifier: Apache-2.0
// Numbers for people: two or three digits and a unit, "1.2 MB", "37 %". JSON and CSV never use
// these; they carry full precision in base units. Decimal prefixes (1 kB = 1000 B) but for
// binary_bytes(). The decimal sign is always a point, whatever the locale.
#pragma once

#include <cstdint>
#include <string>

namespace rondo {

/// "0 B", "160 B", "1.2 kB", "54 MB"; one decimal below ten, none above.
std::string human_bytes(double bytes);

/// "1.2 MB/s".
std::string human_bytes_per_second(double bytes_per_second);

/// Whole numbers below 10 000 as they are, "16 k", "2.4 M" above; fractions below 100 keep
/// one decimal.
std::string human_count(double count);

/// A share in [0, 1] as "37 %", "2.4 %"; never "0 %" for more than nothing nor "100 %" for less
/// than all.
std::string human_percent(double share);

/// "28 ns", "1.2 µs", "3.4 ms", "12 s", "2 min 5 s", "1 h 4 min".
std::string human_duration(double nanoseconds);

/// Four digits, for durations that are compared: "64.21 ms", "3.604 s", "1250 s".
std::string precise_duration(double nanoseconds);

/// At most five characters and no blank, for cells of tables: "805", "1.2k", "54M".
std::string compact_number(double value);

/// The same of a mean, below a thousand with as many digits as it takes to tell it from the least
/// and the most of its values: "0.98", "0.003".
std::string compact_mean(double mean, double least, double most);

/// Exact binary sizes, for bounds that are powers of two: "16 B", "4 KiB", "64 MiB". A size that is
/// not a multiple of the next unit stays in the smaller one ("1025 B").
std::string binary_bytes(std::uint64_t bytes);

} // namespace rondo
