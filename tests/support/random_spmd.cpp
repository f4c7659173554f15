// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_spmd.hpp"

#include <functional>

namespace rondo::support {
namespace {

struct Place {
  std::int64_t rank, rows, columns;
  std::int64_t row() const { return rank / columns; }
  std::int64_t column() const { return rank % columns; }
  std::int64_t size() const { return rows * columns; }
};

using Number = std::function<std::int64_t(const Place&, int iteration)>;

Number number(Random& random) {
  const auto c = static_cast<std::int64_t>(1 + pick(random, 5));
  switch (pick(random, 8)) {
  case 0:
    return [c](const Place& p, int) { return c + p.row(); };
  case 1:
    return [c](const Place& p, int) { return c * (p.column() + 1); };
  case 2:
    return [c](const Place& p, int) { return c + p.rank * p.rank % 5; };
  case 3:
    return [c](const Place&, int iteration) { return c + iteration; };
  case 4:
    return [c](const Place& p, int iteration) { return c + (p.rank + iteration) % 3; };
  default:
    return [c](const Place&, int) { return c; };
  }
}

Number peer(Random& random) {
  const auto c = static_cast<std::int64_t>(1 + pick(random, 3));
  switch (pick(random, 6)) {
  case 0:
    return [c](const Place& p, int) { return (p.rank + c) % p.size(); };
  case 1:
    return [c](const Place& p, int) { return p.rank ^ c; };
  case 2:
    return [c](const Place& p, int) { // on a torus
      return p.row() * p.columns + (p.column() + c) % p.columns;
    };
  case 3:
    return [](const Place& p, int) { // beyond the border there is nobody
      return p.column() + 1 < p.columns ? p.rank + 1 : trace::kProcNull;
    };
  case 4:
    return [](const Place& p, int) { return p.column() * p.rows + p.row(); }; // transpose
  default:
    return [c](const Place& p, int) { return c % p.size(); };
  }
}

using Condition = std::function<bool(const Place&)>;

Condition condition(Random& random) {
  switch (pick(random, 6)) {
  case 0:
    return [](const Place& p) { return p.row() > 0; };
  case 1:
    return [](const Place& p) { return p.column() + 1 < p.columns; };
  case 2:
    return [](const Place& p) { return p.rank == 0; };
  case 3:
    return [](const Place& p) { return p.rank % 2 == 0; };
  case 4:
    return [](const Place& p) { return p.rank * 7 % 4 == 1; };
  default:
    return [](const Place&) { return true; };
  }
}

struct Statement {
  std::uint32_t site = 0;
  int function = 0;
  Number count, tag, to, trips;
  Condition guard;
  std::vector<Statement> body; // of a loop
};

// Statements have sites of their own, as far as there are sites.
std::vector<Statement> statements(Random& random, int depth, std::uint32_t& site) {
  std::vector<Statement> list;
  for (std::size_t i = 1 + pick(random, 4); i > 0; --i) {
    Statement s{++site % 16,       static_cast<int>(pick(random, 3)),
                number(random),    number(random),
                peer(random),      number(random),
                condition(random), {}};
    if (depth > 0 && pick(random, 3) == 0) s.body = statements(random, depth - 1, site);
    list.push_back(std::move(s));
  }
  return list;
}

void execute(RankRecorder& me, const Place& place, const std::vector<Statement>& list,
             int iteration) {
  for (const Statement& s : list) {
    if (!s.guard(place)) continue;
    if (!s.body.empty()) {
      const auto trips = static_cast<int>(s.trips(place, iteration) % 7);
      for (int i = 0; i < trips; ++i) execute(me, place, s.body, i);
      continue;
    }
    const std::int64_t count = s.count(place, iteration);
    const std::int64_t tag = s.tag(place, iteration);
    const std::int64_t to = s.to(place, iteration);
    if (s.function == 0) {
      me.call("MPI_Send", {{"count", count}, {"dest", to}, {"tag", tag}}, s.site);
    } else if (s.function == 1) {
      me.call("MPI_Bcast", {{"count", count}, {"root", tag % place.size()}}, s.site);
    } else {
      const std::vector<std::int64_t> requests(static_cast<std::size_t>(count % 4), tag % 30);
      const std::int64_t array = me.builder().array(requests.data(), requests.size());
      me.call("MPI_Waitall", {{"array_of_requests", array}}, s.site);
    }
  }
}

} // namespace

Ranks random_spmd(std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
  Random random(seed);
  std::uint32_t site = 0;
  const std::vector<Statement> program = statements(random, 3, site);
  fold::ProgramOptions options;
  options.soften_after = 1 + seed % 4; // so that there are columns
  Ranks all;
  for (std::int64_t rank = 0; rank < rows * columns; ++rank) {
    RankRecorder& me =
        *all.emplace_back(std::make_unique<RankRecorder>(rank, rows * columns, options));
    me.call("MPI_Init");
    for (int round = 0; round < 3; ++round) execute(me, {rank, rows, columns}, program, round);
    me.call("MPI_Finalize");
  }
  return all;
}

} // namespace rondo::support
