// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/dumpi.hpp"

#include "convert/calls/each_rank.hpp"
#include "convert/dumpi/dumpi_rank.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/budget.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

namespace fs = std::filesystem;

// "run/dumpi-2013-0003.bin" -> "dumpi-2013", 3.
std::optional<std::pair<std::string, std::int64_t>> parts_of_name(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t dash = stem.rfind('-');
  std::int64_t rank = 0;
  if (file.extension() != ".bin" || dash == std::string::npos) return std::nullopt;
  if (!parse(std::string_view(stem).substr(dash + 1), rank) || rank < 0) return std::nullopt;
  return std::pair(stem.substr(0, dash), rank);
}

struct DumpiRunFiles {
  std::string prefix;
  std::int64_t ranks = -1; // as the .meta file says
};

Result<DumpiRunFiles> run_of_meta(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return propagate(text);
  DumpiRunFiles run;
  for (std::string_view left = *text; !left.empty();) {
    std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("numprocs=")) parse(line.substr(9), run.ranks);
    if (line.starts_with("fileprefix="))
      run.prefix = fs::path(std::string(line.substr(11))).filename().string();
  }
  if (run.prefix.empty() || run.ranks <= 0)
    return fail(ErrorCode::kFormat, "has no numprocs=N and fileprefix=NAME", {path, {}, {}, {}});
  return run;
}

Result<std::vector<std::string>> files_of_run(const fs::path& folder, const DumpiRunFiles& run) {
  std::vector<std::pair<std::int64_t, std::string>> named;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto parts = parts_of_name(entry.path());
    if (parts && parts->first == run.prefix)
      named.emplace_back(parts->second, entry.path().string());
  }
  auto files = files_by_rank(std::move(named), folder.string());
  if (!files) return propagate(files);
  if (run.ranks >= 0 && static_cast<std::int64_t>(files->size()) != run.ranks)
    return fail(ErrorCode::kNotFound,
                sentence("there are files of ", counted(files->size(), "rank"), ", but ",
                         run.prefix, ".meta says ", std::to_string(run.ranks)),
                {folder.string(), {}, {}, {}});
  return files;
}

Result<std::vector<std::string>> files_of(const std::string& path) {
  const fs::path file = fs::absolute(path);
  const auto start = first_bytes(path);
  if (!start) return propagate(start);
  if (start->starts_with('\xff')) {
    const auto parts = parts_of_name(file);
    if (!parts) return std::vector<std::string>{path}; // a name of somebody's own: one rank
    return files_of_run(file.parent_path(), {parts->first, -1});
  }
  const auto run = run_of_meta(path);
  if (!run) return propagate(run);
  return files_of_run(file.parent_path(), *run);
}

// When the first rank was first heard of: the clocks of all hosts are taken as one.
Result<std::uint64_t> first_wall_ns(const std::vector<std::string>& files) {
  std::uint64_t first_ns = ~std::uint64_t{0};
  for (const std::string& path : files) {
    auto file = DumpiFile::open(path);
    if (!file) return propagate(file);
    DumpiRecord record;
    const auto more = file->next(record);
    if (!more) return propagate(more);
    if (*more && record.has_wall) first_ns = std::min(first_ns, record.begin_ns);
  }
  return first_ns == ~std::uint64_t{0} ? 0 : first_ns;
}

class DumpiReader {
public:
  DumpiReader(const std::vector<std::string>& files, const ImportOptions& options)
      : files_(files), options_(options), ranks_(files.size()) {}

