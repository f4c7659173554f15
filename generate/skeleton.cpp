// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace rondo::generate {
namespace {

constexpr std::int64_t kFewest = 5; // a first pass and steady ones that say how they vary
constexpr std::int64_t kWorthShortening = 8; // of fewer passes each may be of its own kind

class Shortening {
public:
  Shortening(Benchmark& benchmark, double share) : benchmark_(benchmark), share_(share) {
    look(benchmark.main, false);
  }

  // Ranks that take different ways may wait for each other in different loops: those stay.
  void statements(std::vector<Statement>& all) {
    for (Statement& statement : all) {
      if (statement.kind == Statement::Kind::kLoop) {
        if (!try_shorten(statement, statement.value)) statements(statement.body);
      } else if (statement.kind == Statement::Kind::kInvoke) {
        invocation(statement);
      }
    }
  }

  int shortened() const { return shortened_; }

private:
  Constant* count_of(const Expression& count) {
    const auto constant = std::ranges::find(benchmark_.constants, count.text, &Constant::name);
    const bool is_worth = count.kind == Expression::Kind::kName &&
                          constant != benchmark_.constants.end() &&
                          constant->value >= kWorthShortening;
    return is_worth ? &*constant : nullptr;
  }

  // Passes are timed of one loop at a time, and of each loop all ranks make equally many: what is
  // called within a loop that is shortened, or where ranks take different ways, stays as it is.
  void look(const std::vector<Statement>& all, bool stays) {
    for (const Statement& statement : all) {
      const bool is_way = statement.kind == Statement::Kind::kIf;
      const bool is_part =
          statement.kind == Statement::Kind::kLoop && count_of(statement.value) != nullptr;
      if (statement.kind == Statement::Kind::kInvoke) look_into(statement, stays);
      look(statement.body, stays || is_way || is_part);
      look(statement.otherwise, true);
    }
  }

  void look_into(const Statement& statement, bool stays) {
    const auto function = std::ranges::find(benchmark_.functions, statement.name, &Function::name);
    if (function == benchmark_.functions.end()) return;
    if (stays) stay_.insert(statement.name);
    if (seen_.emplace(statement.name, stays).second)
      look(function->body, stays || function->has_iterations);
  }

  bool try_shorten(Statement& statement, const Expression& count) {
    Constant* const constant = count_of(count);
    if (constant == nullptr) return false;
    const auto fewer =
        static_cast<std::int64_t>(std::llround(static_cast<double>(constant->value) * share_));
    statement.full = constant->value;
    constant->value = std::max(fewer, kFewest);
    constant->comment = "of " + std::to_string(statement.full);
    ++shortened_;
    return true;
  }

  // A function that is told its iterations is shortened where it is called, others in themselves.
  void invocation(Statement& statement) {
    const auto function = std::ranges::find(benchmark_.functions, statement.name, &Function::name);
    if (function == benchmark_.functions.end() || stay_.contains(statement.name)) return;
    if (function->has_iterations) {
      if (!try_shorten(statement, statement.arguments.front().value)) return;
      function->body.front().is_part = true;
    } else if (done_.insert(statement.name).second) {
      statements(function->body);
    }
  }

