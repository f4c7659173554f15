// SPDX-License-Identifier: Apache-2.0
// Folds the actions of one rank into its program, line by line.
//
//   RankFolder folder(rank, ranks, options);
//   while (...) if (auto done = folder.add(line); !done) return propagate(done);
//   fold::RecordingPart part = folder.finish();
#pragma once

#include "convert/simgrid_ti/actions.hpp"
#include "convert/simgrid_ti/datatypes.hpp"
#include "convert/simgrid_ti/open_requests.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/fold/merge.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// What a trace leaves open, counted over ranks.
struct Unsaid {
  std::uint64_t senders = 0; // receives from any source
  std::uint64_t operations = 0; // reductions
  std::uint64_t partial_waitalls = 0;
  std::uint64_t tests = 0;
  std::uint64_t null_peers = 0;
  std::uint64_t communicators = 0;
  std::uint64_t unfinished_ranks = 0;

  static constexpr auto members() {
    return std::array{&Unsaid::senders,         &Unsaid::operations, &Unsaid::partial_waitalls,
                      &Unsaid::tests,           &Unsaid::null_peers, &Unsaid::communicators,
                      &Unsaid::unfinished_ranks};
  }
  std::vector<Remark> remarks() const;
};

struct FoldedRanks {
  fold::RecordingPart part;
  Unsaid unsaid;
};

/// The rank that a line begins with: "3", "rank-3" or "p3", as some versions write it.
std::optional<std::int64_t> rank_of_token(std::string_view token);

class RankFolder {
public:
  RankFolder(std::int64_t rank, std::int64_t ranks, const SimgridTiOptions& options);

  /// Takes one line; blank lines and lines that begin with # are passed over.
  /// @error  kFormat, kUnsupported without a place
  Status add(std::string_view line);

  bool is_finalized() const { return is_finalized_; }

  /// Ends the rank. The folder must not be used afterwards.
  FoldedRanks finish();

private:
  // A line that was understood, as programs say the same again and again: the call that it is.
  struct KnownLine {
    std::string text;
    const ActionForm* form = nullptr;
    std::vector<std::int64_t> event;
  };
  static constexpr std::size_t kKnownLines = 64; // a power of two

  KnownLine& known(std::string_view line);
  Status add_call(const ActionForm& form);
  Status add_special(std::span<const ActionForm> forms);
  Status add_row(std::span<const ActionForm> forms, std::string_view line);
  Result<std::size_t> take_argument(const ActionForm& form, const Argument& argument,
                                    std::size_t at);
  Result<std::size_t> take_counts(const Argument& argument, std::size_t at);
  Status add_wait(const ActionForm& form, bool completes);
  Status add_waitall(const ActionForm& form);
  Status add_init(const ActionForm& form);
  Status add_location();
  Status add_time(std::string_view what, double seconds_per_unit);
  void complete_words(const ActionForm& form);
  void note(const ActionForm& form);
  void record();
  void begin(const ActionForm& form);
  std::int64_t& word(std::size_t index) { return event_[fold::kEventHead + index]; }

  Status check_rank(std::string_view token) const;
  Result<std::int64_t> number(std::string_view name, std::string_view token) const;
  Result<std::int64_t> count(std::string_view name, std::string_view token) const;
  Result<double> amount(std::string_view name, std::string_view token) const;
  Result<std::int64_t> peer(std::string_view name, std::string_view token, bool is_source) const;
  Result<std::int64_t> root(std::string_view token) const;
  Result<std::int64_t> tag(std::string_view token) const;
  Result<std::int64_t> datatype(std::string_view token);
  std::int64_t use_datatype(int type);
  tl::unexpected<Error> wrong_length(std::span<const ActionForm> forms) const;

  std::int64_t rank_;
  std::string rank_text_;
  std::int64_t ranks_;
  double seconds_per_flop_;
  fold::ProgramBuilder program_;
  std::optional<trace::TimeStampWriter> stamps_;
  std::uint64_t now_ns_ = 0;
  std::vector<KnownLine> known_lines_ = std::vector<KnownLine>(kKnownLines); // by hash
  std::vector<std::string_view> tokens_; // of the line: rank, action, arguments
  std::vector<std::int64_t> event_;
  std::vector<std::int64_t> array_;
  OpenRequests requests_;
  int default_type_ = kByteType;
  std::array<bool, kDatatypes> is_used_{};
  std::vector<trace::CallSite> sites_;
  std::unordered_map<std::string, std::int64_t> site_of_;
  std::int64_t site_ = 0;
  double computation_ns_ = 0; // since the call before
  double flops_inside_ = 0; // of the call at hand
  trace::RankFacts facts_;
  Unsaid unsaid_;
  bool is_finalized_ = false;
};

} // namespace rondo::convert::internal
