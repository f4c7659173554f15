// SPDX-License-Identifier: Apache-2.0
#include "convert/goal/schedule.hpp"

#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/convert/goal.hpp"

#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

constexpr std::uint64_t kMostGoalSize = std::uint64_t{1} << 60; // bytes or ns: sums do not overflow
constexpr std::uint64_t kMostGoalRanks = 1 << 28;
constexpr std::uint64_t kBytesOfRank = 4096; // a program of its own, while it is folded
constexpr std::uint64_t kBytesOfOperation = 64; // with its label

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words, numbers and single signs of a line; "1b" is two. Comments are no tokens.
class GoalTokens {
public:
  void take(std::string_view line) {
    tokens_.clear();
    next_ = 0;
    std::size_t at = 0;
    while (at < line.size()) at = is_in_comment_ ? skip_comment(line, at) : token(line, at);
  }
  std::string_view peek() const {
    return next_ < tokens_.size() ? tokens_[next_] : std::string_view();
  }
  std::string_view next() {
    const std::string_view token = peek();
    if (next_ < tokens_.size()) ++next_;
    return token;
  }
  bool accept(std::string_view token) {
    const bool is_it = peek() == token;
    if (is_it) ++next_;
    return is_it;
  }
  bool is_in_comment() const { return is_in_comment_; }

private:
  std::size_t skip_comment(std::string_view line, std::size_t at) {
    const std::size_t end = line.find("*/", at);
    is_in_comment_ = end == std::string_view::npos;
    return is_in_comment_ ? line.size() : end + 2;
  }

  std::size_t token(std::string_view line, std::size_t at) {
    const char c = line[at];
    if (c == ' ' || c == '\t' || c == '\r') return at + 1;
    if (line.substr(at).starts_with("//")) return line.size();
    if (line.substr(at).starts_with("/*")) {
      is_in_comment_ = true;
      return at + 2;
    }
    std::size_t end = at + 1;
    if (is_letter(c))
      while (end < line.size() && (is_letter(line[end]) || is_digit(line[end]) || line[end] == '_'))
        ++end;
    else if (is_digit(c) || c == '-')
      while (end < line.size() && is_digit(line[end])) ++end;
    tokens_.push_back(line.substr(at, end - at));
    return end;
  }

  std::vector<std::string_view> tokens_;
  std::size_t next_ = 0;
  bool is_in_comment_ = false;
};

class ScheduleReader {
public:
  ScheduleReader(const std::string& path, Budget budget, const Progress& progress)
      : path_(path), budget_(budget), progress_(progress) {}

  Result<GoalSchedule> read() {
    auto opened = open_unpacked(path_);
    if (!opened) return propagate(opened);
    const std::shared_ptr<ByteSource> source = std::move(*opened);
    LineReader lines([source](char* to, std::size_t size) { return source->read(to, size); },
                     path_);
    std::error_code unknown;
    const std::uint64_t total = std::filesystem::file_size(path_, unknown);
    for (;;) {
      const auto line = lines.next();
      if (!line) return propagate(line);
      if (line->is_end) break;
      line_ = lines.line();
      tokens_.take(line->text);
      while (!tokens_.peek().empty()) {
        if (auto done = item(); !done) return placed(done.error());
      }
      constexpr std::uint64_t kLinesBetween = 1 << 16; // reports of progress
      if (progress_ && line_ % kLinesBetween == 0)
        progress_(lines.bytes(), std::max(total, lines.bytes()));
    }
    if (is_in_rank_ || tokens_.is_in_comment()) {
      return placed({ErrorCode::kDamaged,
                     is_in_rank_ ? "the text ends within a rank; copy it again, or close it by '}'"
                                 : "the text ends within a comment",
                     {}});
    }
    if (!has_ranks_) return placed(bad("has no num_ranks").value());
    return std::move(schedule_);
  }

private:
  tl::unexpected<Error> placed(Error error) const {
    if (error.place.file.empty()) error.place = {path_, {}, {}, line_};
    return tl::unexpected<Error>(std::move(error));
  }

