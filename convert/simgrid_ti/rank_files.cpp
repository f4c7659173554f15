// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/rank_files.hpp"

#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace rondo::convert::internal {

namespace fs = std::filesystem;

std::optional<std::int64_t> rank_of_name(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(".txt")) return std::nullopt;
  const std::string_view stem = name.substr(0, name.size() - 4);
  const std::size_t last = stem.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(stem.data() + first, stem.data() + last + 1, rank);
  return error == std::errc() ? std::optional(rank) : std::nullopt;
}

std::optional<std::int64_t> rank_of_packed_name(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) return rank_of_name(path.substr(0, path.size() - ending.size()));
  }
  return rank_of_name(path);
}

Result<std::vector<std::string>>
files_by_rank(std::vector<std::pair<std::int64_t, std::string>> named, const std::string& place) {
  if (named.empty()) {
    return fail(ErrorCode::kNotFound, "no file of a rank in here; expected 0.txt, 1.txt and so on",
                {place, {}, {}, {}});
  }
  std::sort(named.begin(), named.end());
  std::vector<std::string> files;
  for (auto& [rank, file] : named) {
    const auto expected = static_cast<std::int64_t>(files.size());
    if (rank < expected) {
      return fail(ErrorCode::kFormat,
                  files.back() + " and " + file + " are both of rank " + std::to_string(rank),
                  {place, {}, {}, {}});
    }
    if (rank > expected) {
      return fail(ErrorCode::kNotFound,
                  "rank " + std::to_string(expected) + " has no file, but rank " +
                      std::to_string(named.back().first) +
                      " has one; expected a file for every rank",
                  {place, {}, {}, {}});
    }
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<std::string>> files_in_folder(const std::string& folder) {
  std::vector<std::pair<std::int64_t, std::string>> named;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto rank = rank_of_packed_name(entry->path().filename().string());
    if (rank && entry->is_regular_file(ignored)) named.emplace_back(*rank, entry->path().string());
  }
  if (error)
    return fail(ErrorCode::kIo, "cannot read the folder: " + error.message(), {folder, {}, {}, {}});
  return files_by_rank(std::move(named), folder);
}

Result<std::vector<std::string>> files_in_list(const std::string& list) {
  auto source = open_file(list);
  if (!source) return propagate(source);
  LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, list);
  const fs::path folder = fs::path(list).parent_path();
  std::vector<std::string> files;
  for (;;) {
    const auto line = lines.next();
    if (!line) return propagate(line);
    if (line->is_end) break;
    if (line->text.empty()) continue;
    if (line->text.find('\0') != std::string_view::npos || line->text.size() > 4096) {
      return fail(ErrorCode::kFormat,
                  "found no file name; expected a list of the ranks' files, one a line",
                  {list, {}, {}, lines.line()});
    }
    const fs::path named(line->text);
    std::error_code error;
    const bool is_beside = fs::is_regular_file(folder / named, error);
    if (!is_beside && !fs::is_regular_file(named, error)) {
      return fail(ErrorCode::kNotFound,
                  "there is no file '" + named.string() + "'; expected that of rank " +
                      std::to_string(files.size()),
                  {list, {}, {}, lines.line()});
    }
    files.push_back((is_beside ? folder / named : named).string());
  }
  if (files.empty()) {
    return fail(ErrorCode::kFormat, "lists no files; expected those of the ranks, one a line",
                {list, {}, {}, {}});
  }
  return files;
}

} // namespace rondo::convert::internal
