// SPDX-License-Identifier: Apache-2.0
// What rondo topology found, as a file: a graph for other tools, or a picture.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/topology/near.hpp"
#include "rondo/topology/recognize.hpp"

#include <optional>
#include <string>

namespace rondo::present {

enum class TopologyFormat { kJson, kGraphml, kDot, kPng, kSvg };

/// By the extension of the file's name.
/// @error  kUsage, listing the extensions
Result<TopologyFormat> topology_format_of(const std::string& path);

struct TopologyFindings {
  const matrix::CommunicationMatrix& matrix;
  const topology::Graph& kept; // what was recognized, after the filter
  const topology::Recognition& found;
  const std::optional<topology::NearMatch>& near; // drawn if there is no exact name
  topology::WeightMeasure measure;
  std::string title{}; // empty: the name that was found
  std::string about{}; // which run, and what was counted
};

/// The bytes of a file of any format but JSON.
/// @error  those of topology::draw_topology()
Result<std::string> topology_file(const TopologyFindings& findings, TopologyFormat format);

} // namespace rondo::present
