// SPDX-License-Identifier: Apache-2.0
// Where the calls of a logical program stand in the source. Folding by what the text says drops the
// call sites; but each rank makes the same calls in the same order in both programs.
#include "logical/places/call_places.hpp"
#include "logical/places/conditions.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/text/local_calls.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace rondo::logical {
namespace {

using Sites = std::vector<std::uint32_t>;

constexpr std::uint32_t kNoSite = ~std::uint32_t{0};

void add_site(Sites& sites, std::uint32_t site) {
  const auto at = std::lower_bound(sites.begin(), sites.end(), site);
  if (at == sites.end() || *at != site) sites.insert(at, site);
}

// Passes of loops in which no call of the logical program gets a site that it did not have, and
// behind which its reader is in its loop where it was.
class SiteFollower final : public trace::PassFollower {
public:
  SiteFollower(trace::NestReader& others, const Sites& last, const std::size_t& added)
      : others_(others), last_(last), added_(added) {}

  void begin_period() override {
    place_ = others_.position();
    kept_last_ = last_;
    kept_added_ = added_;
  }
  std::uint64_t most_repeats() override {
    return kept_added_ == added_ && kept_last_ == last_ ? others_.repeats_since(place_) : 0;
  }
  void repeat(std::uint64_t times) override { others_.leave_out_again(place_, times); }
  std::uint64_t effort() const override { return 1 + last_.size(); }

private:
  trace::NestReader& others_;
  const Sites& last_;
  const std::size_t& added_;
  trace::NestReader::Position place_;
  Sites kept_last_;
  std::size_t kept_added_ = 0;
};

// The calls of one rank in both programs, side by side.
void walk(const trace::Trace& trace, internal::UnseenReader& unseen,
          const trace::RankClass& recorded, const trace::RankClass& logical,
          std::vector<Sites>& sites) {
  std::vector<std::uint32_t> last(logical.calls.size(), kNoSite); // by symbol
  std::size_t added = 0;
  trace::NestReader others(logical.program->nest);
  SiteFollower follower(others, last, added);
  trace::SymbolReader reader(recorded.program->nest);
  std::optional<trace::SymbolPasses> passes;
  if (unseen.is_steady()) passes.emplace(reader, follower);
  while (const auto symbol = passes ? passes->next() : reader.next()) {
    if (unseen.next(*symbol)) continue;
    const auto other = others.next();
    if (!other) return;
    const std::uint32_t site = recorded.program->calls[*symbol].site;
    if (site >= trace.sites.size() || std::exchange(last[*other], site) == site) continue;
    Sites& own = sites[logical.calls[*other]];
    const std::size_t before = own.size();
    add_site(own, site);
    added += own.size() - before;
  }
}

// The same until each call has come once.
void walk_to_first(const trace::Trace& trace, internal::UnseenReader& unseen,
                   const trace::RankClass& recorded, const trace::RankClass& logical,
                   const std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& places) {
  constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 16;
  std::vector<bool> has_come(logical.calls.size(), false); // by symbol
  std::size_t missing = has_come.size();
  trace::NestReader symbols(recorded.program->nest);
  trace::NestReader others(logical.program->nest);
  for (std::uint64_t step = 0; missing > 0 && step < kMostSteps; ++step) {
    const auto symbol = symbols.next();
    if (!symbol) return;
    if (unseen.next(*symbol)) continue;
    const auto other = others.next();
    if (!other) return;
    if (has_come[*other]) continue;
    has_come[*other] = true;
    --missing;
    const std::uint32_t site = recorded.program->calls[*symbol].site;
    std::uint32_t& place = places[logical.calls[*other]];
    if (site < order.size()) place = std::min(place, order[site]);
  }
}

// The first rank of each class of both programs: ranks of one class that was recorded may say
// different directions, and those of several may say the same.
template <class Walk>
void for_each_class(const trace::Trace& trace, const LogicalProgram& program, const Walk& walk) {
  const internal::UnseenCalls unseen(trace, program.unseen);
  std::set<std::pair<std::uint32_t, std::int64_t>> ranks; // by thread
  for (const trace::RankClass& c : trace.classes) ranks.emplace(c.thread, c.ranks.front());
  const std::vector<std::size_t> rank_of_cell = internal::rank_of_cell(program);
  for (const trace::RankClass& c : program.cells.classes) {
    const auto cell = static_cast<std::size_t>(c.ranks.front());
    ranks.emplace(c.thread, static_cast<std::int64_t>(rank_of_cell[cell]));
  }
  for (const auto& [thread, rank] : ranks) {
    const std::int64_t cell = program.cell_of_rank[static_cast<std::size_t>(rank)];
    const trace::RankClass* recorded = trace.class_of(rank, thread);
    const trace::RankClass* logical = program.cells.class_of(cell, thread);
    if (recorded == nullptr || logical == nullptr) continue;
    internal::UnseenReader reader(unseen, trace, *recorded, rank);
    walk(*recorded, reader, *logical);
  }
}

} // namespace

std::vector<std::vector<std::uint32_t>>
internal::places_of_calls(const trace::Trace& trace, const LogicalProgram& program,
                          const std::vector<std::uint32_t>& order) {
  std::vector<std::vector<std::uint32_t>> places;
  if (order.empty()) return places;
  for (const auto& merged : program.cells.programs)
    places.emplace_back(merged->calls.size(), ~std::uint32_t{0});
  for_each_class(trace, program, [&](const auto& recorded, auto& unseen, const auto& logical) {
    walk_to_first(trace, unseen, recorded, logical, order, places[logical.merged]);
  });
  return places;
}

std::vector<std::vector<Sites>> sites_of_calls(const trace::Trace& trace,
                                               const LogicalProgram& program) {
  std::vector<std::vector<Sites>> sites;
  for (const auto& merged : program.cells.programs) sites.emplace_back(merged->calls.size());
  // By the flow of control calls keep their sites, which with stacks cut short stand for several.
  const bool has_sites =
      program.is_by_flow && program.frames == 0 && program.cells.sites == trace.sites;
  if (program.is_in_source_order || has_sites) {
    for (std::size_t i = 0; i < sites.size(); ++i) {
      for (std::size_t call = 0; call < sites[i].size(); ++call) {
        const std::uint32_t own = program.cells.programs[i]->calls[call].call.site;
        const std::uint32_t site =
            has_sites ? own : internal::recorded_site(program.cells.sites.at(own));
        if (site < trace.sites.size()) add_site(sites[i][call], site);
      }
    }
    return sites;
  }
  for_each_class(trace, program, [&](const auto& recorded, auto& unseen, const auto& logical) {
    walk(trace, unseen, recorded, logical, sites[logical.merged]);
  });
  return sites;
}

} // namespace rondo::logical