  Result<Imported> read(const std::string& name) {
    const auto base_ns = first_wall_ns(files_);
    if (!base_ns) return propagate(base_ns);
    std::uint64_t total = 0;
    std::error_code error;
    for (const std::string& path : files_) total += fs::file_size(path, error);
    Meter meter(options_.progress, total);
    auto read = for_each_side_by_side(
        files_.size(), [&](std::size_t rank) { return read_rank(rank, *base_ns, meter); });
    if (!read) return propagate(read);
    std::uint64_t end_ns = 0;
    DumpiCounts counts;
    std::vector<std::vector<DumpiCreation>> creations; // by rank
    std::vector<fold::Part> parts;
    for (Rank& rank : ranks_) {
      end_ns = std::max(end_ns, rank.end_ns);
      counts.add(rank.counts);
      creations.push_back(std::move(rank.creations));
      parts.push_back(std::move(rank.part));
    }
    for (fold::Part& part : parts) part.ranks.front().second.span_ns = end_ns;
    DumpiCommunicators comms = dumpi_communicators(creations);
    counts.unknown_comms = comms.unknown;
    parts.front().tables.comms = std::move(comms.definitions);
    fold::Part whole = merge_parts(parts, options_.merges);
    whole.run.command = command_.empty() ? name : command_;
    whole.run.mpi = "DUMPI trace";
    whole.run.recorder = "rondo " RONDO_VERSION " from DUMPI traces";
    whole.run.thread_level = -1; // not said
    whole.run.ranks = static_cast<std::int64_t>(files_.size());
    whole.run.start_unix_ns = static_cast<std::int64_t>(*base_ns);
    trace::Trace trace = fold::resolve(std::move(whole), options_.merges);
    if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
    return Imported{std::move(trace), counts.remarks()};
  }

private:
  struct Rank {
    fold::Part part;
    DumpiCounts counts;
    std::vector<DumpiCreation> creations;
    std::uint64_t end_ns = 0;
  };

  Status read_rank(std::size_t rank, std::uint64_t base_ns, Meter& meter) {
    constexpr std::uint64_t kBytesOfRecord = 16; // at least
    auto file = DumpiFile::open(files_[rank]);
    if (!file) return propagate(file);
    Budget budget = Budget::of_file(file->bytes());
    Rank& read = ranks_[rank];
    DumpiRank calls(options_, read.counts, *file, static_cast<std::int64_t>(rank),
                    static_cast<std::int64_t>(files_.size()), base_ns);
    DumpiRecord record;
    for (;;) {
      auto more = file->next(record);
      if (!more) {
        Error error = more.error();
        error.place.rank = static_cast<std::int64_t>(rank);
        return tl::unexpected<Error>(std::move(error));
      }
      if (!*more) break;
      if (!budget.take_items(1, kBytesOfRecord))
        return tl::unexpected<Error>(budget.error(files_[rank]));
      calls.add(record);
    }
    meter.add(file->bytes());
    if (rank == 0) command_ = calls.command();
    read.end_ns = calls.end_ns();
    read.creations = calls.take_creations();
    read.part = calls.finish(calls.end_ns(), static_cast<std::int64_t>(base_ns));
    return {};
  }

  const std::vector<std::string>& files_;
  const ImportOptions& options_;
  std::vector<Rank> ranks_;
  std::string command_;
};

} // namespace
} // namespace internal

Result<std::string> dumpi_run_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> metas, prefixes;
  std::string first;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    const auto parts = internal::parts_of_name(entry.path());
    if (!parts && entry.path().extension() != ".meta") continue;
    const auto start = internal::first_bytes(path);
    if (!start || !is_dumpi(*start)) continue;
    if (!parts)
      metas.push_back(path);
    else if (std::find(prefixes.begin(), prefixes.end(), parts->first) == prefixes.end())
      prefixes.push_back(parts->first);
    if (parts && (first.empty() || path < first)) first = path;
  }
  if (metas.size() > 1 || (metas.empty() && prefixes.size() > 1))
    return fail(ErrorCode::kFormat, "has DUMPI traces of several runs; name one's .meta or .bin",
                {folder, {}, {}, {}});
  return metas.empty() ? first : metas.front();
}

Result<Imported> read_dumpi(const std::string& path, const ImportOptions& options) {
  std::string run = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    const auto found = dumpi_run_in(path);
    if (!found) return propagate(found);
    if (found->empty())
      return fail(ErrorCode::kNotFound, "has no DUMPI trace in it", {path, {}, {}, {}});
    run = *found;
  }
  const auto files = internal::files_of(run);
  if (!files) return propagate(files);
  return internal::DumpiReader(*files, options).read(std::filesystem::path(run).stem().string());
}

} // namespace rondo::convert
