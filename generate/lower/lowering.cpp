// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/lowering.hpp"

#include "generate/lower/function_names.hpp"
#include "generate/lower/polls.hpp"

#include <algorithm>

namespace rondo::generate::internal {

using trace::Term;

namespace {

const char* const kVariables[] = {"i", "j", "k", "l", "m", "n"};

std::string variable_at(std::size_t depth) {
  constexpr std::size_t kNames = std::size(kVariables);
  return depth < kNames ? kVariables[depth] : "i" + std::to_string(depth - kNames + 1);
}

void set_site(std::vector<Statement>& statements, std::uint32_t site) {
  for (Statement& statement : statements) {
    if (statement.kind == Statement::Kind::kCall) statement.sites = {site};
    set_site(statement.body, site);
    set_site(statement.otherwise, site);
  }
}

// Whether a loop goes round once or not at all, and there are both.
bool is_choice(const std::vector<Sequence>& counts) {
  bool has[2] = {false, false};
  for (const Sequence& of_rank : counts) {
    for (std::size_t i = 0; i < of_rank.size(); ++i) {
      const std::int64_t count = of_rank.at(i);
      if (count != 0 && count != 1) return false;
      has[count] = true;
    }
  }
  return has[0] && has[1];
}

// "i == 0 ? 1 : 0" as "i == 0".
Expression as_condition(Expression e) {
  if (e.kind != Expression::Kind::kIf || !e.of[1].is_number() || !e.of[2].is_number()) return e;
  const bool is_plain = e.of[1].number == 1 && e.of[2].number == 0;
  const bool is_not = e.of[1].number == 0 && e.of[2].number == 1;
  Expression condition = e.of[0];
  if (is_plain) return condition;
  if (!is_not || condition.kind != Expression::Kind::kBinary || condition.text != "==") return e;
  condition.text = "!=";
  return condition;
}

std::string word_for(trace::Role role) {
  switch (role) {
  case trace::Role::kSend:
  case trace::Role::kRecv:
  case trace::Role::kSendrecv:
  case trace::Role::kProbe:
  case trace::Role::kComplete:
  case trace::Role::kRequest:
    return "exchange";
  case trace::Role::kCollective:
  case trace::Role::kNeighbor:
    return "collect";
  case trace::Role::kIo:
    return "files";
  case trace::Role::kRma:
    return "one_sided";
  default:
    return "manage";
  }
}

} // namespace

Lowering::Lowering(const trace::Trace& trace, std::size_t index, const BenchmarkOptions& options,
                   Shared& shared)
    : trace_(trace), program_(*trace.programs[index]), shared_(shared),
      benchmark_(shared.benchmark), forms_(shared.forms), words_(trace, program_),
      places_(trace, index, words_), calls_(trace, words_, places_, shared),
      computation_(trace, index, options, shared.benchmark, shared.forms), predecessors_(program_) {
}

void Lowering::run(std::vector<Statement>& into) {
  note_uses(0, program_.top);
  for (std::size_t loop = 0; loop < program_.loops.size(); ++loop)
    note_uses(static_cast<std::uint32_t>(loop + 1), program_.loops[loop].body);
  Ranks everyone;
  for (std::int64_t r = 0; r < trace_.run.ranks; ++r) everyone.push_back(r);
  const Ranks ranks = program_.ranks().ranks();
  Ranks last;
  guarded(into, body(0, program_.top, ranks), ranks, everyone, last);
}

void Lowering::note_uses(std::uint32_t id, const std::vector<Term>& body) {
  for (std::uint32_t i = 0; i < body.size(); ++i) uses_[body[i].code].push_back({id, i});
}

const std::set<std::uint32_t>& Lowering::symbols_of(std::size_t loop) {
  const auto [found, is_new] = symbols_.try_emplace(loop);
  if (is_new) {
    std::set<std::uint32_t> all;
    for (const Term t : program_.loops[loop].body) {
      if (t.is_loop()) {
        const auto& inner = symbols_of(t.index());
        all.insert(inner.begin(), inner.end());
      } else {
        all.insert(t.index());
      }
    }
    symbols_[loop] = std::move(all);
  }
  return symbols_[loop];
}

const Lowering::Ranks& Lowering::ranks_of(Term term) {
  const std::uint32_t set =
      term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  const auto [found, is_new] = set_ranks_.try_emplace(set);
  if (is_new) found->second = program_.table.sets[set].ranks();
  return found->second;
}

// What is computed between the questions is left of a loop that only asks.
bool Lowering::computes(std::size_t loop) {
  return std::ranges::any_of(
      symbols_of(loop), [&](std::uint32_t symbol) { return computation_.is_worth_a_line(symbol); });
}

// Whether nothing else is left of it.
bool Lowering::only_asks(std::size_t loop) {
  return std::ranges::all_of(symbols_of(loop), [&](std::uint32_t symbol) {
    return is_query(*trace::find_function(program_.calls[symbol].call.function));
  });
}

bool Lowering::is_single(Term term) const { return uses_.at(term.code).size() == 1; }

// Whether it stands in several places, and what was recorded before it comes before one of them.
bool Lowering::tells_places_apart(std::size_t symbol) {
  const auto [known, is_new] = tells_apart_.try_emplace(symbol, false);
  const Term term = Term::symbol(static_cast<std::uint32_t>(symbol));
  if (!is_new || is_single(term)) return known->second;
  std::set<std::uint32_t> all;
  for (const TermPlace& place : uses_.at(term.code))
    all.merge(predecessors_.before(place.body, place.index));
  known->second = computation_.is_behind_one_of(symbol, all);
  return known->second;
}

EnclosingLoops Lowering::place() const {
  EnclosingLoops place;
  for (const Open& open : open_) place.loops.push_back({open.variable, open.count});
  return place;
}

// ---- Bodies -------------------------------------------------------------------------------------

std::vector<Statement> Lowering::body(std::uint32_t id, const std::vector<Term>& terms,
                                      const Ranks& universe) {
  std::vector<Statement> result;
  Ranks last; // of the condition that was written last
  std::size_t next = 0;
  std::set<std::int64_t> begun; // ranks for which the body has begun
  while (next < terms.size()) {
    const Ranks ranks = ranks_of(terms[next]);
    std::vector<Statement> run;
    for (; next < terms.size() && ranks_of(terms[next]) == ranks; ++next) {
      if (!open_.empty())
        open_.back().starts_it =
            std::ranges::none_of(ranks, [&](std::int64_t r) { return begun.contains(r); });
      for (Statement& statement : term(terms[next], {id, static_cast<std::uint32_t>(next)}))
        run.push_back(std::move(statement));
      begun.insert(ranks.begin(), ranks.end());
    }
    if (!run.empty()) guarded(result, std::move(run), ranks, universe, last);
  }
  return result;
}

std::vector<Statement> Lowering::term(Term term, const TermPlace& at) {
  if (!term.is_loop()) return call_statements(term.index(), at);
  if (only_asks(term.index()) && !computes(term.index())) return {};
  if (!is_single(term)) return {invocation(term.index(), at)};
  return {loop_statement(term.index(), trip_count(term.index(), at, true))};
}

// Statements for some ranks of those that come here; what the others do is joined as "else".
void Lowering::guarded(std::vector<Statement>& into, std::vector<Statement> statements,
                       const Ranks& ranks, const Ranks& universe, Ranks& last) {
  if (ranks == universe) {
    for (Statement& statement : statements) into.push_back(std::move(statement));
    last.clear();
    return;
  }
  Ranks both;
  std::ranges::set_union(last, ranks, std::back_inserter(both));
  if (!last.empty() && both == universe && last.size() + ranks.size() == universe.size()) {
    last.clear();
    if (into.back().body == statements) { // recorded apart, for their times or sites, but the same
      join_sites(statements, into.back().body);
      into.pop_back();
      for (Statement& statement : statements) into.push_back(std::move(statement));
    } else {
      into.back().otherwise = std::move(statements);
    }
    return;
  }
  Statement choice{.kind = Statement::Kind::kIf, .name = ""};
  choice.value = condition(ranks, universe);
  choice.body = std::move(statements);
  into.push_back(std::move(choice));
  last = ranks;
}

Expression Lowering::condition(const Ranks& inside, const Ranks& universe) {
  if (auto formula = condition_for(inside, universe)) return *formula;
  std::vector<std::int64_t> flags(static_cast<std::size_t>(trace_.run.ranks), 0);
  for (const std::int64_t r : inside) flags[static_cast<std::size_t>(r)] = 1;
  return lookup(
      forms_.add_rows({flags}, {.hint = "takes_part", .leaf = number, .constant_name = {}}),
      {rank()});
}

// ---- Calls and loops ----------------------------------------------------------------------------

std::vector<Statement> Lowering::call_statements(std::size_t symbol, const TermPlace& at) {
  std::vector<Statement> result;
  std::vector<LoopAround> around; // that begin with the call
  std::size_t outermost = open_.size(); // of them
  for (std::size_t level = open_.size(); level-- > 0 && open_[level].starts_it;) {
    if (open_[level].is_choice) continue; // has one pass
    around.push_back({open_[level].variable, &predecessors_.last_of(open_[level].loop)});
    outermost = level;
  }
  std::set<std::uint32_t> outside;
  if (!around.empty()) {
    outside = predecessors_.before(open_[outermost].loop);
  } else if (tells_places_apart(symbol)) {
    outside = predecessors_.before(at.body, at.index);
  }
  if (auto time = computation_.before(symbol, calls_.domain(symbol), around, outside))
    result.push_back({.kind = Statement::Kind::kCompute, .name = "", .value = std::move(*time)});
  std::vector<Statement> made = calls_.statements(symbol, place(), at);
  set_site(made, program_.calls[symbol].call.site);
  for (Statement& statement : made) result.push_back(std::move(statement));
  return result;
}

std::string Lowering::next_variable() const {
  return variable_at(static_cast<std::size_t>(
      std::ranges::count_if(open_, [](const Open& open) { return !open.is_choice; })));
}

Statement Lowering::loop_statement(std::size_t loop, Trips trips) {
  const auto index = static_cast<std::uint32_t>(loop);
  Statement statement{.kind = Statement::Kind::kIf, .name = ""};
  if (!trips.is_choice) statement = {.kind = Statement::Kind::kLoop, .name = next_variable()};
  statement.value = std::move(trips.value);
  open_.push_back({loop, statement.name, trips.constant, true, trips.is_choice});
  statement.body = body(index + 1, program_.loops[loop].body, ranks_of(Term::loop(index)));
  open_.pop_back();
  return statement;
}

Lowering::Trips Lowering::trip_count(std::size_t loop, const TermPlace& at, bool may_be_choice) {
  const Term term = Term::loop(static_cast<std::uint32_t>(loop));
  Domain domain;
  domain.world = ranks_of(term);
  domain.own = domain.world;
  domain.size = trace_.run.ranks;
  std::vector<Sequence> counts;
  for (const std::int64_t r : domain.world)
    counts.push_back(places_.at(
        at, term, r,
        words_.sequence(program_.loops[loop].trip_count, r, {r, trace_.run.ranks, nullptr})));
  if (may_be_choice && is_choice(counts)) {
    const ValueKind kind{.hint = "taken", .is_number = false, .leaf = number, .constant_name = {}};
    return {as_condition(forms_.expression(domain, counts, place(), kind)), 0, true};
  }
  const ValueKind kind{.hint = "iterations", .leaf = number, .constant_name = {}};
  Trips trips{forms_.expression(domain, counts, place(), kind)};
  if (!trips.value.is_number()) return trips;
  trips.constant = trips.value.number;
  const std::string name = shared_.fresh("ITERATIONS");
  benchmark_.constants.push_back({name, trips.constant, ""});
  trips.value = generate::name(name);
  return trips;
}

bool Lowering::has_one_trip_count(std::size_t loop) const {
  return program_.loops[loop].trip_count.form == trace::Word::Form::kConstant;
}

// A loop that stands in several places is a function. If it does not iterate as often at each of
// them, it is told.
Statement Lowering::invocation(std::size_t loop, const TermPlace& at) {
  Statement invocation{.kind = Statement::Kind::kInvoke, .name = ""};
  const bool is_told = !has_one_trip_count(loop);
  if (is_told) invocation.arguments.push_back({"iterations", trip_count(loop, at, false).value});
  auto& function = functions_[loop];
  if (function.empty()) {
    function = function_name(loop);
    std::vector<Open> around;
    std::swap(around, open_); // a function does not see the loops around its calls
    Function made{function, "", is_told, {}, {}};
    made.body.push_back(
        loop_statement(loop, is_told ? Trips{name("iterations")} : trip_count(loop, at, false)));
    std::swap(around, open_);
    benchmark_.functions.push_back(std::move(made));
  }
  invocation.name = function;
  return invocation;
}

std::string Lowering::function_name(std::size_t loop) {
  std::set<std::string> words;
  for (const std::uint32_t symbol : symbols_of(loop))
    words.insert(word_for(trace::find_function(program_.calls[symbol].call.function)->role));
  const std::string name = words.size() == 1 ? *words.begin() : "step";
  return shared_.fresh(name);
}

} // namespace rondo::generate::internal
