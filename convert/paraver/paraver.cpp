// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/paraver.hpp"

#include "convert/calls/rank_program.hpp"
#include "convert/paraver/record_reader.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/folder_of_text.hpp"
#include "convert/text/line_reader.hpp"
#include "rondo/base/command_line.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

constexpr std::string_view kParaverStart = "#Paraver ";

tl::unexpected<Error> at_paraver_line(Error error, const LineReader& lines) {
  error.place = {lines.file(), {}, {}, lines.line()};
  return tl::unexpected<Error>(std::move(error));
}

std::uint64_t size_of_paraver(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

Status read_records(LineReader& lines, ParaverReader& reader, const ImportOptions& options,
                    std::uint64_t total) {
  constexpr std::uint64_t kLinesBetween = 1 << 16; // reports of progress
  for (;;) {
    const auto line = lines.next();
    if (!line) return propagate(line);
    if (line->is_end) return {};
    auto added = reader.add(line->text);
    if (!added && !line->is_whole)
      added = fail(ErrorCode::kDamaged, "the file ends in the middle of this line; copy it again");
    if (!added) return at_paraver_line(added.error(), lines);
    if (options.progress && lines.line() % kLinesBetween == 0)
      options.progress(lines.bytes(), std::max(total, lines.bytes()));
  }
}

Result<ParaverHeader> read_header(LineReader& lines) {
  const auto line = lines.next();
  if (!line) return propagate(line);
  auto header = parse_paraver_header(line->text);
  if (!header) return at_paraver_line(header.error(), lines);
  return header;
}

trace::Trace trace_of(std::vector<fold::RecordingPart>&& parts, const std::string& path,
                      std::int64_t start_unix_ns, bool merges) {
  const auto ranks = static_cast<std::int64_t>(parts.size());
  fold::RecordingPart whole = merge_parts(parts, merges);
  const std::string stem = beside_paraver(path, "");
  whole.run.command =
      command_line({std::filesystem::path(stem.substr(0, stem.size() - 1)).filename().string()});
  whole.run.mpi = "Paraver trace";
  whole.run.recorder = "rondo " RONDO_VERSION " from a Paraver trace";
  whole.run.thread_level = -1; // not said
  whole.run.ranks = ranks;
  whole.run.start_unix_ns = start_unix_ns;
  return fold::resolve(std::move(whole), merges);
}

struct ReadOnce {
  Imported imported;
  std::optional<ParaverAmends> amends;
};

struct NamesBeside {
  std::array<FunctionNames, kMpiEvents> functions;
  std::vector<std::string> nodes;
};

Result<ReadOnce> read_once(const std::string& path, const NamesBeside& names,
                           const ImportOptions& options, const ParaverAmends& amends) {
  auto source = open_unpacked(path);
  if (!source) return propagate(source);
  LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, path);
  auto header = read_header(lines);
  if (!header) return propagate(header);
  const std::int64_t start_unix_ns = header->start_unix_ns;
  const std::uint64_t size = size_of_paraver(path);
  ParaverReader reader(std::move(*header), options, Budget::of_file(size));
  reader.set_names(names.functions);
  if (auto opened = reader.open_streams(); !opened) return at_paraver_line(opened.error(), lines);
  if (auto amended = reader.amend(amends); !amended) return at_paraver_line(amended.error(), lines);
  if (auto read = read_records(lines, reader, options, size); !read) return propagate(read);
  std::vector<fold::RecordingPart> parts = reader.finish(names.nodes);
  trace::Trace trace = trace_of(std::move(parts), path, start_unix_ns, options.merges);
  if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
  return ReadOnce{{std::move(trace), reader.remarks()}, reader.amends()};
}

} // namespace
} // namespace internal

bool is_paraver(std::string_view start) { return start.starts_with(internal::kParaverStart); }

Result<Imported> read_paraver(const std::string& place, const ImportOptions& options) {
  using namespace internal;
  const auto file = text_trace_at(place);
  if (!file) return propagate(file);
  auto functions = read_function_names(beside_paraver(*file, "pcf"));
  if (!functions) return propagate(functions);
  auto nodes = read_node_names(beside_paraver(*file, "row"));
  if (!nodes) return propagate(nodes);
  const NamesBeside names{std::move(*functions), std::move(*nodes)};
  auto read = read_once(*file, names, options, {});
  if (read && read->amends) read = read_once(*file, names, options, *read->amends);
  if (!read) return propagate(read);
  return std::move(read->imported);
}

} // namespace rondo::convert
