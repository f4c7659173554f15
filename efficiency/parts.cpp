// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/parts.hpp"
#include "rondo/trace/call_meaning.hpp"

#include "efficiency/part_clock.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rondo::efficiency {
namespace {

constexpr double kNs = 1e-9; // in seconds
constexpr std::string_view kNoComm = "no communicator";
constexpr std::string_view kSeveralComms = "several communicators";
constexpr std::string_view kFiles = "files";
// Requests are completed long before so many others were made.
constexpr std::uint64_t kRequestsKept = 1 << 16;

double share(double part, double whole) { return whole > 0 ? part / whole : 1; }

// Mean times of a class's places, rank by rank, made to add up to what the class took.
class PlaceMeans {
public:
  explicit PlaceMeans(const trace::Program& program) : first_(program.calls.size() + 1, 0) {
    for (const trace::PlaceTimes& place : program.times) {
      if (place.call >= program.calls.size()) continue;
      places_.push_back(place_of(place));
      ++first_[place.call + std::size_t{1}]; // sorted by call
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  }

  struct Means {
    double computation_ns = 0;
    double inside_ns = 0;
  };
  /// @param index  of the rank in its class
  Means of(std::uint32_t before, std::uint32_t symbol, std::size_t index) const {
    const Place* other = nullptr;
    for (std::size_t i = first_[symbol]; i < first_[symbol + std::size_t{1}]; ++i) {
      if (places_[i].before == before) return of(places_[i], index);
      if (places_[i].before == trace::PlaceTimes::kOther) other = &places_[i];
    }
    return other != nullptr ? of(*other, index) : Means{};
  }

private:
  struct Place {
    std::uint32_t before = 0;
    const trace::PlaceTimes* times = nullptr;
    double computation = 1; // exact mean / mean of the ranks' codes; 0: only the mean of all
    double inside = 1;
  };

  static double exact(double mean, double sum_of_codes, std::size_t ranks) {
    return sum_of_codes > 0 ? mean * static_cast<double>(ranks) / sum_of_codes : 0;
  }

  static Place place_of(const trace::PlaceTimes& times) {
    double computation = 0;
    double inside = 0;
    for (const trace::RankMeans& rank : times.means) {
      computation += trace::mean_of_code_ns(rank.computation);
      inside += trace::mean_of_code_ns(rank.inside);
    }
    return {times.before, &times,
            exact(times.computation.mean_ns(), computation, times.means.size()),
            exact(times.inside.mean_ns(), inside, times.means.size())};
  }

  static Means of(const Place& place, std::size_t index) {
    const trace::PlaceTimes& times = *place.times;
    Means means{times.computation.mean_ns(), times.inside.mean_ns()};
    if (index >= times.means.size()) return means;
    const trace::RankMeans& own = times.means[index];
    if (place.computation > 0)
      means.computation_ns = place.computation * trace::mean_of_code_ns(own.computation);
    if (place.inside > 0) means.inside_ns = place.inside * trace::mean_of_code_ns(own.inside);
    return means;
  }

  std::vector<std::size_t> first_; // by symbol, and one more
  std::vector<Place> places_;
};

struct Weights { // of one rank, by part
  std::vector<double> useful, inside;
  void add(std::uint32_t part, double useful_ns, double inside_ns) {
    if (part >= useful.size()) {
      useful.resize(std::size_t{part} + 1);
      inside.resize(std::size_t{part} + 1);
    }
    useful[part] += useful_ns;
    inside[part] += inside_ns;
  }
};

bool is_init(const trace::Function& function) {
  return function.name == mpi::Init || function.name == mpi::Init_thread;
}

// Adds the calls of one stream, by their own times as far as those were kept.
void add_stream(const trace::Trace& trace, const trace::RankClass& c, const PlaceMeans& means,
                std::int64_t rank, PartNumbers& numbers, Weights& weights) {
  const std::size_t index = c.ranks.index_of(rank).value_or(0);
  const bool knows_startup = trace.ranks[static_cast<std::size_t>(rank)].startup_ns > 0;
  std::optional<trace::TimeStampReader> stamps;
  if (const trace::TimeStamps* all = trace.stamps_of(rank, c.thread)) stamps.emplace(*all);
  trace::CallReader reader(trace, c, rank);
  PartTracker tracker(numbers, *c.program);
  std::uint32_t before = trace::PlaceTimes::kStart;
  while (const trace::CallInstance* call = reader.next()) {
    PlaceMeans::Means times;
    const auto stamp = stamps ? stamps->next() : std::nullopt;
    if (stamp) {
      times = {static_cast<double>(stamp->computation_ns), static_cast<double>(stamp->inside_ns)};
    } else {
      times = means.of(before, call->symbol, index);
    }
    if (knows_startup && is_init(*call->function)) times.inside_ns = 0;
    weights.add(tracker.next(*call), times.computation_ns, times.inside_ns);
    before = call->symbol;
  }
}

// Whole numbers in proportion to the weights that add up to `sum` exactly.
std::vector<std::uint64_t> dealt(std::uint64_t sum, const std::vector<double>& weights,
                                 std::size_t parts) {
  std::vector<std::uint64_t> result(parts, 0);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (parts == 0) return result;
  if (all <= 0) {
    result.front() = sum;
    return result;
  }
  double up_to_here = 0;
  std::uint64_t given = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    up_to_here += weights[i];
    const auto end = std::min(
        sum, static_cast<std::uint64_t>(std::llround(static_cast<double>(sum) * up_to_here / all)));
    result[i] = end > given ? end - given : 0;
    given = std::max(given, end);
    last = i;
  }
  result[last] += sum - given;
  return result;
}

// What a recording knows exactly of a rank, by part; nothing if it does not.
std::optional<std::vector<PartTime>> known_times(const trace::RankFacts& facts,
                                                 PartNumbers& numbers) {
  const trace::TimeSum all{facts.computation_ns, facts.inside_ns};
  std::vector<PartTime> result;
  const auto add = [&](std::uint32_t part, const trace::TimeSum& time) {
    if (part >= result.size()) result.resize(std::size_t{part} + 1);
    result[part].useful_ns += time.computation_ns;
    result[part].inside_ns += time.inside_ns;
  };
  // MPI_Init is no part's: it is the first call, so that no phase is open.
  const auto without_startup = [&](std::uint32_t part) {
    if (facts.startup_ns == 0) return true;
    if (part >= result.size() || result[part].inside_ns < facts.startup_ns) return false;
    result[part].inside_ns -= facts.startup_ns;
    return true;
  };
  if (numbers.by() == PartsBy::kFunction && facts.sums.functions_add_up_to(all)) {
    std::optional<std::uint32_t> init;
    for (const trace::TimeSums::Function& each : facts.sums.functions) {
      const trace::Function& function = *trace::find_function(each.id);
      const std::uint32_t part = numbers.of_function(function);
      if (is_init(function)) init = part;
      add(part, each.time);
    }
    if (!init || without_startup(*init)) return result;
  }
  if (numbers.by() == PartsBy::kPhase && facts.sums.phases_add_up_to(all)) {
    for (const trace::TimeSums::Phase& each : facts.sums.phases)
      add(each.name.empty() ? numbers.outside() : numbers.of_name(each.name), each.time);
    if (without_startup(numbers.outside())) return result;
  }
  return std::nullopt;
}

// The same from the mean times of its calls, in proportion.
std::vector<PartTime> estimated_times(const trace::RankFacts& facts, const Weights& weights,
                                      std::size_t parts) {
  const std::uint64_t inside_ns = facts.inside_ns - std::min(facts.inside_ns, facts.startup_ns);
  const auto useful = dealt(facts.computation_ns, weights.useful, parts);
  const auto inside = dealt(inside_ns, weights.inside, parts);
  std::vector<PartTime> result;
  for (std::size_t i = 0; i < parts; ++i) result.push_back({useful[i], inside[i]});
  return result;
}

void finish(PartFactors& part, const Factors& run, double all_s) {
  double useful_sum = 0;
  double inside_sum = 0;
  for (std::size_t rank = 0; rank < part.by_rank.size(); ++rank) {
    const double useful = static_cast<double>(part.by_rank[rank].useful_ns) * kNs;
    const double inside = static_cast<double>(part.by_rank[rank].inside_ns) * kNs;
    useful_sum += useful;
    inside_sum += inside;
    part.runtime_s = std::max(part.runtime_s, useful + inside);
    if (useful <= part.useful_max_s) continue;
    part.useful_max_s = useful;
    part.slowest_rank = static_cast<std::int64_t>(rank);
  }
  if (run.ranks > 0) part.useful_mean_s = useful_sum / static_cast<double>(run.ranks);
  part.parallel = share(part.useful_mean_s, part.runtime_s);
  part.load_balance = share(part.useful_mean_s, part.useful_max_s);
  part.communication = share(part.useful_max_s, part.runtime_s);
  if (all_s <= 0) return;
  part.share = (useful_sum + inside_sum) / all_s;
  part.lost = inside_sum / all_s;
}

} // namespace

