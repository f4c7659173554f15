// SPDX-License-Identifier: Apache-2.0
// A network whose messages share links: a topology with one bandwidth and one latency for each
// link, or a platform file of SimGrid's.
//
//   auto model = parse_network("torus 8x8x4, 100Gbps, 1us");
//   use(model->platform->hosts());
//
// Ranks stand on the hosts in their order, rank 0 on the first. A file's hosts are in the order of
// their names, numbers in them as numbers.
#pragma once

#include "rondo/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::simulate {

struct Platform {
  enum class Kind : std::uint8_t {
    kComplete, // a link of its own for each pair and direction
    kCrossbar, // a link to and from each host; in the middle there is room for all
    kTorus,
    kFatTree, // levels of nodes: XGFT(h; m; w)
    kDragonfly, // groups x chassis x routers x nodes
    kFile,
  };
  Kind kind = Kind::kComplete;
  std::vector<std::uint32_t> sizes; // hosts, or by dimension or level (children), or as above
  std::vector<std::uint32_t> parents; // of a fat tree, by level
  double bandwidth = 0; // of each link, bytes per second; less than 0: as the file has them
  double latency_s = 0; // of each link; less than 0: as the file has them
  std::string file;

  /// 0 for a file: it has not been read yet.
  std::uint64_t hosts() const;
  /// "torus 8x8x4", or the file.
  std::string shape() const;
  /// "torus 8x8x4, 1.25e+10B/s, 1e-06s", "rack.xml": read by parse_topology(), with the same
  /// values.
  std::string text() const;
  friend bool operator==(const Platform&, const Platform&) = default;
};

/// Whether a network is meant that way: it begins with a topology's name or names a file ending in
/// .xml.
bool names_platform(std::string_view text);

/// "torus 8x8x4", "fat tree 4x4;1x2", "dragonfly 4x3x2x2", "crossbar 16", "complete 16" or
/// "FILE.xml", without what follows the first comma.
/// @error kUsage with what was expected
Result<Platform> parse_topology(std::string_view text);

/// Whether what plays such networks came with this program; nothing is loaded for the answer.
/// @error kUnsupported: built without SimGrid, or its module is not there
Status has_contention();

} // namespace rondo::simulate
