// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/simgrid_ti.hpp"

#include "convert/calls/read_together.hpp"
#include "convert/simgrid_ti/one_text.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/simgrid_ti/rank_folder.hpp"
#include "convert/simgrid_ti/tar_reader.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "rondo/base/command_line.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using internal::FoldedRanks;
using internal::LineReader;
using internal::MergeForest;
using internal::Meter;
using internal::RankFolder;
using internal::Share;
using internal::Unsaid;

constexpr std::uint64_t kLinesBetweenReports = 1 << 14;

// The error of a line, with its place.
tl::unexpected<Error> at_line(Error error, const LineReader& lines, std::int64_t rank) {
  error.place = {lines.file(), rank, {}, lines.line()};
  return tl::unexpected<Error>(std::move(error));
}

Result<FoldedRanks> fold_rank(LineReader& lines, std::int64_t rank, std::int64_t ranks,
                              const SimgridTiOptions& options, Meter& meter) {
  RankFolder folder(rank, ranks, options);
  std::uint64_t reported = 0;
  for (;;) {
    const auto line = lines.next();
    if (!line) return propagate(line);
    if (line->is_end) break;
    auto added = folder.add(line->text);
    // A last line without its end is taken if it is the right one; any other may have lost digits.
    if (!line->is_whole && (!added || !folder.is_finalized())) {
      added = fail(ErrorCode::kDamaged,
                   "the file ends in the middle of this line; expected finalize as the last line");
    }
    if (!added) return at_line(added.error(), lines, rank);
    if (lines.line() % kLinesBetweenReports == 0) {
      meter.add(lines.bytes() - reported);
      reported = lines.bytes();
    }
  }
  meter.add(lines.bytes() - reported);
  return folder.finish();
}

Result<nlohmann::json> read_share(const std::vector<std::string>& files,
                                  const SimgridTiOptions& options, const Share& share) {
  Meter meter(options.progress, internal::bytes_of(files, share));
  std::vector<Unsaid> unsaid(share.end - share.first);
  const auto read_rank = [&](std::size_t i) -> Status {
    const std::string& file = files[share.first + i];
    const auto rank = static_cast<std::int64_t>(share.first + i);
    auto source = internal::open_unpacked(file);
    if (!source) return propagate(source);
    LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, file);
    auto one = fold_rank(lines, rank, static_cast<std::int64_t>(files.size()), options, meter);
    if (!one) return propagate(one);
    unsaid[i] = one->unsaid;
    share.parts.add({rank, 1, std::move(one->part)});
    return {};
  };
  auto read = internal::for_each_side_by_side(unsaid.size(), read_rank);
  if (!read) return propagate(read);
  Unsaid all;
  for (const Unsaid& one : unsaid) internal::add_counts(all, one);
  return internal::said_counts(all);
}

Result<std::optional<FoldedRanks>> fold_files(const std::vector<std::string>& files,
                                              const SimgridTiOptions& options) {
  auto whole = internal::read_together(
      options, files.size(), [&](const Share& share) { return read_share(files, options, share); });
  if (!whole) return propagate(whole);
  if (!*whole) return std::optional<FoldedRanks>();
  FoldedRanks folded{std::move((*whole)->part), {}};
  for (const nlohmann::json& said : (*whole)->said)
    internal::add_counts(folded.unsaid, internal::heard_counts<Unsaid>(said));
  return std::optional(std::move(folded));
}

// Packed folders --------------------------------------------------------------------------------

// Calls visit(tar, member, rank) for each rank file in the order in which they are packed.
template <class Visit> Status for_each_member(const std::string& path, Visit visit) {
  auto bytes = internal::open_unpacked(path);
  if (!bytes) return propagate(bytes);
  internal::TarReader tar(**bytes, path);
  for (;;) {
    const auto member = tar.next();
    if (!member) return propagate(member);
    if (member->name.empty()) return {};
    const auto rank = internal::rank_of_name(member->name);
    if (!rank) continue;
    if (Status visited = visit(tar, *member, *rank); !visited) return visited;
  }
}

constexpr std::uint64_t kMostKept = std::uint64_t{1} << 28; // bytes of texts in memory

