// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/skeleton.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::generate {
namespace {

constexpr std::int64_t kFewest = 3; // a first pass and steady ones
constexpr std::int64_t kWorthShortening = 8; // of fewer passes each may be of its own kind

class Shortening {
public:
  Shortening(Benchmark& benchmark, double share) : benchmark_(benchmark), share_(share) {}

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
  bool try_shorten(Statement& statement, const Expression& count) {
    const auto constant = std::ranges::find(benchmark_.constants, count.text, &Constant::name);
    if (count.kind != Expression::Kind::kName || constant == benchmark_.constants.end())
      return false;
    if (constant->value < kWorthShortening) return false;
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
    if (function == benchmark_.functions.end()) return;
    if (function->has_iterations) {
      if (!try_shorten(statement, statement.arguments.front().value)) return;
      function->body.front().is_part = true;
    } else if (std::ranges::find(done_, statement.name) == done_.end()) {
      done_.push_back(statement.name);
      statements(function->body);
    }
  }

  Benchmark& benchmark_;
  double share_;
  int shortened_ = 0;
  std::vector<std::string> done_; // functions
};

} // namespace

int shorten(Benchmark& benchmark, double share) {
  Shortening shortening(benchmark, share);
  shortening.statements(benchmark.main);
  benchmark.is_skeleton = shortening.shortened() > 0;
  for (Course& course : benchmark.courses) // to the end of it, however few passes are made
    course.skip = benchmark.is_skeleton ? std::llround(1 / share) : 1;
  return shortening.shortened();
}

} // namespace rondo::generate
