// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page around a document: its program, style and data in one file that
// needs no server, no network and no tool, and sends nothing anywhere.
//
//   const auto html = report_page("lmp on 8 ranks", document);
//
// Always holds: the same input gives the same bytes; what stands in the document is never markup or
// code (it is compressed, in base64), and the page's policy lets no other program run.
#pragma once

#include "rondo/base/result.hpp"

#include <string>
#include <string_view>

namespace rondo::report {

/// False if the build had no node, npm or esbuild to make the page's program with.
bool is_available();

/// @param title     of the window
/// @param document  what the page shows, docs/formats/page.md; any bytes
/// @error           kUnsupported if the build has no page; kIo if compression fails
/// @complexity      O(bytes)
Result<std::string> report_page(std::string_view title, std::string_view document);

} // namespace rondo::report
