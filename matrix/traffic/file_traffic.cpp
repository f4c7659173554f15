// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/file_traffic.hpp"
#include "rondo/base/sort_stably.hpp"
#include "trace/mpi_names.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rondo::matrix {
namespace {

using trace::Function;
using trace::Program;
using trace::Term;
using trace::Word;

struct Access {
  bool is_write = false;
  AccessKind kind = AccessKind::kIndependent;
};

// What a function of role io does with data; nothing for those that open, seek and the like, and
// for the ends of split collectives.
std::optional<Access> access_of(const Function& function) {
  const std::string_view name = function.name;
  if (!internal::is_file_access(function)) return std::nullopt;
  const bool writes = name.find("write") != name.npos;
  const bool is_collective = name.find("_all") != name.npos || name.find("_ordered") != name.npos;
  if (name.ends_with("_begin")) return Access{writes, AccessKind::kSplit};
  if (function.mode == trace::Mode::kNonblocking) return Access{writes, AccessKind::kNonblocking};
  return Access{writes, is_collective ? AccessKind::kCollective : AccessKind::kIndependent};
}

// One call of the program that opens a file or moves data, and how its words go on.
class FileCall {
public:
  FileCall(const Program& program, const trace::Call& call, std::int64_t rank,
           const trace::Positions& positions)
      : function_(trace::find_function(call.function)), access_(access_of(*function_)) {
    const trace::CallMeaning& means = trace::meaning_of(*function_);
    const int indices[] = {means.file, function_->word_of("filename"), means.send_count,
                           means.send_type};
    for (std::size_t i = 0; i < std::size(indices); ++i) {
      const int index = indices[i];
      if (index < 0) continue;
      const Word& word = call.words[static_cast<std::size_t>(index)];
      const auto column = static_cast<std::size_t>(word.value);
      if (!trace::is_column(word)) {
        words_[i] = trace::value_of_word(program, word, rank, positions.of(trace::kWorldSlot));
      } else if (column < program.columns.size()) {
        columns_[i].emplace(program.columns[column]);
      }
    }
  }

  bool opens() const { return !access_; }
  bool varies() const {
    return std::any_of(std::begin(columns_), std::end(columns_),
                       [](const auto& column) { return column.has_value(); });
  }
  const std::optional<Access>& access() const { return access_; }
  std::int64_t file() const { return words_[0]; }
  std::int64_t name() const { return words_[1]; }
  std::int64_t count() const { return words_[2]; }
  std::int64_t datatype() const { return words_[3]; }

  void next() {
    for (std::size_t i = 0; i < std::size(columns_); ++i) {
      if (columns_[i]) words_[i] = columns_[i]->next().value_or(0);
    }
  }

private:
  const Function* function_;
  std::optional<Access> access_;
  std::int64_t words_[4] = {trace::kNothing, trace::kNothing, trace::kNothing, trace::kNothing};
  std::optional<trace::ColumnReader> columns_[4];
};

bool matters(const trace::Call& call) {
  const Function* function = trace::find_function(call.function);
  if (function == nullptr || call.error != 0) return false;
  return function->name == mpi::File_open || access_of(*function);
}

bool has_files(const Program& program) {
  return std::any_of(program.calls.begin(), program.calls.end(), matters);
}

// Goes through one rank's program in order, but through a loop only once in which nothing depends
// on the order, and not at all through loops without files.
class Player {
public:
  using Key = std::tuple<std::string, bool, AccessKind>; // name, direction, kind
  struct Sum {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
  };

  Player(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank)
      : program_(trace::program_of(trace, c, rank)) {
    const trace::Positions positions(trace, rank);
    for (const trace::Call& call : program_.calls) {
      calls_.emplace_back();
      if (matters(call)) calls_.back().emplace(program_, call, rank, positions);
    }
    for (const trace::DatatypeDefinition& type : trace.datatypes) {
      if (type.holders.contains(rank)) size_bytes_[type.slot] = type.size_bytes;
    }
    for (const trace::Loop& loop : program_.nest.loops()) {
      trip_counts_.emplace_back(loop.trip_counts);
      look_into(loop);
    }
  }

  void run() { walk(program_.nest.top(), 1); }

  const std::map<Key, Sum>& sums() const { return sums_; }
  const std::map<std::string, std::uint64_t>& opens() const { return opens_; }
  std::uint64_t unknown_sizes() const { return unknown_sizes_; }

private:
  struct Content { // of a loop
    bool has_files = false;
    bool is_ordered = false;
  };

