// SPDX-License-Identifier: Apache-2.0
// Reader of Chakra's execution traces (MLCommons), as ASTRA-sim takes them: for each rank a file
// PREFIX.N.et of nodes in protobuf's wire format, and which of them depends on which.
// docs/formats/chakra.md says what becomes of each.
//
//   auto imported = convert::read_chakra("run/et.0.et", {});
//
// A rank's nodes are held in memory while it is read, some 100 bytes a node, as their order is that
// of their dependencies.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/imported.hpp"

#include <string>
#include <string_view>

namespace rondo::convert {

/// Whether a file of this name and first bytes is a rank of such a trace.
bool is_chakra(std::string_view name, std::string_view start);

/// A file of the trace in a folder; empty if there is none.
std::string chakra_file_in(const std::string& folder);

/// Sends, receives and collective operations begin without blocking, and are waited for before what
/// depends on them; the duration of other nodes is computation.
/// @param path   one of the files, or their folder
/// @error  kNotFound, kIo; kFormat with the file: nodes that depend on themselves, peers that are
/// no
///         ranks; kDamaged: cut in the middle of a node; kUnsupported: more than the budget of
///         files of that size
/// @complexity  O(nodes log nodes and dependencies); one thread
/// @source [chakra]
Result<Imported> read_chakra(const std::string& path, const ImportOptions& options);

} // namespace rondo::convert