// Not cleared before it is read.
struct Text {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

// What is in a packed folder. Texts are kept if all of them are few bytes.
struct Packed {
  std::vector<std::pair<std::int64_t, std::string>> named; // as they are packed
  std::vector<Text> texts; // of these; none if they are too long
  std::uint64_t total = 0; // bytes
};

Result<Packed> look_into(const std::string& path) {
  Packed packed;
  bool keeps = true;
  const auto take = [&](internal::TarReader& tar, const internal::TarReader::Member& member,
                        std::int64_t rank) -> Status {
    packed.named.emplace_back(rank, member.name);
    packed.total += member.size;
    keeps = keeps && member.size <= kMostKept && packed.total <= kMostKept;
    if (!keeps) {
      packed.texts.clear();
      return {};
    }
    packed.texts.push_back({std::make_unique_for_overwrite<char[]>(member.size), 0});
    Text& text = packed.texts.back();
    while (text.size < member.size) {
      const auto n = tar.read(text.bytes.get() + text.size, member.size - text.size);
      if (!n) return propagate(n);
      if (*n == 0) break;
      text.size += *n;
    }
    return {};
  };
  if (auto listed = for_each_member(path, take); !listed) return propagate(listed);
  return packed;
}

Result<std::optional<FoldedRanks>> fold_texts(const std::string& path, Packed&& packed,
                                              const SimgridTiOptions& options) {
  Meter meter(options.progress, packed.total);
  const auto ranks = static_cast<std::int64_t>(packed.named.size());
  MergeForest merged(ranks, options.merges);
  std::vector<Unsaid> unsaid(packed.named.size());
  const auto fold_one = [&](std::size_t i) -> Status {
    const auto& [rank, name] = packed.named[i];
    std::string_view left(packed.texts[i].bytes.get(), packed.texts[i].size);
    const auto read = [&left](char* to, std::size_t size) -> Result<std::size_t> {
      const std::size_t n = std::min(size, left.size());
      std::memcpy(to, left.data(), n);
      left.remove_prefix(n);
      return n;
    };
    LineReader lines(read, path + ":" + name);
    auto one = fold_rank(lines, rank, ranks, options, meter);
    if (!one) return propagate(one);
    packed.texts[i] = {};
    unsaid[i] = one->unsaid;
    merged.add({rank, 1, std::move(one->part)});
    return {};
  };
  auto folded = internal::for_each_side_by_side(packed.texts.size(), fold_one);
  if (!folded) return propagate(folded);
  Unsaid all;
  for (const Unsaid& one : unsaid) internal::add_counts(all, one);
  return std::optional(FoldedRanks{std::move(merged.take().front().part), all});
}

// The number of ranks must be known before the first line, so a tar that is too long to be kept is
// run through twice: once for its names.
Result<std::optional<FoldedRanks>> fold_packed(const std::string& path,
                                               const SimgridTiOptions& options) {
  if (options.processes.mine > 0) return std::optional<FoldedRanks>(); // one file, one process
  auto packed = look_into(path);
  if (!packed) return propagate(packed);
  const auto files = internal::files_by_rank(packed->named, path);
  if (!files) return propagate(files);
  if (!packed->texts.empty()) return fold_texts(path, std::move(*packed), options);

  Meter meter(options.progress, packed->total);
  const auto ranks = static_cast<std::int64_t>(files->size());
  MergeForest merged(ranks, options.merges);
  Unsaid unsaid;
  const auto fold_member = [&](internal::TarReader& tar, const internal::TarReader::Member& member,
                               std::int64_t rank) -> Status {
    LineReader lines([&](char* to, std::size_t size) { return tar.read(to, size); },
                     path + ":" + member.name);
    auto one = fold_rank(lines, rank, ranks, options, meter);
    if (!one) return propagate(one);
    internal::add_counts(unsaid, one->unsaid);
    merged.add({rank, 1, std::move(one->part)});
    return {};
  };
  if (auto read = for_each_member(path, fold_member); !read) return propagate(read);
  return std::optional(FoldedRanks{std::move(merged.take().front().part), unsaid});
}

// The whole -------------------------------------------------------------------------------------

// All ranks in one file, by one process.
Result<std::optional<FoldedRanks>> fold_one(const std::string& path,
                                            const SimgridTiOptions& options) {
  if (options.processes.mine > 0) return std::optional<FoldedRanks>();
  auto folded = internal::fold_text(path, options);
  if (!folded) return propagate(folded);
  return std::optional(std::move(*folded));
}

// The files of all ranks, if this is one of them.
std::vector<std::string> files_beside(const std::string& path) {
  const auto rank = internal::rank_of_packed_name(path);
  if (!rank) return {};
  auto files = internal::files_in_folder(fs::absolute(path).parent_path());
  std::error_code error;
  const auto place = static_cast<std::size_t>(*rank);
  if (!files || place >= files->size() || !fs::equivalent((*files)[place], path, error)) return {};
  return std::move(*files);
}

bool looks_packed(std::string_view start) {
  return start.starts_with("\x28\xb5\x2f\xfd") || internal::TarReader::is_tar(start);
}

Result<std::optional<FoldedRanks>> fold_all(const std::string& path,
                                            const SimgridTiOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const auto files = internal::files_in_folder(path);
    return files ? fold_files(*files, options) : propagate(files);
  }
  const auto start = internal::first_bytes(path);
  if (!start) return propagate(start);
  const std::string text = internal::first_unpacked_bytes(path).value_or("");
  if (internal::is_actions(text)) {
    const auto files =
        internal::has_several_ranks(text) ? std::vector<std::string>() : files_beside(path);
    return files.size() > 1 ? fold_files(files, options) : fold_one(path, options);
  }
  if (looks_packed(*start)) return fold_packed(path, options);
  const auto files = internal::files_in_list(path);
  if (!files) return propagate(files);
  return files->size() > 1 ? fold_files(*files, options) : fold_one(files->front(), options);
}

std::string name_of_trace(const std::string& path) {
  fs::path place(path);
  if (!place.has_filename()) place = place.parent_path(); // "lu.A.16/"
  std::string name = place.filename().string();
  for (const std::string_view packed : {".zst", ".tar"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name;
}

} // namespace

Result<Imported> read_simgrid_ti(const std::string& path, const SimgridTiOptions& options) {
  if (!(options.flops_per_second > 0)) {
    return fail(ErrorCode::kUsage, "the computing speed must be more than 0 flop/s");
  }
  auto folded = fold_all(path, options);
  if (!folded) return propagate(folded);
  if (!*folded) return Imported{.is_elsewhere = true};
  fold::RecordingPart& part = (*folded)->part;
  part.run.command = command_line({name_of_trace(path)});
  part.run.mpi = "SimGrid time-independent trace";
  part.run.recorder = "rondo " RONDO_VERSION " from a SimGrid trace";
  part.run.thread_level = -1; // not said
  part.run.ranks = static_cast<std::int64_t>(part.ranks.size());
  if (const std::uint64_t ranks = (*folded)->unsaid.unfinished_ranks; ranks > 0) {
    part.run.notes =
        std::to_string(ranks) + (ranks == 1 ? " rank ends" : " ranks end") + " without finalize";
  }
  return Imported{fold::resolve(std::move(part), options.merges), (*folded)->unsaid.remarks()};
}

} // namespace rondo::convert
