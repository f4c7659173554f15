// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/one_text.hpp"

#include "convert/calls/each_rank.hpp"
#include "convert/calls/merge_forest.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/budget.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

namespace rondo::convert::internal {
namespace {

constexpr std::uint64_t kBytesOfText = 16384; // about what one takes that has a few calls
constexpr std::uint64_t kLinesBetweenReports = 1 << 14;

// The rank in front of an action; nothing for lines that are none: blank ones, comments, words that
// stand alone.
Result<std::optional<std::int64_t>> rank_of_line(std::string_view line,
                                                 std::vector<std::string_view>& tokens) {
  split(line, tokens);
  if (tokens.empty() || tokens[0].front() == '#') return std::optional<std::int64_t>();
  const auto rank = rank_of_token(tokens[0]);
  if (!rank && tokens.size() == 1) return std::optional<std::int64_t>();
  if (!rank || *rank < 0) return bad(sentence("found ", shown(tokens[0]), "; expected a rank"));
  return rank;
}

class RankText {
public:
  explicit RankText(const std::string& path) : path_(path) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    budget_ = Budget::of_file(unknown ? 0 : size);
  }

  Result<FoldedRanks> folded(const SimgridTiOptions& options) {
    if (auto counted = count_ranks(); !counted) return propagate(counted);
    if (auto read = fold_ranks(options); !read) return propagate(read);
    MergeForest merged(static_cast<std::int64_t>(folders_.size()), options.merges);
    Unsaid unsaid;
    for (auto& [rank, folder] : folders_) {
      FoldedRanks one = folder->finish();
      folder.reset();
      add_counts(unsaid, one.unsaid);
      merged.add({rank, 1, std::move(one.part)});
    }
    return FoldedRanks{std::move(merged.take().front().part), unsaid};
  }

private:
  Status fold_ranks(const SimgridTiOptions& options) {
    Meter meter(options.progress, bytes_);
    std::uint64_t reported = 0;
    const auto ranks = static_cast<std::int64_t>(folders_.size());
    for (auto& [rank, folder] : folders_)
      folder = std::make_unique<RankFolder>(rank, ranks, options);
    return for_each_line(
        [&](std::int64_t rank, const LineReader::Line& line, const LineReader& lines) -> Status {
          RankFolder& folder = *folders_.at(rank);
          auto added = folder.add(line.text);
          if (!line.is_whole && (!added || !folder.is_finalized()))
            added = fail(ErrorCode::kDamaged, "the file ends in the middle of this line; expected "
                                              "finalize as the last line of each rank");
          if (lines.line() % kLinesBetweenReports == 0) {
            meter.add(lines.bytes() - reported);
            reported = lines.bytes();
          }
          return added;
        });
  }

  // How many ranks there are must be known before the first call, so the text is read twice.
  Status count_ranks() {
    auto read = for_each_line(
        [this](std::int64_t rank, const LineReader::Line&, const LineReader& lines) -> Status {
          bytes_ = lines.bytes();
          const bool is_new = folders_.try_emplace(rank).second;
          if (is_new && !budget_.take_bytes(kBytesOfText))
            return tl::unexpected<Error>(budget_.error(path_));
          return {};
        });
    if (!read) return read;
    if (folders_.empty())
      return fail(ErrorCode::kFormat, "has no action of any rank", {path_, {}, {}, {}});
    std::int64_t expected = 0;
    for (const auto& [rank, folder] : folders_) {
      if (rank != expected++)
        return fail(ErrorCode::kNotFound,
                    "rank " + std::to_string(expected - 1) + " has no line, but rank " +
                        std::to_string(folders_.rbegin()->first) + " has one",
                    {path_, {}, {}, {}});
    }
    return {};
  }

  // Calls visit(rank, line, lines) for each line of a rank.
  template <class Visit> Status for_each_line(Visit visit) {
    auto source = open_unpacked(path_);
    if (!source) return propagate(source);
    LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, path_);
    std::vector<std::string_view> tokens;
    for (;;) {
      const auto line = lines.next();
      if (!line) return propagate(line);
      if (line->is_end) return {};
      const auto rank = rank_of_line(line->text, tokens);
      Status done;
      if (!rank) {
        done = propagate(rank);
      } else if (*rank) {
        done = visit(**rank, *line, lines);
      }
      if (done) continue;
      Error error = done.error();
      error.place = {path_, {}, {}, lines.line()};
      if (rank && *rank) error.place.rank = **rank;
      return tl::unexpected<Error>(std::move(error));
    }
  }

  std::string path_;
  Budget budget_{0, 0};
  std::uint64_t bytes_ = 0;
  std::map<std::int64_t, std::unique_ptr<RankFolder>> folders_; // by rank
};

// Calls visit(tokens) for each line of what a text begins with, the last one aside, which may be
// cut; until it returns false.
template <class Visit> void for_each_of(std::string_view start, Visit visit) {
  std::vector<std::string_view> tokens;
  for (;;) {
    const std::size_t end = start.find('\n');
    if (end == std::string_view::npos) return;
    std::string_view line = start.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    split(line, tokens);
    if (!tokens.empty() && tokens[0].front() != '#' && !visit(tokens)) return;
    start.remove_prefix(end + 1);
  }
}

} // namespace

bool is_actions(std::string_view start) {
  bool are = false;
  for_each_of(start, [&](const std::vector<std::string_view>& tokens) {
    are = tokens.size() > 1 && rank_of_token(tokens[0]) && !forms_of(tokens[1]).empty();
    return false; // the first one tells
  });
  return are;
}

bool has_several_ranks(std::string_view start) {
  std::optional<std::int64_t> first;
  bool has = false;
  for_each_of(start, [&](const std::vector<std::string_view>& tokens) {
    const auto rank = rank_of_token(tokens[0]);
    if (!first) first = rank;
    has = rank && rank != first;
    return !has;
  });
  return has;
}

Result<FoldedRanks> fold_text(const std::string& path, const SimgridTiOptions& options) {
  return RankText(path).folded(options);
}

} // namespace rondo::convert::internal