Result<PartsBy> parse_parts_by(std::string_view name) {
  if (name == "phase") return PartsBy::kPhase;
  if (name == "communicator") return PartsBy::kCommunicator;
  if (name == "function") return PartsBy::kFunction;
  if (name == "procedure") return PartsBy::kProcedure;
  return fail(ErrorCode::kUsage, "'" + std::string(name) +
                                     "' is nothing to sort by; choose phase, communicator, "
                                     "function or procedure");
}

// Numbers -----------------------------------------------------------------------------------------

PartNumbers::PartNumbers(const trace::Trace& trace, PartsBy by, ProcedureOfSite procedure)
    : by_(by), procedure_(std::move(procedure)) {
  if (by == PartsBy::kCommunicator) comms_.emplace(trace);
}

std::uint32_t PartNumbers::of_name(const std::string& name) {
  const auto [found, is_new] =
      numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return found->second;
}

std::uint32_t PartNumbers::outside() {
  if (!outside_) outside_ = of_name("");
  return *outside_;
}

std::uint32_t PartNumbers::of_function(const trace::Function& function) {
  if (function.id >= of_function_.size()) of_function_.resize(function.id + std::size_t{1});
  std::optional<std::uint32_t>& number = of_function_[function.id];
  if (!number) number = of_name(std::string(function.name));
  return *number;
}