  // Inner loops stand first.
  void look_into(const trace::Loop& loop) {
    Content content;
    for (const Term term : loop.body) {
      if (term.is_loop()) {
        const Content& inner = contents_[term.index()];
        content.has_files = content.has_files || inner.has_files;
        const bool varies = !program_.nest.loops()[term.index()].trip_counts.constant();
        content.is_ordered = content.is_ordered || inner.is_ordered || (inner.has_files && varies);
      } else if (const auto& call = calls_[term.index()]) {
        content.has_files = true;
        content.is_ordered = content.is_ordered || call->opens() || call->varies();
      }
    }
    contents_.push_back(content);
  }

  void walk(const std::vector<Term>& terms, std::uint64_t times) {
    for (const Term term : terms) {
      if (!term.is_loop()) {
        if (auto& call = calls_[term.index()]) play(*call, times);
        continue;
      }
      const Content& content = contents_[term.index()];
      if (!content.has_files) continue;
      const auto& body = program_.nest.loops()[term.index()].body;
      const std::int64_t trips = trip_counts_[term.index()].next().value_or(0);
      const auto iterations = static_cast<std::uint64_t>(std::max<std::int64_t>(trips, 0)) * times;
      if (iterations > 0 && !content.is_ordered) {
        walk(body, iterations);
      } else {
        for (std::uint64_t i = 0; i < iterations; ++i) walk(body, 1);
      }
    }
  }

  // Of a call whose words vary, `times` is 1.
  void play(FileCall& call, std::uint64_t times) {
    call.next();
    if (call.opens()) {
      const auto text = static_cast<std::uint64_t>(call.name());
      name_of_[call.file()] = text < program_.texts.size() ? program_.texts[text] : "";
      opens_[name_of_[call.file()]] += times;
      return;
    }
    const auto name = name_of_.find(call.file());
    Sum& sum = sums_[{name == name_of_.end() ? "" : name->second, call.access()->is_write,
                      call.access()->kind}];
    sum.calls += times;
    const auto size = size_bytes_.find(call.datatype());
    const std::int64_t count = std::max<std::int64_t>(call.count(), 0); // specials are negative
    if (size == size_bytes_.end()) {
      unknown_sizes_ += count > 0 ? times : 0;
    } else {
      sum.bytes += times * static_cast<std::uint64_t>(count) *
                   static_cast<std::uint64_t>(std::max<std::int64_t>(size->second, 0));
    }
  }

  const Program program_;
  std::vector<std::optional<FileCall>> calls_; // by symbol
  std::vector<trace::ColumnReader> trip_counts_; // by loop
  std::vector<Content> contents_; // by loop
  std::unordered_map<std::int64_t, std::int64_t> size_bytes_; // by slot of datatype
  std::unordered_map<std::int64_t, std::string> name_of_; // by slot of file
  std::map<Key, Sum> sums_;
  std::map<std::string, std::uint64_t> opens_;
  std::uint64_t unknown_sizes_ = 0;
};

} // namespace

std::string_view name_of(AccessKind kind) {
  static constexpr std::string_view kNames[] = {"independent", "collective", "nonblocking",
                                                "split collective"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t FileUse::bytes() const {
  std::uint64_t sum = 0;
  for (const FileAccess& access : accesses) sum += access.bytes;
  return sum;
}

std::uint64_t FileTraffic::bytes() const {
  std::uint64_t sum = 0;
  for (const FileUse& file : files) sum += file.bytes();
  return sum;
}

FileTraffic file_traffic_of(const trace::Trace& trace) {
  FileTraffic result;
  std::map<std::string, FileUse> files;
  for (const trace::RankClass& c : trace.classes) {
    if (!has_files(*c.program)) continue;
    for (const std::int64_t rank : c.ranks.ranks()) {
      Player player(trace, c, rank);
      player.run();
      result.unknown_sizes += player.unknown_sizes();
      for (const auto& [name, opens] : player.opens()) files[name].opens += opens;
      for (const auto& [key, sum] : player.sums()) {
        files[std::get<0>(key)].accesses.push_back(
            {rank, std::get<1>(key), std::get<2>(key), sum.calls, sum.bytes});
      }
    }
  }
  for (auto& [name, file] : files) {
    file.name = name;
    sort_stably(file.accesses.begin(), file.accesses.end(), [](const auto& a, const auto& b) {
      return std::tuple{a.is_write, a.kind, a.rank} < std::tuple{b.is_write, b.kind, b.rank};
    });
    result.files.push_back(std::move(file));
  }
  sort_stably(result.files.begin(), result.files.end(),
              [](const FileUse& a, const FileUse& b) { return a.bytes() > b.bytes(); });
  return result;
}

} // namespace rondo::matrix
