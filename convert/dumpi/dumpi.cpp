// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/dumpi.hpp"

#include "convert/calls/read_together.hpp"
#include "convert/dumpi/dumpi_rank.hpp"
#include "convert/simgrid_ti/rank_files.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/command_line.hpp"

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

nlohmann::json json_of(const std::vector<DumpiCreation>& creations) {
  nlohmann::json all = nlohmann::json::array();
  for (const DumpiCreation& one : creations)
    all.push_back({one.kind, one.parent, one.color, one.key, one.dims, one.made});
  return all;
}

std::vector<DumpiCreation> creations_of(const nlohmann::json& all) {
  std::vector<DumpiCreation> creations;
  for (const nlohmann::json& one : all)
    creations.push_back({one[0], one[1], one[2], one[3], one[4], one[5]});
  return creations;
}

class DumpiReader {
public:
  DumpiReader(const std::vector<std::string>& files, const ImportOptions& options)
      : files_(files), options_(options) {}

  Result<Imported> read(const std::string& name) {
    const auto base_ns = first_wall_ns(files_);
    if (!base_ns) return propagate(base_ns);
    auto whole = read_together(options_, files_.size(),
                               [&](const Share& share) { return read_share(share, *base_ns); });
    if (!whole) return propagate(whole);
    if (!*whole) return Imported{.is_elsewhere = true};
    return finish(name, *base_ns, std::move(**whole));
  }

private:
  struct Rank {
    DumpiCounts counts;
    std::string command;
    std::vector<DumpiCreation> creations;
    std::uint64_t end_ns = 0;
  };

  Result<nlohmann::json> read_share(const Share& share, std::uint64_t base_ns) {
    Meter meter(options_.progress, bytes_of(files_, share));
    std::vector<Rank> ranks(share.end - share.first);
    auto read = for_each_side_by_side(ranks.size(), [&](std::size_t i) {
      return read_rank(share, share.first + i, base_ns, ranks[i], meter);
    });
    if (!read) return propagate(read);
    Rank all;
    nlohmann::json creations = nlohmann::json::array(); // by rank
    for (const Rank& rank : ranks) {
      add_counts(all.counts, rank.counts);
      all.end_ns = std::max(all.end_ns, rank.end_ns);
      creations.push_back(json_of(rank.creations));
    }
    return nlohmann::json{{"counts", said_counts(all.counts)},
                          {"command", ranks.front().command},
                          {"creations", std::move(creations)},
                          {"end", all.end_ns}};
  }

  Status read_rank(const Share& share, std::size_t rank, std::uint64_t base_ns, Rank& read,
                   Meter& meter) {
    constexpr std::uint64_t kBytesOfRecord = 16; // at least
    auto file = DumpiFile::open(files_[rank]);
    if (!file) return propagate(file);
    Budget budget = Budget::of_file(file->bytes());
    const auto number = static_cast<std::int64_t>(rank);
    DumpiRank calls(options_, read.counts, *file, number, static_cast<std::int64_t>(files_.size()),
                    base_ns);
    DumpiRecord record;
    for (;;) {
      auto more = file->next(record);
      if (!more) {
        Error error = more.error();
        error.place.rank = number;
        return tl::unexpected<Error>(std::move(error));
      }
      if (!*more) break;
      if (!budget.take_items(1, kBytesOfRecord))
        return tl::unexpected<Error>(budget.error(files_[rank]));
      calls.add(record);
    }
    meter.add(file->bytes());
    read.command = calls.command();
    read.end_ns = calls.end_ns();
    read.creations = calls.take_creations();
    share.parts.add({number, 1, calls.finish(calls.end_ns(), static_cast<std::int64_t>(base_ns))});
    return {};
  }

  Imported finish(const std::string& name, std::uint64_t base_ns, Whole&& read) {
    std::uint64_t end_ns = 0;
    DumpiCounts counts;
    std::vector<std::vector<DumpiCreation>> creations; // by rank
    for (const nlohmann::json& said : read.said) {
      add_counts(counts, heard_counts<DumpiCounts>(said["counts"]));
      end_ns = std::max<std::uint64_t>(end_ns, said["end"]);
      for (const nlohmann::json& rank : said["creations"]) creations.push_back(creations_of(rank));
    }
    fold::RecordingPart& whole = read.part;
    set_span(whole, end_ns);
    DumpiCommunicators comms = dumpi_communicators(creations);
    counts.unknown_comms = comms.unknown;
    whole.tables.comms = std::move(comms.definitions);
    const std::string command = read.said.front()["command"];
    whole.run.command = command.empty() ? command_line({name}) : command;
    whole.run.mpi = "DUMPI trace";
    whole.run.recorder = "rondo " RONDO_VERSION " from DUMPI traces";
    whole.run.thread_level = -1; // not said
    whole.run.ranks = static_cast<std::int64_t>(files_.size());
    whole.run.start_unix_ns = static_cast<std::int64_t>(base_ns);
    trace::Trace trace = fold::resolve(std::move(whole), options_.merges);
    if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
    return Imported{std::move(trace), counts.remarks()};
  }

  const std::vector<std::string>& files_;
  const ImportOptions& options_;
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