std::uint32_t PartNumbers::of_site(std::uint32_t site) {
  const auto known = of_site_.find(site);
  if (known != of_site_.end()) return known->second;
  const std::uint32_t number = of_name(procedure_ ? procedure_(site) : std::string());
  of_site_.emplace(site, number);
  return number;
}

std::uint32_t PartNumbers::of_comm(std::int64_t slot) {
  const auto known = of_comm_.find(slot);
  if (known != of_comm_.end()) return known->second;
  const std::uint32_t number =
      of_name(trace::is_special(slot) || !comms_ ? std::string(kNoComm) : comms_->of(slot));
  of_comm_.emplace(slot, number);
  return number;
}

// One stream --------------------------------------------------------------------------------------

std::uint32_t PartTracker::next(const trace::CallInstance& call) {
  switch (numbers_->by()) {
  case PartsBy::kPhase:
    return phase(call);
  case PartsBy::kCommunicator:
    return communicator(call);
  case PartsBy::kFunction:
    return numbers_->of_function(*call.function);
  case PartsBy::kProcedure:
    return numbers_->of_site(call.site);
  }
  return 0;
}

// Marks themselves: what was computed before them is of the phase before.
std::uint32_t PartTracker::phase(const trace::CallInstance& call) {
  const std::uint32_t part = phases_.empty() ? numbers_->outside() : phases_.back();
  if (call.function->role != trace::Role::kMarker) return part;
  const int word = trace::meaning_of(*call.function).name;
  if (word < 0) return part; // paused or resumed
  const auto text = call.words[static_cast<std::size_t>(word)];
  const bool is_known = text >= 0 && static_cast<std::uint64_t>(text) < program_->texts.size();
  const std::string name = is_known ? program_->texts[static_cast<std::size_t>(text)] : "?";
  if (call.function->name == "rondo_phase_begin") {
    phases_.push_back(numbers_->of_name(name));
    return part;
  }
  // What was never begun is no part.
  const auto open = std::find_if(phases_.rbegin(), phases_.rend(), [&](std::uint32_t number) {
    return numbers_->names()[number] == name;
  });
  if (open != phases_.rend()) phases_.erase(std::next(open).base());
  return part;
}

std::uint32_t PartTracker::communicator(const trace::CallInstance& call) {
  const trace::Function& function = *call.function;
  const auto word = [&](int index) { return call.words[static_cast<std::size_t>(index)]; };
  const int comm = function.comm_word();
  const int window = trace::meaning_of(function).window;
  std::uint32_t part = 0;
  if (function.role == trace::Role::kIo) {
    part = numbers_->of_name(std::string(kFiles));
  } else if (comm >= 0) {
    part = numbers_->of_comm(word(comm));
    if (window >= 0) windows_[word(window)] = part;
  } else if (window >= 0 && windows_.count(word(window)) > 0) {
    part = windows_[word(window)];
  } else {
    part = of_requests(call);
  }
  if (!function.makes_request || call.error != 0) return part;
  if (function.mode == trace::Mode::kPersistent || function.mode == trace::Mode::kPartitioned) {
    slots_.add(part);
  } else if (made_++ < kRequestsKept) {
    requests_.push_back(part);
  } else {
    requests_[(made_ - 1) % kRequestsKept] = part;
  }
  return part;
}

