// SPDX-License-Identifier: Apache-2.0
#include "present/topology/topology_file.hpp"

#include "present/topology/topology_picture.hpp"
#include "present/words.hpp"
#include "rondo/base/units.hpp"
#include "rondo/topology/graph_files.hpp"
#include "rondo/topology/layout.hpp"

#include <array>
#include <fmt/core.h>
#include <utility>

namespace rondo::present {
namespace {

using topology::Recognition;

// A near match as if it had been recognized, for its coordinates.
Recognition shown(const TopologyFindings& findings) {
  if (!findings.near) return findings.found;
  Recognition result;
  result.topology = findings.near->topology;
  result.cells = findings.near->cells;
  return result;
}

std::string subtitle(const TopologyFindings& findings) {
  const Recognition& found = findings.found;
  std::string text =
      fmt::format("{}, {}, {} in {} messages",
                  count_of(static_cast<std::uint64_t>(findings.kept.ranks()), "rank"),
                  count_of(static_cast<std::uint64_t>(findings.kept.adjacency().edges()), "pair"),
                  human_bytes(static_cast<double>(findings.kept.total().bytes)),
                  human_count(static_cast<double>(findings.kept.total().messages)));
  if (findings.near) {
    return text + fmt::format(" · {} pairs missing, {} extra", findings.near->missing.size(),
                              findings.near->extra.size());
  }
  for (std::size_t i = 0; i < found.aliases.size(); ++i)
    text += (i == 0 ? " · also " : ", ") + topology::name(found.aliases[i]);
  if (found.numbering.kind != topology::NumberingKind::kNone)
    text += " · numbering: " + topology::describe(found.numbering);
  if (found.filtered.edges > 0)
    text += fmt::format(" · {} left out of the graph",
                        counted(found.filtered.edges, "light pair", "light pairs"));
  return text;
}

} // namespace

Result<TopologyFormat> topology_format_of(const std::string& path) {
  constexpr std::array<std::pair<const char*, TopologyFormat>, 6> kFormats = {
      {{".json", TopologyFormat::kJson},
       {".graphml", TopologyFormat::kGraphml},
       {".dot", TopologyFormat::kDot},
       {".gv", TopologyFormat::kDot},
       {".png", TopologyFormat::kPng},
       {".svg", TopologyFormat::kSvg}}};
  for (const auto& [extension, format] : kFormats) {
    if (path.ends_with(extension)) return format;
  }
  return fail(ErrorCode::kUsage,
              "unknown extension; write to a file that ends in .graphml, .dot, .json, .png or .svg",
              {path, {}, {}, {}});
}

Result<std::string> topology_file(const TopologyFindings& findings, TopologyFormat format) {
  const Recognition recognition = shown(findings);
  const topology::Layout layout = topology::layout_of(findings.kept.adjacency(), recognition);
  if (format == TopologyFormat::kGraphml)
    return topology::to_graphml(findings.kept, recognition, layout);
  if (format == TopologyFormat::kDot) return topology::to_dot(findings.kept, recognition, layout);
  TopologyPictureOptions options;
  options.measure = findings.measure;
  options.subtitle = subtitle(findings);
  options.title = findings.title;
  options.about = findings.about;
  if (findings.near) {
    options.title = "near " + topology::title(*findings.near);
    options.stray = findings.near->extra;
    options.hubs = findings.near->hubs;
  }
  return draw_topology(findings.matrix, findings.kept, recognition, layout,
                       format == TopologyFormat::kPng ? PictureFormat::kPng : PictureFormat::kSvg,
                       options);
}

} // namespace rondo::present