  Benchmark& benchmark_;
  double share_;
  int shortened_ = 0;
  std::set<std::string> stay_, done_; // functions
  std::set<std::pair<std::string, bool>> seen_;
};

void add_loops(const std::vector<Statement>& all, std::vector<const Statement*>& loops) {
  for (const Statement& statement : all) {
    if (statement.full > 0) loops.push_back(&statement);
    add_loops(statement.body, loops);
    add_loops(statement.otherwise, loops);
  }
}

// As generated code takes them (support.h).
double time_of(const Course::Row& row, std::int64_t pass) {
  constexpr std::int64_t kBlock = 32;
  const auto apart =
      std::ranges::lower_bound(row.apart, pass, {}, [](const auto& a) { return a.first; });
  if (apart != row.apart.end() && apart->first == pass) return apart->second;
  const auto kept = static_cast<std::size_t>(pass / kBlock / row.stride * kBlock + pass % kBlock);
  return row.seconds.empty() ? 0 : row.seconds[kept % row.seconds.size()];
}

// Likewise: the first pass, and others from all over the rest.
std::int64_t place_of(std::int64_t n, std::int64_t made, std::int64_t full) {
  if (n == 0) return 0;
  const std::int64_t first = (n - 1) * (full - 1) / (made - 1);
  const std::int64_t room = n * (full - 1) / (made - 1) - first;
  const double golden = 0.6180339887 * static_cast<double>(n - 1);
  return 1 + first +
         static_cast<std::int64_t>((golden - std::floor(golden)) * static_cast<double>(room));
}

struct Sums { // of a course on one rank
  double whole = 0;
  double taken = 0; // by what a skeleton makes of it
};

// @param each  times of the course in a pass of the loop
Sums sums_of(const Course::Row& row, std::int64_t made, std::int64_t full, std::int64_t each) {
  Sums sums;
  for (std::int64_t pass = 0; pass < row.passes; ++pass) sums.whole += time_of(row, pass);
  double first = 0;
  double steady = 0;
  for (std::int64_t n = 0; n < made; ++n) {
    for (std::int64_t i = 0; i < each; ++i)
      (n == 0 ? first : steady) += time_of(row, place_of(n, made, full) * each + i);
  }
  sums.taken = first + steady * static_cast<double>(full - 1) / static_cast<double>(made - 1);
  return sums;
}

// The loop is not named by the course: it is one in which the call comes equally often.
Sums sums_of(const Benchmark& benchmark, const std::vector<const Statement*>& loops,
             const Course::Row& row) {
  const auto found = std::ranges::find_if(loops, [&](const Statement* each) {
    return row.passes >= each->full && row.passes % each->full == 0;
  });
  if (found == loops.end()) return {};
  const Statement& loop = **found;
  const Expression& count =
      loop.kind == Statement::Kind::kInvoke ? loop.arguments.front().value : loop.value;
  const auto made = std::ranges::find(benchmark.constants, count.text, &Constant::name);
  if (made == benchmark.constants.end() || made->value < kFewest) return {};
  return sums_of(row, made->value, loop.full, row.passes / loop.full);
}

} // namespace

Unevenness unevenness_of(const Benchmark& benchmark) {
  std::vector<const Statement*> loops;
  add_loops(benchmark.main, loops);
  for (const Function& function : benchmark.functions) add_loops(function.body, loops);
  std::vector<Sums> ranks(static_cast<std::size_t>(benchmark.ranks));
  Sums all;
  for (const Course& course : benchmark.courses) {
    std::vector<Sums> rows;
    for (const Course::Row& row : course.rows) rows.push_back(sums_of(benchmark, loops, row));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const Sums& own = rows[static_cast<std::size_t>(course.row_of_rank[rank])];
      for (Sums* sums : {&ranks[rank], &all}) {
        sums->whole += course.factor_of_rank[rank] * own.whole;
        sums->taken += course.factor_of_rank[rank] * own.taken;
      }
    }
  }
  Unevenness worst;
  if (all.taken <= 0 || benchmark.computed_seconds <= 0) return worst;
  const double right = all.whole / all.taken; // as a skeleton knows the sum of all ranks
  const double mean = benchmark.computed_seconds / static_cast<double>(benchmark.ranks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const double off = (ranks[rank].taken * right - ranks[rank].whole) / mean;
    if (std::abs(off) > std::abs(worst.off)) worst = {static_cast<std::int64_t>(rank), off};
  }
  return worst;
}

// Threads may wait for each other in different loops: with threads all stay.
int shorten(Benchmark& benchmark, double share) {
  if (!benchmark.threads.empty()) return 0;
  Shortening shortening(benchmark, share);
  shortening.statements(benchmark.main);
  benchmark.is_skeleton = shortening.shortened() > 0;
  return shortening.shortened();
}

} // namespace rondo::generate
