// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/platform.hpp"

#include "rondo/base/budget.hpp"
#include "rondo/base/joined.hpp"
#include "simulate/models/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <numeric>
#include <utility>

namespace rondo::simulate {
namespace {

using internal::trimmed;

struct Family {
  std::string_view name;
  Platform::Kind kind;
  std::string_view example;
};
constexpr std::array kFamilies = {
    Family{"complete", Platform::Kind::kComplete, "complete 16"},
    Family{"crossbar", Platform::Kind::kCrossbar, "crossbar 16"},
    Family{"torus", Platform::Kind::kTorus, "torus 8x8x4"},
    Family{"fat tree", Platform::Kind::kFatTree, "fat tree 4x4;1x2"},
    Family{"dragonfly", Platform::Kind::kDragonfly, "dragonfly 4x3x2x2"},
};

constexpr std::uint64_t kMostHosts = 1 << 20; // whatever is asked for
constexpr std::uint64_t kUsualHosts = 1 << 17; // SimGrid takes seconds and a gigabyte for so many
constexpr std::uint64_t kMostInComplete = 1 << 11; // hosts of a complete network

const Family* family_of(std::string_view text) {
  for (const Family& family : kFamilies) {
    const bool begins = text.starts_with(family.name);
    if (begins && (text.size() == family.name.size() || text[family.name.size()] == ' '))
      return &family;
  }
  return nullptr;
}

// "8x8x4"; nothing if that is not what it is.
std::vector<std::uint32_t> sizes_of(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  while (true) {
    const std::size_t end = std::min(text.find('x'), text.size());
    std::uint32_t size = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + end, size);
    if (error != std::errc() || rest != text.data() + end || size == 0) return {};
    sizes.push_back(size);
    if (end == text.size()) return sizes;
    text.remove_prefix(end + 1);
  }
}

bool has_right_sizes(const Platform& platform) {
  switch (platform.kind) {
  case Platform::Kind::kComplete:
  case Platform::Kind::kCrossbar:
    return platform.sizes.size() == 1;
  case Platform::Kind::kDragonfly:
    return platform.sizes.size() == 4;
  case Platform::Kind::kFatTree:
    return platform.parents.size() == platform.sizes.size() && !platform.sizes.empty();
  default:
    return !platform.sizes.empty();
  }
}

} // namespace

std::uint64_t Platform::hosts() const {
  if (kind == Kind::kFile) return 0;
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, [](auto a, auto b) {
    return a > kMostHosts ? a : a * b; // what is too much stays so
  });
}

std::string Platform::shape() const {
  if (kind == Kind::kFile) return file;
  const auto* const family = std::find_if(kFamilies.begin(), kFamilies.end(),
                                          [&](const Family& f) { return f.kind == kind; });
  const std::string ups = kind == Kind::kFatTree ? ";" + joined(parents, "x") : "";
  return fmt::format("{} {}{}", family->name, joined(sizes, "x"), ups);
}

std::string Platform::text() const {
  std::string text = shape();
  if (bandwidth > 1e300)
    text += ", inf";
  else if (bandwidth >= 0)
    text += fmt::format(", {:.15g}B/s", bandwidth);
  if (latency_s >= 0) text += fmt::format(", {}s", latency_s);
  return text;
}

bool names_platform(std::string_view text) {
  text = trimmed(text);
  return family_of(text) != nullptr || trimmed(text.substr(0, text.find(','))).ends_with(".xml");
}

Result<Platform> parse_topology(std::string_view text) {
  text = trimmed(text);
  Platform platform;
  if (text.ends_with(".xml")) {
    platform.kind = Platform::Kind::kFile;
    platform.file = std::string(text);
    platform.bandwidth = platform.latency_s = -1;
    return platform;
  }
  const Family* family = family_of(text);
  if (family == nullptr) return fail(ErrorCode::kUsage, fmt::format("'{}' is no network", text));
  platform.kind = family->kind;
  const std::string_view sizes = trimmed(text.substr(family->name.size()));
  const std::size_t half = std::min(sizes.find(';'), sizes.size());
  platform.sizes = sizes_of(trimmed(sizes.substr(0, half)));
  if (platform.kind == Platform::Kind::kFatTree) {
    platform.parents.assign(platform.sizes.size(), 1);
    if (half < sizes.size()) platform.parents = sizes_of(trimmed(sizes.substr(half + 1)));
  } else if (half < sizes.size()) {
    platform.sizes.clear();
  }
  if (!has_right_sizes(platform)) {
    return fail(ErrorCode::kUsage, fmt::format("'{}' has not the sizes that its topology needs; "
                                               "write them as in '{}'",
                                               text, family->example));
  }
  const std::uint64_t most = std::min(limited(kUsualHosts), kMostHosts);
  if (platform.hosts() > most) {
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' has {} hosts, and {} are allowed; --limit 10 allows ten times as "
                            "many, up to {}",
                            text, platform.hosts(), most, kMostHosts));
  }
  if (platform.kind == Platform::Kind::kComplete && platform.hosts() > kMostInComplete) {
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' has {} hosts, and a complete network at most {}: each pair has a "
                            "link; a crossbar may have more",
                            text, platform.hosts(), kMostInComplete));
  }
  return platform;
}

} // namespace rondo::simulate
