// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/part_files.hpp"

#include "archive/image.hpp"
#include "rondo/archive/part_codec.hpp"
#include "rondo/base/file_limit.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/fold/communicator_slots.hpp"
#include "rondo/fold/rejoin.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::archive {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "\x93RPART2\n"; // eight bytes
constexpr std::size_t kPartHead = kMagic.size() + 8; // and a checksum
constexpr std::int64_t kMostPartRanks = std::int64_t{1}
                                        << 26; // beyond any machine: a damaged number
constexpr std::string_view kExtension = ".part";
constexpr std::string_view kUnfinished = ".new";

template <class Integer> bool parse(std::string_view text, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

} // namespace

std::optional<PartName> parse_part_name(std::string_view file) {
  if (!file.ends_with(kExtension)) return std::nullopt;
  file.remove_suffix(kExtension.size());
  const std::size_t chunk_dot = file.rfind('.');
  if (chunk_dot == std::string_view::npos || chunk_dot == 0) return std::nullopt;
  const std::size_t rank_dot = file.rfind('.', chunk_dot - 1);
  if (rank_dot == std::string_view::npos) return std::nullopt;
  PartName name;
  name.run = file.substr(0, rank_dot);
  if (!parse(file.substr(rank_dot + 1, chunk_dot - rank_dot - 1), name.rank)) return std::nullopt;
  if (!parse(file.substr(chunk_dot + 1), name.chunk)) return std::nullopt;
  return name;
}

namespace {

std::string head_of(std::string_view encoded) {
  std::string head(kMagic);
  const std::uint64_t sum = XXH3_64bits(encoded.data(), encoded.size());
  for (int i = 0; i < 8; ++i) head += static_cast<char>(sum >> (8 * i));
  return head;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Result<fold::RecordingPart> read_part(const std::string& path) {
  const auto bytes = map_file(path);
  if (!bytes) return propagate(bytes);
  const std::string_view view = bytes->view;
  if (view.size() < kPartHead || !view.starts_with(kMagic))
    return fail(ErrorCode::kFormat, "is no part of a recording", {path, {}, {}, {}});
  if (head_of(view.substr(kPartHead)) != view.substr(0, kPartHead))
    return fail(ErrorCode::kDamaged, "is cut or damaged", {path, {}, {}, {}});
  Budget budget = Budget::of_file(view.size());
  auto part = decode_part(view.substr(kPartHead), bytes->owner, &budget);
  if (part && part->run.ranks > 0) // a row for each, whoever of them left something
    budget.take_items(static_cast<std::uint64_t>(part->run.ranks), sizeof(trace::RankFacts));
  if (budget.is_spent()) return tl::unexpected<Error>(budget.error(path));
  if (!part) return fail(ErrorCode::kDamaged, part.error().message, {path, {}, {}, {}});
  return part;
}

using Chunks = std::map<std::uint32_t, std::string>; // number -> path

Result<std::vector<std::pair<PartName, fs::path>>> parts_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::pair<PartName, fs::path>> parts;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    std::error_code unknown;
    auto name = parse_part_name(entry->path().filename().string());
    if (name && entry->is_regular_file(unknown)) // no pipe that somebody put there
      parts.emplace_back(std::move(*name), entry->path());
  }
  if (error)
    return fail(ErrorCode::kNotFound, "cannot read this folder: " + error.message(),
                {folder, {}, {}, {}});
  return parts;
}

bool is_of_rank(const fold::RecordingPart& part, std::int64_t rank) {
  const std::int64_t ranks = part.run.ranks;
  return part.ranks.size() == 1 && part.ranks.front().first == rank && rank < ranks &&
         ranks <= kMostPartRanks && are_tables_consistent(part.tables, ranks);
}

// What can be read of a rank: chunks up to the first that is missing or damaged, which is remarked.
std::optional<fold::RecordingPart> read_rank(std::int64_t rank, const Chunks& chunks,
                                             Collected& collected) {
  std::vector<fold::RecordingPart> parts;
  for (const auto& [number, path] : chunks) {
    const std::size_t wanted = parts.size();
    auto part = read_part(path);
    const bool fits = part && number == wanted && is_of_rank(*part, rank);
    if (fits) {
      parts.push_back(std::move(*part));
      continue;
    }
    collected.remarks.push_back(
        "rank " + std::to_string(rank) + ": " +
        (part ? "chunk " + std::to_string(wanted) + " is missing or another's"
              : part.error().text()) +
        "; its calls end there");
    break;
  }
  if (parts.empty()) return std::nullopt;
  auto joined = fold::rejoin(std::move(parts));
  if (joined) return std::move(*joined);
  collected.remarks.push_back("rank " + std::to_string(rank) + ": " + joined.error().text());
  return std::nullopt;
}

