// SPDX-License-Identifier: Apache-2.0
#include "archive/courses_codec.hpp"
#include "archive/image.hpp"
#include "archive/modelled_courses.hpp"
#include "archive/modelled_program.hpp"
#include "archive/modelled_times.hpp"
#include "archive/program_codec.hpp"
#include "archive/rondo_generated.h"
#include "archive/times_columns.hpp"
#include "rondo/archive/archive.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

namespace rondo::archive {
namespace {

using Vector = flatbuffers::Vector<std::uint8_t>;

std::string_view view(const Vector* bytes) {
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// Reads packed fields and remembers whether all were sound. Rows of a table may share their bytes,
// so that each is paid for when it is read.
class Fields {
public:
  explicit Fields(Budget* budget) : budget_(budget) {}

  std::string text(const flatbuffers::String* string) {
    return string != nullptr && pay(1, string->size()) ? string->str() : "";
  }
  Unpacker unpacker(const Vector* bytes) { return unpacker(view(bytes)); }
  Unpacker unpacker(std::string_view bytes) { return Unpacker(bytes, budget_); }
  /// Whether the budget has room for `count` rows of so many bytes.
  bool pay(std::uint64_t count, std::uint64_t bytes_each) {
    if (budget_ != nullptr) require(budget_->take_items(count, bytes_each));
    return ok_;
  }

  std::vector<trace::RankRange> ranges(const Vector* bytes) {
    if (bytes == nullptr) return {};
    Unpacker in = unpacker(bytes);
    auto ranges = unpack_ranges(in);
    check(in);
    std::uint64_t members = 0; // which analyses go through one by one
    for (const trace::RankRange& range : ranges) members += static_cast<std::uint64_t>(range.count);
    pay(members, 0);
    return ranges;
  }
  trace::RankSet set(const Vector* bytes) {
    if (bytes == nullptr) return {};
    Unpacker in = unpacker(bytes);
    trace::RankSet set = unpack_set(in);
    check(in);
    return set;
  }
  void check(const Unpacker& in) { ok_ = ok_ && in.ok() && in.at_end(); }
  void require(bool condition) { ok_ = ok_ && condition; }
  bool ok() const { return ok_; }

private:
  Budget* budget_;
  bool ok_ = true;
};

// Calls visit(row) for each table of a vector that may be missing.
template <class Rows, class Visit> void for_each(const Rows* rows, Visit visit) {
  if (rows == nullptr) return;
  for (const auto* row : *rows) visit(*row);
}

// The same for rows that become a Row each, as long as they can be paid for.
template <class Row, class Rows, class Visit>
void for_each_paid(const Rows* rows, Fields& fields, Visit visit) {
  if (rows == nullptr) return;
  for (const auto* row : *rows) {
    if (!fields.pay(1, sizeof(Row))) return;
    visit(*row);
  }
}

void read_run(const fb::Run& run, trace::RunFacts& facts, Fields& fields) {
  facts.command = fields.text(run.command());
  facts.mpi = fields.text(run.mpi());
  facts.recorder = fields.text(run.recorder());
  facts.notes = fields.text(run.notes());
  facts.choice = fields.text(run.choice());
  facts.ranks = run.ranks();
  facts.start_unix_ns = run.start_unix_ns();
  facts.complete = run.complete();
  facts.thread_level = run.thread_level();
}

std::int64_t number_or_nothing(std::int64_t value) {
  return value == kNoNumber ? trace::kNothing : value;
}

void read_objects(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  for_each_paid<trace::Host>(in.hosts(), fields, [&](const fb::Host& host) {
    trace.hosts.push_back({fields.text(host.name()), fields.set(host.ranks())});
  });
  for_each_paid<trace::CommDefinition>(in.comms(), fields, [&](const fb::Comm& comm) {
    trace.comms.push_back(
        {comm.slot(),
         fields.ranges(comm.members()),
         fields.ranges(comm.remote()),
         fields.set(comm.holders()),
         {number_or_nothing(comm.parent()), number_or_nothing(comm.tag()), comm.ordinal()}});
  });
  for_each_paid<trace::GroupDefinition>(in.groups(), fields, [&](const fb::Group& group) {
    trace.groups.push_back(
        {group.slot(), fields.ranges(group.members()), fields.set(group.holders())});
  });
  for_each_paid<trace::DatatypeDefinition>(in.datatypes(), fields, [&](const fb::Datatype& type) {
    trace.datatypes.push_back({type.slot(), fields.text(type.name()), type.size_bytes(),
                               type.extent_bytes(), fields.set(type.holders())});
  });
}

void read_modules(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  if (in.build_ids() == nullptr) return;
  const auto count = in.build_ids()->size();
  fields.require(count == 0 || (in.modules() != nullptr && count <= in.modules()->size()));
  for (flatbuffers::uoffset_t i = 0; i < count && fields.pay(1, sizeof(trace::Module)); ++i)
    trace.modules.push_back(
        {fields.text(in.modules()->Get(i)), fields.text(in.build_ids()->Get(i))});
}

void read_sites(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  Unpacker sites = fields.unpacker(in.sites());
  while (!sites.at_end()) {
    const std::uint64_t module = sites.get();
    const std::uint64_t offset = sites.get();
    fields.require(in.modules() != nullptr && module < in.modules()->size());
    if (!fields.pay(1, sizeof(trace::CallSite))) return;
    trace.sites.push_back(
        {fields.text(in.modules()->Get(static_cast<flatbuffers::uoffset_t>(module))), offset});
  }
  fields.check(sites);
  if (in.callers() == nullptr) return;
  Unpacker callers = fields.unpacker(in.callers());
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const std::uint64_t caller = callers.get();
    fields.require(caller <= i); // callers stand before: no stack is endless
    trace.sites[i].caller = static_cast<std::uint32_t>(caller);
  }
  fields.check(callers);
}

// More ranks than any run has, however much --limit allows.
constexpr std::uint64_t kMostRanks = 1 << 22;

// A value for each rank: calls set(facts, value).
template <class Set> void read_column(Unpacker& in, Image& image, Fields& fields, Set set) {
  const trace::RankSequence values = unpack_sequence(in);
  fields.require(values.size() == image.rank_ids.size());
  if (!fields.ok()) return;
  auto rank = image.trace.ranks.begin();
  values.for_each_run([&](std::int64_t value, std::uint64_t count) {
    for (; count > 0; --count) set(*rank++, value);
  });
}

void read_fact(Unpacker& in, Image& image, RankFact fact, Fields& fields) {
  read_column(in, image, fields, [fact](trace::RankFacts& facts, std::int64_t value) {
    facts.*fact = static_cast<std::uint64_t>(value);
  });
}

void read_facts(const fb::Trace& in, Image& image, Fields& fields) {
  Unpacker facts = fields.unpacker(in.rank_facts());
  if (facts.at_end()) return;
  const trace::RankSequence ids = unpack_sequence(facts);
  fields.require(ids.size() <= kMostRanks);
  if (!fields.pay(ids.size(), sizeof(trace::RankFacts) + 2 * sizeof(std::int64_t))) return;
  std::int64_t id = 0;
  for (const std::int64_t step : ids.values()) {
    id = trace::wrapping_sum(id, step);
    image.rank_ids.push_back(id);
  }
  image.trace.ranks.resize(image.rank_ids.size());
  for (const auto fact : kFacts) read_fact(facts, image, fact, fields);
  fields.check(facts);
}

// What came later than the facts above; missing in older files.
template <std::size_t n>
void read_later(const Vector* bytes, const RankFact (&wanted)[n], Image& image, Fields& fields) {
  if (bytes == nullptr) return;
  Unpacker in = fields.unpacker(bytes);
  for (const auto fact : wanted) read_fact(in, image, fact, fields);
  fields.check(in);
}

void read_clocks(const fb::Trace& in, Image& image, Fields& fields) {
  if (in.clocks() == nullptr) return;
  if (!fields.pay(image.rank_ids.size(), sizeof(trace::RankClock))) return;
  Unpacker clocks = fields.unpacker(in.clocks());
  const auto read = [&](auto part) {
    read_column(clocks, image, fields, [part](trace::RankFacts& facts, std::int64_t value) {
      if (value == 0) return;
      trace::RankClock& clock = facts.clock.edit();
      clock.*part = static_cast<std::remove_reference_t<decltype(clock.*part)>>(value);
    });
  };
  for (const auto part : kClock) read(part);
  for (const auto part : kClockNumbers) read(part);
  fields.check(clocks);
  for (const trace::RankFacts& facts : image.trace.ranks)
    fields.require(facts.clock->gain_ppt / trace::kMostGain_ppt == 0 &&
                   facts.clock->to_common_gain_ppt / trace::kMostGain_ppt == 0);
}

// Of one function or phase, for each rank in turn.
std::vector<trace::TimeSum> read_sums(Unpacker& in, const Image& image, Fields& fields) {
  const std::size_t ranks = image.rank_ids.size();
  if (!fields.pay(ranks, sizeof(trace::TimeSums::Phase))) return {};
  std::vector<trace::TimeSum> sums(ranks);
  for (const auto part : {&trace::TimeSum::computation_ns, &trace::TimeSum::inside_ns}) {
    const trace::RankSequence values = unpack_sequence(in);
    fields.require(in.ok() && values.size() == ranks);
    if (!fields.ok()) return {};
    auto sum = sums.begin();
    values.for_each_run([&](std::int64_t value, std::uint64_t count) {
      for (; count > 0; --count) (*sum++).*part = static_cast<std::uint64_t>(value);
    });
  }
  return sums;
}

void read_function_sums(Unpacker& in, Image& image, Fields& fields) {
  std::int64_t last = -1;
  for (std::size_t left = in.get_count(); left > 0 && fields.ok(); --left) {
    const auto id = static_cast<std::uint16_t>(in.get());
    fields.require(id > last && trace::find_function(id) != nullptr);
    last = id;
    std::size_t rank = 0;
    for (const trace::TimeSum& sum : read_sums(in, image, fields)) {
      if (sum != trace::TimeSum()) image.trace.ranks[rank].sums.functions.push_back({id, sum});
      ++rank;
    }
  }
}

void read_phase_sums(Unpacker& in, Image& image, Fields& fields) {
  std::optional<std::string> last;
  for (std::size_t left = in.get_count(); left > 0 && fields.ok(); --left) {
    const std::string name = in.get_text();
    fields.require(in.ok() && (!last || name > *last));
    last = name;
    std::size_t rank = 0;
    for (const trace::TimeSum& sum : read_sums(in, image, fields)) {
      trace::TimeSums& of_rank = image.trace.ranks[rank++].sums;
      if (sum != trace::TimeSum() && fields.pay(1, name.size()))
        of_rank.phases.push_back({name, sum});
    }
  }
}

void read_sums(const fb::Trace& in, Image& image, Fields& fields) {
  if (in.sums() == nullptr) return;
  Unpacker sums = fields.unpacker(in.sums());
  read_function_sums(sums, image, fields);
  read_phase_sums(sums, image, fields);
  fields.check(sums);
}

void read_affinities(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  if (in.affinities() == nullptr) return;
  Unpacker bytes = fields.unpacker(in.affinities());
  std::int64_t items = 0; // of all sets: who reads them must not need longer than for the ranks
  while (!bytes.at_end()) {
    trace::Affinity affinity;
    affinity.ranks = unpack_set(bytes);
    affinity.processors = unpack_set(bytes);
    affinity.usable = static_cast<std::int64_t>(bytes.get());
    affinity.computation_is_cpu_time = bytes.get() != 0;
    items += std::max(affinity.ranks.size(), affinity.processors.size());
    const bool is_sound = bytes.ok() && items <= static_cast<std::int64_t>(kMostRanks) &&
                          !affinity.ranks.empty() && affinity.ranks.front() >= 0 &&
                          affinity.ranks.size() <= static_cast<std::int64_t>(kMostRanks) &&
                          affinity.processors.size() <= static_cast<std::int64_t>(kMostRanks) &&
                          affinity.usable >= 0;
    fields.require(is_sound);
    if (!fields.ok()) return;
    trace.affinities.push_back(std::move(affinity));
  }
  fields.check(bytes);
}

void read_endings(const fb::Trace& in, Image& image, Fields& fields) {
  Unpacker endings = fields.unpacker(in.endings());
  std::size_t next = 0; // they are in the order of the facts
  while (!endings.at_end()) {
    const auto rank = static_cast<std::int64_t>(endings.get());
    trace::RankEnding ending;
    const std::uint64_t kind = endings.get();
    ending.kind = static_cast<trace::Ending>(kind);
    ending.detail = endings.get_signed();
    ending.function = static_cast<std::uint16_t>(endings.get());
    ending.site = static_cast<std::uint32_t>(endings.get());
    ending.in_call_ns = endings.get();
    while (next < image.rank_ids.size() && image.rank_ids[next] != rank) ++next;
    fields.require(endings.ok() && next < image.rank_ids.size() &&
                   kind <= static_cast<std::uint64_t>(trace::Ending::kFatalError));
    if (!fields.ok()) return;
    const bool is_known =
        ending.function == 0 || (trace::find_function(ending.function) != nullptr &&
                                 ending.site < image.trace.sites.size());
    fields.require(is_known);
    if (!fields.pay(1, sizeof(trace::RankEnding))) return;
    image.trace.ranks[next].ending = ending;
  }
  fields.check(endings);
}

void read_open_calls(const fb::Trace& in, Image& image, Fields& fields) {
  if (in.open_calls() == nullptr) return;
  Unpacker bytes = fields.unpacker(in.open_calls());
  std::size_t next = 0; // they are in the order of the facts
  while (!bytes.at_end()) {
    const auto rank = static_cast<std::int64_t>(bytes.get());
    auto words = unpack_words(bytes);
    while (next < image.rank_ids.size() && image.rank_ids[next] != rank) ++next;
    fields.require(bytes.ok() && next < image.rank_ids.size());
    if (!fields.ok()) return;
    trace::RankEnding& ending = image.trace.ranks[next].ending.edit();
    const trace::Function* function = trace::find_function(ending.function);
    fields.require(function != nullptr && words.size() <= function->words());
    ending.words = std::move(words);
  }
  fields.check(bytes);
}

// Adds the program, of a thread if that is not the one that its bytes say. Each is paid for.
// @return  the thread
std::uint32_t read_program(std::string_view packed, std::optional<std::uint32_t> thread,
                           trace::Trace& trace, Fields& fields) {
  if (!fields.pay(1, sizeof(trace::MergedProgram))) return 0;
  Unpacker bytes = fields.unpacker(packed);
  auto program = std::make_shared<trace::MergedProgram>(unpack_program(bytes));
  fields.check(bytes);
  if (thread) program->thread = *thread;
  trace.programs.push_back(program);
  return program->thread;
}

const std::uint8_t* data(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

} // namespace

std::optional<Image> decode_program_section(std::string_view bytes, Budget* budget) {
  flatbuffers::Verifier verifier(data(bytes), bytes.size());
  if (!fb::VerifyTraceBuffer(verifier)) return std::nullopt;
  const fb::Trace& in = *fb::GetTrace(bytes.data());
  Image image;
  Fields fields(budget);
  if (in.run() != nullptr) read_run(*in.run(), image.trace.run, fields);
  read_objects(in, image.trace, fields);
  read_modules(in, image.trace, fields);
  read_sites(in, image.trace, fields);
  read_facts(in, image, fields);
  read_endings(in, image, fields);
  read_later(in.usage(), kUsage, image, fields);
  read_later(in.costs(), kCosts, image, fields);
  read_clocks(in, image, fields);
  read_sums(in, image, fields);
  read_affinities(in, image.trace, fields);
  read_open_calls(in, image, fields);
  const auto modelled =
      unpack_modelled_programs(view(in.modelled_programs()), budget); // none of nothing
  fields.require(modelled.has_value());
  std::size_t next = 0;
  for_each(in.programs(), [&](const fb::Program& packed) {
    if (!fields.ok()) return;
    const std::string_view bytes_of =
        next < modelled->size() ? (*modelled)[next++] : view(packed.bytes());
    const std::uint32_t first = read_program(bytes_of, {}, image.trace, fields);
    const trace::RankSet others = fields.set(packed.threads());
    constexpr std::int64_t kMostThreads = std::int64_t{1} << 30;
    fields.require(is_set_within(others, kMostThreads) &&
                   (others.empty() || others.front() > first));
    if (!fields.pay(static_cast<std::uint64_t>(others.size()), sizeof(std::int64_t))) return;
    for (const std::int64_t thread : others.ranks()) {
      if (!fields.ok()) return;
      read_program(bytes_of, static_cast<std::uint32_t>(thread), image.trace, fields);
    }
  });
  if (!fields.ok()) return std::nullopt;
  return image;
}

namespace {

// Nothing if they stand with their classes, as up to version 2.
std::optional<TimesOfClasses> read_places(const fb::Times& all, Budget* budget,
                                          const std::vector<trace::RankClass>& classes,
                                          Fields& fields) {
  std::optional<TimesOfClasses> places;
  if (all.foretold() != nullptr) {
    places = unpack_foretold_times(view(all.foretold()), classes, budget);
  } else if (all.modelled() != nullptr) {
    places = unpack_modelled_times(view(all.modelled()), budget);
  } else if (all.columns() != nullptr) {
    places = unpack_times_in_columns(view(all.columns()), budget);
  } else {
    return std::nullopt;
  }
  fields.require(places && all.classes() != nullptr && places->size() == all.classes()->size());
  return places;
}

} // namespace

std::optional<TimesOfClasses> decode_times_section(std::string_view bytes, Budget* budget,
                                                   const std::vector<trace::RankClass>& classes) {
  flatbuffers::Verifier verifier(data(bytes), bytes.size());
  if (!verifier.VerifyBuffer<fb::Times>(nullptr)) return std::nullopt;
  Fields fields(budget);
  const fb::Times& all = *flatbuffers::GetRoot<fb::Times>(bytes.data());
  std::optional<TimesOfClasses> places = read_places(all, budget, classes, fields);
  if (!fields.ok()) return std::nullopt;
  TimesOfClasses times;
  for_each_paid<std::vector<trace::PlaceTimes>>(all.classes(), fields, [&](const auto& c) {
    if (places) {
      times.push_back(std::move((*places)[times.size()]));
    } else {
      Unpacker in = fields.unpacker(c.places());
      times.push_back(unpack_times(in));
      fields.check(in);
    }
    if (c.shared() == nullptr) return;
    Unpacker shared(view(c.shared()));
    unpack_shared(shared, times.back());
    fields.check(shared);
  });
  if (all.courses() != nullptr) {
    Unpacker courses = fields.unpacker(all.courses());
    unpack_courses(courses, times);
    fields.check(courses);
  }
  if (all.peaks() != nullptr) {
    Unpacker peaks = fields.unpacker(all.peaks());
    unpack_peaks(peaks, times);
    fields.check(peaks);
  }
  if (!fields.ok()) return std::nullopt;
  if (all.modelled_courses() != nullptr &&
      !unpack_modelled_courses(view(all.modelled_courses()), budget, times))
    return std::nullopt;
  return times;
}

} // namespace rondo::archive
