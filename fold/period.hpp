// SPDX-License-Identifier: Apache-2.0
// Whether a builder, after some more calls, is as it was before them: then the same calls once more
// do the same once more, and need not be played. What must be equal is all that the builder looks
// at when a call comes. Counts may differ; they grow by as much each time.
//
//   ProgramPeriod period(builder);
//   ... calls ...
//   if (period.most_repeats() >= 100) period.repeat(100); // as if they had come a hundred times
//   more
#pragma once

#include "rondo/fold/program_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::fold {

/// No bound on how often a period may come again.
constexpr std::uint64_t kAnyTimes = ~std::uint64_t{0};

class ColumnPeriod;

class NestPeriod {
public:
  explicit NestPeriod(const NestBuilder& builder);
  NestPeriod(NestPeriod&&) noexcept;
  NestPeriod& operator=(NestPeriod&&) noexcept;
  ~NestPeriod();

  /// How often the symbols since then can come again with the same effect; 0: the builder is
  /// another one than it was.
  std::uint64_t most_repeats(const NestBuilder& now) const;
  void repeat(NestBuilder& builder, std::uint64_t times) const;
  static std::uint64_t fingerprint(const NestBuilder& builder);
  static std::uint64_t effort(const NestBuilder& builder) { return builder.bodies_.size(); }

private:
  struct Moved { // the loop that went round
    std::size_t depth = 0;
    std::uint64_t iterations = 0; // 0: none did, or not one alone
  };
  Moved moved(const NestBuilder::Frames& before, const NestBuilder::Frames& now) const;

  NestBuilder::Frames frames_;
  NestBuilder::Frames frames_before_;
  NestBuilder::Crossing crossing_;
  std::int32_t first_index_;
  std::vector<NestBuilder::TripCount> uncommitted_;
  std::uint64_t size_;
  std::uint64_t size_at_attempt_;
  std::uint64_t unexplained_;
  std::vector<std::uint64_t> last_counts_; // by loop
  std::vector<ColumnPeriod> trip_counts_; // likewise
};

class ColumnPeriod {
public:
  explicit ColumnPeriod(const ColumnBuilder& builder);

  std::uint64_t most_repeats(const ColumnBuilder& now) const;
  void repeat(ColumnBuilder& builder, std::uint64_t times) const;
  static std::uint64_t fingerprint(const ColumnBuilder& builder);

private:
  bool has_grown(const ColumnBuilder& now) const { return now.size_ != size_; }

  std::int64_t staged_;
  bool has_staged_;
  ColumnBuilder::Mode mode_;
  std::uint64_t size_;
  std::int64_t sum_;
  std::size_t runs_;
  std::int64_t previous_;
  std::size_t dictionary_;
  std::uint64_t surprises_;
  std::unique_ptr<NestPeriod> nest_;
};

/// Of calls that are recorded again (ProgramBuilder::record_again()).
class ProgramPeriod {
public:
  /// The builder must outlive the object, and stay where it is.
  explicit ProgramPeriod(ProgramBuilder& builder);
  ProgramPeriod(const ProgramPeriod&) = delete;
  ProgramPeriod& operator=(const ProgramPeriod&) = delete;
  ~ProgramPeriod();

  std::uint64_t most_repeats() const;
  /// @complexity O(size of the program), and of the courses
  void repeat(std::uint64_t times);
  static std::uint64_t fingerprint(const ProgramBuilder& builder);
  /// How much there is to be compared.
  static std::uint64_t effort(const ProgramBuilder& builder);

private:
  using Symbol = ProgramBuilder::Symbol;
  struct Sizes {
    explicit Sizes(const ProgramBuilder& builder);
    std::size_t words, shapes, arrays, texts, places, varying, sums, columns;
    friend bool operator==(const Sizes&, const Sizes&) = default;
  };
  struct Sum {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> reached;
    std::uint64_t calls = 0;
  };

  bool is_same_program() const;
  std::uint64_t again(std::size_t place) const;
  void repeat_courses(std::uint64_t times);

  ProgramBuilder& builder_;
  Sizes sizes_;
  std::uint32_t previous_;
  NestPeriod nest_;
  std::vector<ColumnPeriod> columns_;
  std::vector<Symbol> symbols_;
  std::vector<Sum> sums_;
  std::vector<std::uint64_t> again_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_; // of places and sums of the calls
};

} // namespace rondo::fold
