// SPDX-License-Identifier: Apache-2.0
#include "cli/open_trace.hpp"

#include "cli/common.hpp"
#include "cli/progress_line.hpp"
#include "cli/session.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/chakra.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/convert/dumpi.hpp"
#include "rondo/convert/goal.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/convert/simgrid_ti.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <optional>

namespace rondo::cli {
namespace {

// Reader: Result<Imported>(path, Options).
template <class Options, class Reader>
Result<convert::Imported> import_by(Reader reader, const std::string& path, Options options) {
  ProgressLine line;
  options.progress = [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); };
  return reader(path, options);
}

// What is no trace at all is refused by the reader of archives, unless it is known for what it is,
// its name promises one of another kind, or it is a folder.
bool is_refused(const std::string& path, const Result<convert::InputKind>& kind) {
  if (kind) return false;
  if (kind.error().code == ErrorCode::kUnsupported) return true;
  std::error_code ignored;
  const bool is_promised =
      kind.error().code == ErrorCode::kFormat && !convert::named_as(path).empty();
  return is_promised || std::filesystem::is_directory(path, ignored);
}

tl::unexpected<Error> make_an_archive(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  const std::string archive =
      path.ends_with(".parts") ? path.substr(0, path.rfind('.')) : path + ".rondo";
  return fail(ErrorCode::kFormat,
              fmt::format("is a folder of parts that a recorder left behind; make an archive of "
                          "it first: rondo convert {} {}",
                          escape::shell(path), escape::shell(archive)),
              {path, {}, {}, {}});
}

// Nothing for a file that archive::read() is for.
std::optional<Result<convert::Imported>> import_trace(const std::string& path) {
  const auto kind = convert::detect_input(path);
  if (is_refused(path, kind)) return Result<convert::Imported>(propagate(kind));
  if (!kind) return std::nullopt;
  convert::ImportOptions with_stamps;
  with_stamps.all_times = true;
  switch (*kind) {
  case convert::InputKind::kParaver:
    return import_by(convert::read_paraver, path, with_stamps);
  case convert::InputKind::kOtf2:
    return import_by(convert::read_otf2, path, with_stamps);
  case convert::InputKind::kAllprof:
    return import_by(convert::read_allprof, path, with_stamps);
  case convert::InputKind::kChakra:
    return import_by(convert::read_chakra, path, with_stamps);
  case convert::InputKind::kDumpi:
    return import_by(convert::read_dumpi, path, with_stamps);
  case convert::InputKind::kGoal: // so that computation is that of each call
    return import_by(convert::read_goal, path, with_stamps);
  case convert::InputKind::kSimgridTi: // which has none
    return import_by(convert::read_simgrid_ti, path, convert::SimgridTiOptions{});
  case convert::InputKind::kParts:
    return make_an_archive(path);
  case convert::InputKind::kRondo:
    break;
  }
  return std::nullopt;
}

// A file that only some commands read, by its name.
Status refuse_matrix(const std::string& path) {
  if (!path.ends_with(".csv") && !path.ends_with(".mtx")) return {};
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return {};
  return fail(
      ErrorCode::kUnsupported,
      "is a matrix of messages, which has no calls: rondo matrix and rondo topology read it",
      {path, {}, {}, {}});
}

// Else "0 messages" would be taken for what the program does.
void warn_of_choice(const std::string& path, const trace::Trace& trace) {
  if (trace.run.choice.empty()) return;
  warn(path, {fmt::format("not all calls were recorded ({}): no number here has the others",
                          escape::terminal(trace.run.choice))});
}

// "an OTF2 trace", "a Paraver trace"
std::string with_article(const std::string& noun) {
  const bool is_vowel =
      !noun.empty() && std::string_view("AEIO").find(noun.front()) != std::string_view::npos;
  return (is_vowel ? "an " : "a ") + noun;
}

} // namespace

Result<trace::Trace> open_trace(const std::string& path) {
  if (const trace::Trace* known = session() == nullptr ? nullptr : session()->offered(path))
    return *known;
  if (auto is_trace = refuse_matrix(path); !is_trace) return propagate(is_trace);
  auto imported = import_trace(path);
  if (!imported) {
    auto read = archive::read(path);
    if (read) warn_of_choice(path, *read);
    return read;
  }
  if (!*imported) return propagate(*imported);
  const std::size_t remarks = (*imported)->remarks.size();
  if (remarks > 0) {
    warn(path,
         {fmt::format("is {}; {} open or left out, which rondo convert says",
                      with_article((*imported)->trace.run.mpi),
                      remarks == 1 ? "one thing is" : fmt::format("{} things are", remarks))});
  }
  return std::move((*imported)->trace);
}

Result<OpenedArchive> open_as_archive(const std::string& path) {
  if (auto is_trace = refuse_matrix(path); !is_trace) return propagate(is_trace);
  const auto kind = convert::detect_input(path);
  if (is_refused(path, kind)) return propagate(kind);
  if (kind && *kind == convert::InputKind::kParts) return make_an_archive(path);
  if (!kind || *kind == convert::InputKind::kRondo) {
    const auto mapped = map_file(path);
    if (!mapped) return propagate(mapped);
    return OpenedArchive{mapped->view, mapped->owner};
  }
  const auto trace = open_trace(path);
  if (!trace) return propagate(trace);
  const auto bytes = std::make_shared<const std::string>(archive::encode(*trace));
  return OpenedArchive{*bytes, bytes};
}

} // namespace rondo::cli
