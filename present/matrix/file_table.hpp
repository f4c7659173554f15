// SPDX-License-Identifier: Apache-2.0
// Which rank reads and writes how much of which file: the files layer of a matrix, as text, CSV
// and JSON.
//
//   const FileTraffic files = file_traffic_of(*trace);
//   std::cout << file_table_text(files);
#pragma once

#include "rondo/matrix/file_traffic.hpp"

#include <string>

namespace rondo::present {

/// A line for the ranks that read and write equally much of one file, most bytes first; files with
/// the most bytes stand first. Above 40 lines the rest is counted. Empty without files.
/// @complexity  O(accesses log accesses)
std::string file_table_text(const matrix::FileTraffic& traffic);

/// "file,rank,direction,kind,calls,bytes", one access a line; names that need it are quoted.
std::string file_table_csv(const matrix::FileTraffic& traffic);

/// A list of {"name", "opens", "bytes", "accesses"}, as `rondo stats --json` has it in "files".
std::string file_table_json(const matrix::FileTraffic& traffic);

} // namespace rondo::present