std::string summary(const trace::Trace& trace) {
  std::size_t finalized = 0;
  for (const trace::RankFacts& rank : trace.ranks)
    finalized += rank.ending->kind == trace::Ending::kFinalized;
  return "what is here of " + std::to_string(trace.ranks.size() - finalized) + " of " +
         std::to_string(trace.ranks.size()) + " ranks ends before MPI_Finalize";
}

} // namespace

std::string PartName::file() const {
  return run + "." + std::to_string(rank) + "." + std::to_string(chunk) + std::string(kExtension);
}

std::string parts_folder(const std::string& output) { return output + ".parts"; }

bool is_parts_folder(const std::string& path) {
  const auto parts = parts_in(path);
  return parts && !parts->empty();
}

Status write_part(const std::string& folder, const PartName& name, std::string_view encoded) {
  return write_part_file(folder, name, head_of(encoded) + std::string(encoded));
}

Status write_part_file(const std::string& folder, const PartName& name, std::string_view bytes) {
  const std::string path = folder + "/" + name.file();
  const std::string temporary = path + std::string(kUnfinished);
  // One that a killed rank left behind goes; what others may plant is never written through.
  ::unlink(temporary.c_str());
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = ::open(temporary.c_str(), kFlags, 0666);
  if (file < 0 && errno == ENOENT) {
    ::mkdir(folder.c_str(), 0777); // another rank may be faster: open() tells
    file = ::open(temporary.c_str(), kFlags, 0666);
  }
  bool written = file >= 0 && may_write_file_of(bytes.size()) && write_all(file, bytes);
  int reason = errno;
  if (file >= 0 && ::close(file) != 0 && written) { // some file systems say it only now
    reason = errno;
    written = false;
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (written) reason = errno;
  ::unlink(temporary.c_str());
  return fail(ErrorCode::kIo, std::string("cannot write: ") + std::strerror(reason),
              {path, {}, {}, {}});
}

void remove_part(const std::string& folder, const PartName& name) {
  ::unlink((folder + "/" + name.file()).c_str());
}

Result<std::vector<std::string>> runs_in(const std::string& folder) {
  const auto parts = parts_in(folder);
  if (!parts) return propagate(parts);
  std::map<std::string, fs::file_time_type> latest;
  for (const auto& [name, path] : *parts) {
    std::error_code error;
    auto& time = latest.emplace(name.run, fs::file_time_type::min()).first->second;
    time = std::max(time, fs::last_write_time(path, error));
  }
  std::vector<std::string> runs;
  for (const auto& [run, time] : latest) runs.push_back(run);
  sort_stably(runs.begin(), runs.end(),
              [&](const std::string& a, const std::string& b) { return latest[a] > latest[b]; });
  return runs;
}

namespace {

// Whether all ranks came to their end, and all that they wrote could be read.
void note_completeness(Collected& collected) {
  trace::RunFacts& facts = collected.trace.run;
  const bool all = std::all_of(
      collected.trace.ranks.begin(), collected.trace.ranks.end(),
      [](const trace::RankFacts& rank) { return rank.ending->kind == trace::Ending::kFinalized; });
  if (!all) {
    facts.notes = summary(collected.trace) + (facts.notes.empty() ? "" : "; ") + facts.notes;
  }
  facts.complete = facts.complete && all && collected.remarks.empty();
}

} // namespace

Result<Collected> collect(const std::string& folder, const std::string& run,
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const auto parts = parts_in(folder);
  if (!parts) return propagate(parts);
  Collected collected;
  std::map<std::int64_t, Chunks> chunks_of;
  for (const auto& [name, path] : *parts) {
    if (name.run != run) continue;
    collected.files.push_back(path.string() +
                              std::string(kUnfinished)); // a rank was killed writing it
    chunks_of[name.rank][name.chunk] = path.string();
    collected.files.push_back(path.string());
  }
  std::optional<fold::RecordingPart> whole;
  fold::SlotAgreement slots;
  std::uint64_t done = 0;
  for (const auto& [rank, chunks] : chunks_of) {
    auto part = read_rank(rank, chunks, collected);
    if (progress) progress(++done, chunks_of.size());
    if (!part) continue; // and that has been remarked
    fold::rename_slots(*part, slots.add(fold::comm_rows(*part)));
    if (!whole) {
      whole = std::move(*part);
    } else {
      fold::merge(*whole, std::move(*part));
    }
  }
  if (!whole) {
    return fail(chunks_of.empty() ? ErrorCode::kNotFound : ErrorCode::kDamaged,
                chunks_of.empty() ? "there is no part of run '" + run + "' here"
                                  : "no part of run '" + run + "' can be read",
                {folder, {}, {}, {}});
  }
  collected.trace = fold::resolve(std::move(*whole));
  note_completeness(collected);
  return collected;
}

} // namespace rondo::archive
