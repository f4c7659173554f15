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

} // namespace

// Threads may wait for each other in different loops: with threads all stay.
int shorten(Benchmark& benchmark, double share) {
  if (!benchmark.threads.empty()) return 0;
  Shortening shortening(benchmark, share);
  shortening.statements(benchmark.main);
  benchmark.is_skeleton = shortening.shortened() > 0;
  return shortening.shortened();
}

} // namespace rondo::generate