  tl::unexpected<Error> expected(const char* what) const {
    const std::string_view found = tokens_.peek();
    return bad(sentence("found ", found.empty() ? "the end of the line" : shown(found),
                        "; expected ", what));
  }

  Result<std::uint64_t> number(const char* what, std::uint64_t most) {
    std::uint64_t value = 0;
    if (!parse(tokens_.peek(), value) || value > most) return expected(what);
    tokens_.next();
    return value;
  }

  Status item() {
    if (tokens_.accept("num_ranks")) return begin_schedule();
    if (tokens_.accept("rank")) return begin_rank();
    if (!is_in_rank_) return expected(has_ranks_ ? "'rank'" : "'num_ranks'");
    if (tokens_.accept("}")) return end_rank();
    return labelled();
  }

  Status begin_schedule() {
    if (has_ranks_) return bad("num_ranks stands here a second time");
    const auto ranks = number("a number of ranks", kMostGoalRanks);
    if (!ranks) return propagate(ranks);
    if (*ranks == 0) return bad("has no ranks");
    if (!budget_.take_items(*ranks, kBytesOfRank)) return tl::unexpected(budget_.error(path_));
    schedule_.ranks.resize(*ranks);
    has_ranks_ = true;
    return {};
  }

  Status begin_rank() {
    if (!has_ranks_) return bad("a rank stands before num_ranks");
    if (is_in_rank_) return bad("a rank begins within another; '}' is missing before it");
    const auto rank = number("a rank below num_ranks", schedule_.ranks.size() - 1);
    if (!rank) return propagate(rank);
    if (!tokens_.accept("{")) return expected("'{'");
    rank_ = &schedule_.ranks[*rank];
    if (rank_->line != 0)
      return bad(sentence("rank ", std::to_string(*rank), " stands in line ",
                          std::to_string(rank_->line), " already"));
    rank_->line = line_;
    is_in_rank_ = true;
    return {};
  }

  // Labels may be used before the line that they stand at: all are known now.
  Status end_rank() {
    for (const auto& [dependency, labels] : open_) {
      const auto later = labels_.find(labels.first);
      const auto earlier = labels_.find(labels.second);
      if (later == labels_.end() || earlier == labels_.end()) {
        const std::string& unknown = later == labels_.end() ? labels.first : labels.second;
        Error error = bad(sentence("the label ", shown(unknown),
                                   " stands at no operation of this "
                                   "rank"))
                          .value();
        error.place = {path_, {}, {}, dependency.line};
        return tl::unexpected<Error>(std::move(error));
      }
      rank_->dependencies.push_back({later->second, earlier->second, dependency.on_start});
    }
    open_.clear();
    labels_.clear();
    is_in_rank_ = false;
    return {};
  }

  Status labelled() {
    const std::string_view first = tokens_.peek();
    if (first == "send" || first == "recv" || first == "calc") return operation({});
    if (!is_letter(first.front())) return expected("an operation, a label or '}'");
    const std::string label(tokens_.next());
    if (tokens_.accept(":")) return operation(label);
    const bool on_start = tokens_.peek() == "irequires";
    if (!on_start && tokens_.peek() != "requires")
      return expected("':', 'requires' or 'irequires' behind a label");
    tokens_.next();
    if (tokens_.peek().empty() || !is_letter(tokens_.peek().front())) return expected("a label");
    return depend(label, std::string(tokens_.next()), on_start);
  }

  Status depend(const std::string& later, const std::string& earlier, bool on_start) {
    if (!budget_.take_items(1, sizeof(GoalDependency))) return tl::unexpected(budget_.error(path_));
    const auto first = labels_.find(later);
    const auto second = labels_.find(earlier);
    if (first != labels_.end() && second != labels_.end())
      rank_->dependencies.push_back({first->second, second->second, on_start});
    else
      open_.push_back({{line_, on_start}, {later, earlier}});
    return {};
  }

