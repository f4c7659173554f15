// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/detect.hpp"

#include "convert/foreign.hpp"
#include "convert/own_kinds.hpp"
#include "convert/simgrid_ti/one_text.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/simgrid_ti/tar_reader.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/folder_of_text.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/chakra.hpp"
#include "rondo/convert/dumpi.hpp"
#include "rondo/convert/goal.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace rondo::convert {
namespace {

constexpr std::string_view kGzipStart = "\x1f\x8b";
constexpr std::string_view kZstdStart = "\x28\xb5\x2f\xfd";

// A list of rank files: text whose first line is the name of one, or of one for all ranks.
bool is_list(std::string_view start) {
  const std::size_t end = std::min({start.find('\n'), start.find('\r'), start.size()});
  const std::string_view line = start.substr(0, end);
  return line.find('\0') == std::string_view::npos && line.size() > 4 && line.ends_with(".txt");
}

// What a text begins with, packed or not; empty if it cannot be unpacked.
std::string start_of_text(const std::string& path, const std::string& start) {
  if (!start.starts_with(kGzipStart) && !start.starts_with(kZstdStart)) return start;
  return internal::first_unpacked_bytes(path).value_or("");
}

// liballprof2 writes no format that anybody reads: its own generator says it is not complete.
bool is_of_allprof2(const std::filesystem::directory_entry& file) {
  return file.path().filename().string().starts_with("lap2-trace-rank-");
}

tl::unexpected<Error> unread(std::string what, const std::string& path) {
  return fail(ErrorCode::kUnsupported, std::move(what), {path, {}, {}, {}});
}

constexpr const char* kAllprof2 =
    "is a trace of liballprof2, which Rondo does not read; liballprof's traces it does";

Result<InputKind> detect_folder(const std::string& path) {
  const auto anchor = otf2_anchor_in(path);
  if (!anchor) return propagate(anchor);
  if (!anchor->empty()) return InputKind::kOtf2;
  const auto dumpi = dumpi_run_in(path);
  if (!dumpi) return propagate(dumpi);
  if (!dumpi->empty()) return InputKind::kDumpi;
  if (!chakra_file_in(path).empty()) return InputKind::kChakra;
  const auto text = internal::text_trace_in(path);
  if (!text) return propagate(text);
  if (!text->empty()) return detect_input(*text);
  std::error_code error;
  using Entries = std::filesystem::directory_iterator;
  if (std::any_of(Entries(path, error), Entries(), is_of_allprof2)) return unread(kAllprof2, path);
  const auto files = internal::files_in_folder(path);
  if (!files && files.error().code != ErrorCode::kIo)
    return fail(ErrorCode::kFormat,
                "is a folder without a trace: neither parts that a recorder left behind, nor "
                "traces.otf2, .prv, .goal, .meta or .et, nor a file for each rank (0.txt, 1.txt, "
                "...)",
                {path, {}, {}, {}});
  if (!files) return propagate(files);
  const auto first = internal::first_unpacked_bytes(files->front());
  if (first && is_allprof(*first)) return InputKind::kAllprof;
  return InputKind::kSimgridTi;
}

// What the first bytes of a file say, packed or not.
std::optional<InputKind> kind_by_content(const std::string& path, const std::string& start,
                                         const std::string& text) {
  if (is_otf2(start)) return InputKind::kOtf2;
  if (is_dumpi(start)) return InputKind::kDumpi;
  if (is_allprof(text)) return InputKind::kAllprof;
  if (is_paraver(text)) return InputKind::kParaver;
  if (is_goal(text)) return InputKind::kGoal;
  if (is_chakra(path, start)) return InputKind::kChakra;
  const bool is_packed = start.starts_with(kZstdStart) || internal::TarReader::is_tar(start);
  if (is_packed || is_list(start) || internal::is_actions(text)) return InputKind::kSimgridTi;
  return std::nullopt;
}

tl::unexpected<Error> no_trace(const std::string& path, bool is_empty) {
  if (const auto name = internal::name_of_input(path); !name.what.empty()) {
    const char* but = name.is_output_only ? ", which Rondo writes but does not read"
                      : is_empty          ? ", but is empty"
                                          : ", but does not begin as one";
    return fail(ErrorCode::kFormat, "is named as " + std::string(name.what) + but,
                {path, {}, {}, {}});
  }
  return fail(
      ErrorCode::kFormat,
      "is no trace that can be read; expected a .rondo archive, a folder of parts that a recorder "
      "left behind, an OTF2 archive (traces.otf2), a Paraver trace (.prv, .prv.gz), a "
      "DUMPI trace (.meta, or one of its .bin), a GOAL schedule (a text that begins with "
      "num_ranks), a Chakra trace (PREFIX.RANK.et), texts of liballprof, or a time-independent "
      "trace of SimGrid: a folder of rank files, a .tar or .tar.zst of one, a list of rank "
      "files, or one text of all ranks",
      {path, {}, {}, {}});
}

} // namespace

Result<InputKind> detect_input(const std::string& path) {
  const auto own = internal::own_kind(path);
  if (!own) return propagate(own);
  if (*own) return **own;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return detect_folder(path);
  const auto start = internal::first_bytes(path);
  if (!start) return propagate(start);
  const std::string text = start_of_text(path, *start);
  if (const auto kind = kind_by_content(path, *start, text)) return *kind;
  if (is_of_allprof2(std::filesystem::directory_entry(path, error))) return unread(kAllprof2, path);
  if (const auto foreign = internal::foreign_kind(text); !foreign.empty())
    return unread(std::string(foreign), path);
  if (path.ends_with(".rondo")) return InputKind::kRondo; // its reader says what is wrong with it
  return no_trace(path, start->empty());
}

} // namespace rondo::convert
