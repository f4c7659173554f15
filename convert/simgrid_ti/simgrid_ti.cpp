// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/simgrid_ti.hpp"

#include "convert/calls/each_rank.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/simgrid_ti/rank_folder.hpp"
#include "convert/simgrid_ti/tar_reader.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <tbb/parallel_invoke.h>
#include <utility>

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using internal::FoldedRanks;
using internal::LineReader;
using internal::Meter;
using internal::RankFolder;

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

void join(FoldedRanks& into, FoldedRanks&& from, bool merges) {
  fold::merge(into.part, std::move(from.part), merges);
  into.unsaid.add(from.unsaid);
}

// Ranks [first, first + count), each made by `one`, merged along the tree along which the recorder
// merges.
template <class One>
Result<FoldedRanks> merge_ranks(const One& one, std::int64_t first, std::int64_t count,
                                bool merges) {
  if (count == 1) return one(first);
  const auto left_count =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count - 1)));
  Result<FoldedRanks> left;
  Result<FoldedRanks> right;
  tbb::parallel_invoke(
      [&] { left = merge_ranks(one, first, left_count, merges); },
      [&] { right = merge_ranks(one, first + left_count, count - left_count, merges); });
  if (!left) return left;
  if (!right) return right;
  join(*left, std::move(*right), merges);
  return left;
}

// The same tree for ranks that come in any order: whatever has all its ranks is merged at once.
class MergeTree {
public:
  MergeTree(std::int64_t ranks, bool merges) : ranks_(ranks), merges_(merges) {}

  void add(std::int64_t rank, FoldedRanks&& folded) {
    std::int64_t first = rank;
    std::int64_t size = 1;
    while (size < ranks_) {
      const std::int64_t beside = first ^ size;
      if (beside >= ranks_) { // nobody beside it: it stands for the whole subtree
        size *= 2;
        continue;
      }
      const auto other = subtrees_.find({std::min(first, beside), size * 2});
      if (other == subtrees_.end()) {
        subtrees_.emplace(std::pair(std::min(first, beside), size * 2), std::move(folded));
        return;
      }
      FoldedRanks left = std::move(first < beside ? folded : other->second);
      FoldedRanks right = std::move(first < beside ? other->second : folded);
      subtrees_.erase(other);
      join(left, std::move(right), merges_);
      folded = std::move(left);
      first = std::min(first, beside);
      size *= 2;
    }
    whole_ = std::move(folded);
  }

  FoldedRanks take() { return std::move(whole_); }

private:
  std::int64_t ranks_;
  bool merges_;
  /// The halves that wait for their other half, by first rank and size of the whole.
  std::map<std::pair<std::int64_t, std::int64_t>, FoldedRanks> subtrees_;
  FoldedRanks whole_;
};

Result<FoldedRanks> fold_files(const std::vector<std::string>& files,
                               const SimgridTiOptions& options) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error) total += size;
  }
  Meter meter(options.progress, total);
  const auto ranks = static_cast<std::int64_t>(files.size());
  const auto one = [&](std::int64_t rank) -> Result<FoldedRanks> {
    const std::string& file = files[static_cast<std::size_t>(rank)];
    auto source = internal::open_file(file);
    if (!source) return propagate(source);
    LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, file);
    return fold_rank(lines, rank, ranks, options, meter);
  };
  return merge_ranks(one, 0, ranks, options.merges);
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

// The number of ranks must be known before the first line, so the tar is run through twice: once
// for its names.
Result<FoldedRanks> fold_packed(const std::string& path, const SimgridTiOptions& options) {
  std::vector<std::pair<std::int64_t, std::string>> named;
  std::uint64_t total = 0;
  const auto list = [&](internal::TarReader&, const internal::TarReader::Member& member,
                        std::int64_t rank) -> Status {
    named.emplace_back(rank, member.name);
    total += member.size;
    return {};
  };
  if (auto listed = for_each_member(path, list); !listed) return propagate(listed);
  const auto files = internal::files_by_rank(std::move(named), path);
  if (!files) return propagate(files);

  Meter meter(options.progress, total);
  const auto ranks = static_cast<std::int64_t>(files->size());
  MergeTree merged(ranks, options.merges);
  const auto fold_member = [&](internal::TarReader& tar, const internal::TarReader::Member& member,
                               std::int64_t rank) -> Status {
    LineReader lines([&](char* to, std::size_t size) { return tar.read(to, size); },
                     path + ":" + member.name);
    auto one = fold_rank(lines, rank, ranks, options, meter);
    if (!one) return propagate(one);
    merged.add(rank, std::move(*one));
    return {};
  };
  if (auto read = for_each_member(path, fold_member); !read) return propagate(read);
  return merged.take();
}

// The whole -------------------------------------------------------------------------------------

bool looks_packed(std::string_view start) {
  return start.starts_with("\x28\xb5\x2f\xfd") || internal::TarReader::is_tar(start);
}

Result<FoldedRanks> fold_all(const std::string& path, const SimgridTiOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const auto files = internal::files_in_folder(path);
    return files ? fold_files(*files, options) : propagate(files);
  }
  const auto start = internal::first_bytes(path);
  if (!start) return propagate(start);
  if (looks_packed(*start)) return fold_packed(path, options);
  const auto files = internal::files_in_list(path);
  return files ? fold_files(*files, options) : propagate(files);
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
  fold::Part& part = folded->part;
  part.run.command = name_of_trace(path);
  part.run.mpi = "SimGrid time-independent trace";
  part.run.recorder = "rondo " RONDO_VERSION " from a SimGrid trace";
  part.run.thread_level = -1; // not said
  part.run.ranks = static_cast<std::int64_t>(part.ranks.size());
  if (const std::uint64_t ranks = folded->unsaid.unfinished_ranks; ranks > 0) {
    part.run.notes =
        std::to_string(ranks) + (ranks == 1 ? " rank ends" : " ranks end") + " without finalize";
  }
  return Imported{fold::resolve(std::move(part), options.merges), folded->unsaid.remarks()};
}

} // namespace rondo::convert