  Status operation(const std::string& label) {
    GoalOperation made;
    const std::string_view what = tokens_.next();
    if (what == "calc") {
      const auto ns = number("an amount of computation in ns", kMostGoalSize);
      if (!ns) return propagate(ns);
      made.size = *ns;
    } else if (what == "send" || what == "recv") {
      made.kind = what == "send" ? GoalOperation::Kind::kSend : GoalOperation::Kind::kReceive;
      if (auto filled = message(made); !filled) return filled;
    } else {
      return bad(sentence("found ", shown(what), "; expected 'send', 'recv' or 'calc'"));
    }
    if (auto done = resources(made); !done) return done;
    if (!budget_.take_items(1, kBytesOfOperation)) return tl::unexpected(budget_.error(path_));
    const auto index = static_cast<std::uint32_t>(rank_->operations.size());
    if (!label.empty() && !labels_.emplace(label, index).second)
      return bad(sentence("the label ", shown(label), " stands at two operations of this rank"));
    rank_->operations.push_back(made);
    return {};
  }

  Status message(GoalOperation& made) {
    const bool sends = made.kind == GoalOperation::Kind::kSend;
    const auto size = number("a number of bytes", kMostGoalSize);
    if (!size) return propagate(size);
    made.size = *size;
    if (!tokens_.accept("b")) return expected("'b' behind the number of bytes");
    if (!tokens_.accept(sends ? "to" : "from")) return expected(sends ? "'to'" : "'from'");
    if (!sends && tokens_.accept("-1")) {
      made.peer = GoalOperation::kAny;
      return {};
    }
    const auto peer = number("a rank below num_ranks", schedule_.ranks.size() - 1);
    if (!peer) return propagate(peer);
    made.peer = static_cast<std::uint32_t>(*peer);
    return {};
  }

  Status resources(GoalOperation& made) {
    for (;;) {
      const bool is_tag = made.kind != GoalOperation::Kind::kCompute && tokens_.accept("tag");
      if (is_tag && made.kind == GoalOperation::Kind::kReceive && tokens_.accept("-1")) {
        made.tag = GoalOperation::kAny;
        continue;
      }
      const bool is_cpu = !is_tag && tokens_.accept("cpu");
      const bool is_nic = !is_tag && !is_cpu && tokens_.accept("nic");
      if (!is_tag && !is_cpu && !is_nic) return {};
      const auto value = number(is_tag ? "a tag" : "a number of a CPU or NIC",
                                is_tag ? GoalOperation::kAny - 1 : 255);
      if (!value) return propagate(value);
      if (is_tag) made.tag = static_cast<std::uint32_t>(*value);
      schedule_.on_other_cpus += is_cpu && *value > 0 ? 1 : 0;
      schedule_.on_other_nics += is_nic && *value > 0 ? 1 : 0;
    }
  }

  struct OpenDependency {
    std::uint64_t line = 0;
    bool on_start = false;
  };
  std::string path_;
  Budget budget_;
  const Progress& progress_;
  GoalTokens tokens_;
  std::uint64_t line_ = 0;
  GoalSchedule schedule_;
  bool has_ranks_ = false;
  bool is_in_rank_ = false;
  GoalRank* rank_ = nullptr;
  std::unordered_map<std::string, std::uint32_t> labels_; // of the rank under way
  std::vector<std::pair<OpenDependency, std::pair<std::string, std::string>>> open_;
};

} // namespace

Result<GoalSchedule> read_schedule(const std::string& path, Budget budget,
                                   const Progress& progress) {
  return ScheduleReader(path, budget, progress).read();
}

} // namespace internal

bool is_goal(std::string_view start) {
  internal::GoalTokens tokens;
  while (!start.empty()) {
    const std::size_t end = std::min(start.find('\n'), start.size());
    tokens.take(start.substr(0, end));
    if (!tokens.peek().empty()) return tokens.peek() == "num_ranks";
    start.remove_prefix(std::min(end + 1, start.size()));
  }
  return false;
}

} // namespace rondo::convert
