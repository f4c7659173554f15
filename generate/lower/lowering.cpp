// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/lowering.hpp"

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
    : trace_(trace), program_(*trace.programs[index]), options_(options), shared_(shared),
      benchmark_(shared.benchmark), forms_(shared.forms), words_(trace, program_),
      places_(trace, index, words_), calls_(trace, words_, places_, shared),
      computation_(trace, index, options, shared.benchmark, shared.forms), predecessors_(program_) {
}

void Lowering::run() {
  count_uses(program_.top);
  for (const trace::MergedLoop& loop : program_.loops) count_uses(loop.body);
  Ranks everyone;
  for (std::int64_t r = 0; r < trace_.run.ranks; ++r) everyone.push_back(r);
  const Ranks ranks = program_.ranks().ranks();
  Ranks last;
  guarded(benchmark_.main, body(0, program_.top, ranks), ranks, everyone, last);
}

void Lowering::count_uses(const std::vector<Term>& body) {
  for (const Term t : body) ++uses_[t.code];
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

// Whether nothing is left of a loop.
bool Lowering::only_asks(std::size_t loop) {
  return std::ranges::all_of(symbols_of(loop), [&](std::uint32_t symbol) {
    return is_query(*trace::find_function(program_.calls[symbol].call.function));
  });
}

bool Lowering::is_single(Term term) const { return uses_.at(term.code) == 1; }

Place Lowering::place() const {
  Place place;
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
  if (only_asks(term.index())) return {};
  if (!is_single(term)) return {invocation(term.index(), at)};
  std::int64_t constant = 0;
  Expression trips = trip_count(term.index(), at, constant);
  return {loop_statement(term.index(), std::move(trips), constant)};
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
  for (std::size_t level = open_.size(); level-- > 0 && open_[level].starts_it;)
    around.push_back({open_[level].variable, &predecessors_.last_of(open_[level].loop)});
  const std::set<std::uint32_t> outside =
      around.empty() ? std::set<std::uint32_t>()
                     : predecessors_.before(open_[open_.size() - around.size()].loop);
  if (auto time = computation_.before(symbol, calls_.domain(symbol), around, outside))
    result.push_back({.kind = Statement::Kind::kCompute, .name = "", .value = std::move(*time)});
  std::vector<Statement> made = calls_.statements(symbol, place(), at);
  if (options_.site && !made.empty())
    made.front().comment = options_.site(program_.calls[symbol].call);
  for (Statement& statement : made) result.push_back(std::move(statement));
  return result;
}

Statement Lowering::loop_statement(std::size_t loop, Expression trips, std::int64_t constant) {
  const auto index = static_cast<std::uint32_t>(loop);
  Statement statement{.kind = Statement::Kind::kLoop, .name = variable_at(open_.size())};
  statement.value = std::move(trips);
  open_.push_back({loop, statement.name, constant, true});
  statement.body = body(index + 1, program_.loops[loop].body, ranks_of(Term::loop(index)));
  open_.pop_back();
  return statement;
}

// How often a loop iterates each time that it is entered at this place; `constant` if that is
// always the same.
Expression Lowering::trip_count(std::size_t loop, const TermPlace& at, std::int64_t& constant) {
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
  const ValueKind kind{.hint = "iterations", .leaf = number, .constant_name = {}};
  Expression value = forms_.expression(domain, counts, place(), kind);
  if (!value.is_number()) return value;
  constant = value.number;
  const std::string name = shared_.fresh("ITERATIONS");
  benchmark_.constants.push_back({name, constant, ""});
  return generate::name(name);
}

bool Lowering::has_one_trip_count(std::size_t loop) const {
  return program_.loops[loop].trip_count.form == trace::Word::Form::kConstant;
}

// A loop that stands in several places is a function. If it does not iterate as often at each of
// them, it is told.
Statement Lowering::invocation(std::size_t loop, const TermPlace& at) {
  Statement invocation{.kind = Statement::Kind::kInvoke, .name = ""};
  const bool is_told = !has_one_trip_count(loop);
  std::int64_t constant = 0;
  if (is_told) invocation.arguments.push_back({"iterations", trip_count(loop, at, constant)});
  auto& function = functions_[loop];
  if (function.empty()) {
    function = function_name(loop);
    std::vector<Open> around;
    std::swap(around, open_); // a function does not see the loops around its calls
    Function made{function, "", is_told, {}, {}};
    Expression trips = is_told ? name("iterations") : trip_count(loop, at, constant);
    made.body.push_back(loop_statement(loop, std::move(trips), is_told ? 0 : constant));
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