std::optional<std::uint32_t> PartTracker::of_request(std::int64_t reference) {
  if (trace::is_special(reference) || trace::is_foreign(reference)) return std::nullopt;
  if (trace::is_persistent(reference)) {
    const std::uint32_t* slot = slots_.find(reference);
    return slot != nullptr ? std::optional(*slot) : std::nullopt;
  }
  const std::uint64_t age = trace::age_or_slot(reference);
  if (age >= std::min(made_, kRequestsKept)) return std::nullopt;
  return requests_[(made_ - 1 - age) % kRequestsKept];
}

// What all requests that a call names have in common.
std::uint32_t PartTracker::of_requests(const trace::CallInstance& call) {
  std::optional<std::uint32_t> common;
  bool are_several = false;
  const auto look = [&](std::int64_t reference) {
    const auto part = of_request(reference);
    if (!part) return;
    are_several = are_several || (common && *common != *part);
    common = part;
  };
  const trace::CallView view(trace::meaning_of(*call.function), call.words);
  if (view.means().request >= 0) {
    look(view.request());
    if (view.means().act == trace::Act::kFreeRequest) slots_.free(view.request());
  } else if (view.means().requests >= 0) {
    const std::int64_t index = view.requests();
    if (index >= 0 && static_cast<std::uint64_t>(index) < program_->arrays.size()) {
      for (const std::int64_t each : program_->arrays[static_cast<std::size_t>(index)]) look(each);
    }
  }
  if (are_several) return numbers_->of_name(std::string(kSeveralComms));
  return common ? *common : numbers_->of_comm(trace::kNothing);
}

// The run -----------------------------------------------------------------------------------------

Parts parts_of(const trace::Trace& trace, const Factors& run, PartNumbers& numbers) {
  std::vector<Weights> weights(trace.ranks.size());
  for (const trace::RankClass& c : trace.classes) {
    const PlaceMeans means(*c.program);
    for (const std::int64_t rank : c.ranks.ranks())
      add_stream(trace, c, means, rank, numbers, weights[static_cast<std::size_t>(rank)]);
  }
  std::vector<std::optional<std::vector<PartTime>>> known;
  for (const trace::RankFacts& facts : trace.ranks) known.push_back(known_times(facts, numbers));
  Parts result;
  result.has_no_inside = run.has_no_inside;
  for (const std::string& name : numbers.names()) {
    PartFactors part;
    part.name = name;
    part.by_rank.resize(trace.ranks.size());
    result.parts.push_back(std::move(part));
  }
  const std::vector<std::uint64_t> threads = internal::threads_of_ranks(trace);
  double in_parts_s = 0;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const auto times = known[rank]
                           ? *known[rank]
                           : estimated_times(trace.ranks[rank], weights[rank], result.parts.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      PartTime& time = result.parts[i].by_rank[rank];
      time = {times[i].useful_ns / threads[rank], times[i].inside_ns / threads[rank]};
      in_parts_s += static_cast<double>(time.useful_ns + time.inside_ns) * kNs;
    }
  }
  const double all_s = run.runtime_s * static_cast<double>(run.ranks);
  for (PartFactors& part : result.parts) finish(part, run, all_s);
  if (all_s > 0) result.in_none = 1 - in_parts_s / all_s;
  return result;
}

namespace {

// The part takes as long as it is played.
void set_played(PartFactors& part, const Factors& run, double longest_s, double sum_s) {
  part.runtime_s = longest_s;
  part.parallel = share(part.useful_mean_s, longest_s);
  part.communication = share(part.useful_max_s, longest_s);
  const double all_s = run.runtime_s * static_cast<double>(run.ranks);
  if (all_s <= 0) return;
  part.share = sum_s / all_s;
  part.lost = part.share - part.useful_mean_s / run.runtime_s;
}

} // namespace

void add_ideal(Parts& parts, const Factors& run, const std::vector<std::vector<double>>& by_rank) {
  if (parts.has_no_inside) parts.in_none = 1;
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    PartFactors& part = parts.parts[i];
    double longest_s = 0;
    double sum_s = 0;
    for (const std::vector<double>& of_rank : by_rank) {
      if (i >= of_rank.size()) continue;
      longest_s = std::max(longest_s, of_rank[i]);
      sum_s += of_rank[i];
    }
    part.ideal_runtime_s = longest_s;
    if (parts.has_no_inside) {
      set_played(part, run, longest_s, sum_s);
      parts.in_none -= part.share;
    }
    part.serialisation = std::min(share(part.useful_max_s, longest_s), 1.0);
    part.transfer = share(part.communication, part.serialisation);
  }
}

} // namespace rondo::efficiency
