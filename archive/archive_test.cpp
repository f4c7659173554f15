// SPDX-License-Identifier: Apache-2.0
#include "rondo/archive/archive.hpp"

#include "archive/image.hpp"
#include "archive/program_codec.hpp"
#include "archive/sections.hpp"
#include "rondo/archive/part_codec.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/open_archive.hpp"
#include "tests/support/spmd.hpp"
#include "tests/support/streams.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <unistd.h>

namespace rondo::archive {
namespace {

using support::events_of;
using support::IsStream;
using support::Pattern;
using support::Random;
using trace::Column;
using trace::Loop;
using trace::Nest;
using trace::Program;
using trace::Term;
using trace::Trace;
using trace::Word;

constexpr std::int64_t kHuge = std::int64_t{1} << 60;

Trace run_of(Pattern pattern, std::int64_t size, int rounds = 20) {
  std::vector<fold::RecordingPart> parts;
  for (const auto& rank : support::run(pattern, size, rounds)) parts.push_back(rank->part());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return fold::resolve(support::merged(std::move(parts), order));
}

// Something of everything: columns of each kind, arrays, texts, communicators, hosts, types.
Trace rich_trace() {
  Random random(1);
  support::RankRecorder rank(0, 1);
  const std::int64_t array[] = {1, 2, 3};
  for (int i = 0; i < 400; ++i) {
    const std::int64_t odd = static_cast<std::int64_t>(random() >> 40);
    rank.call("MPI_Send", {{"count", odd}, {"dest", 0}, {"tag", i % 50}}, 1);
    for (int j = 0; j < i % 5; ++j) rank.call("MPI_Barrier", {}, 2);
    if (i % 7 == 0) rank.call("MPI_Bcast", {{"count", i / 7}, {"root", 0}}, 3);
    rank.call("MPI_Waitall",
              {{"array_of_requests", rank.builder().array(array, static_cast<std::size_t>(i % 3))}},
              4);
  }
  rank.call("MPI_Comm_set_name", {{"comm_name", rank.builder().text("the world")}}, 5);
  Trace trace = support::trace_of(rank);
  trace.run.command = "./app \"with\" arguments";
  trace.run.mpi = "Some MPI 1.2";
  trace.run.recorder = "0.1.0";
  trace.run.notes = "stopped early";
  trace.run.choice = "only collective";
  trace.run.start_unix_ns = 1'700'000'000'000'000'000;
  trace.run.thread_level = 3;
  const trace::RankSet all = trace::RankSet::of({0});
  trace.hosts.push_back({"node1", all});
  trace.affinities.push_back({trace::RankSet::of({0, 1, 6}), 2, true, all});
  trace::RankFacts& facts = trace.ranks.at(0);
  facts.startup_ns = 1;
  facts.recorder_apart_ns = 2;
  facts.cpu_ns = std::uint64_t{1} << 40;
  facts.waited_ns = 4;
  facts.displaced_ns = 5;
  facts.recorder_start_ns = 1;
  facts.recorder_end_ns = 6;
  facts.sums.add_function(trace::find_function("MPI_Send")->id, {7, std::uint64_t{1} << 50});
  facts.sums.add_function(trace::find_function("MPI_Recv")->id, {0, 9});
  facts.sums.add_phase("solve", {1, 2});
  facts.sums.add_phase("", {3, 0});
  facts.clock = trace::RankClock{-12, 34, 56, 78, -1, 2, -3, 4};
  facts.ending =
      trace::RankEnding{trace::Ending::kSignal,
                        11,
                        trace::find_function("MPI_Recv")->id,
                        1,
                        77,
                        {trace::kNothing, 12, -8, trace::kAnySource, 5, trace::kWorldSlot}};
  trace.comms.push_back({0, {{0, 1, 1}}, {}, all});
  trace.groups.push_back({2, {{0, 1, 1}, {-1, 0, 3}}, all});
  trace.datatypes.push_back({4, "vector", 24, 32, all});
  trace.sites.push_back({"program", 99, 1});
  trace.sites.push_back(
      {"library without calls", 7, static_cast<std::uint32_t>(trace.sites.size())});
  trace.names.resize(trace.sites.size());
  trace.names[1] = {"step", "main", "/src/heat.cpp", 40, 0};
  trace.names[2] = {"step", "", "/src/heat.cpp", 12, 0};
  trace.names.back() = {"solve", "", "", 0, 18};
  trace.modules = {{"program", "a1b2"}, {"program", "c3"}, {"library without calls", ""}};
  return trace;
}

Result<Trace> round_trip(const Trace& trace) { return decode(encode(trace)); }

void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.run.command, b.run.command);
  EXPECT_EQ(a.run.mpi, b.run.mpi);
  EXPECT_EQ(a.run.recorder, b.run.recorder);
  EXPECT_EQ(a.run.notes, b.run.notes);
  EXPECT_EQ(a.run.choice, b.run.choice);
  EXPECT_EQ(a.run.ranks, b.run.ranks);
  EXPECT_EQ(a.run.start_unix_ns, b.run.start_unix_ns);
  EXPECT_EQ(a.run.complete, b.run.complete);
  EXPECT_EQ(a.run.thread_level, b.run.thread_level);
  EXPECT_EQ(a.sites, b.sites);
  EXPECT_EQ(a.modules, b.modules);
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t i = 0; i < a.ranks.size(); ++i) {
    for (const auto fact :
         {&trace::RankFacts::calls, &trace::RankFacts::startup_ns,
          &trace::RankFacts::recorder_apart_ns, &trace::RankFacts::cpu_ns,
          &trace::RankFacts::waited_ns, &trace::RankFacts::displaced_ns,
          &trace::RankFacts::recorder_start_ns, &trace::RankFacts::recorder_end_ns})
      EXPECT_EQ(a.ranks[i].*fact, b.ranks[i].*fact);
    EXPECT_EQ(a.ranks[i].ending, b.ranks[i].ending);
    EXPECT_EQ(a.ranks[i].sums, b.ranks[i].sums);
    EXPECT_EQ(a.ranks[i].clock, b.ranks[i].clock);
  }
  ASSERT_EQ(a.affinities.size(), b.affinities.size());
  for (std::size_t i = 0; i < a.affinities.size(); ++i) {
    EXPECT_EQ(a.affinities[i].processors, b.affinities[i].processors);
    EXPECT_EQ(a.affinities[i].usable, b.affinities[i].usable);
    EXPECT_EQ(a.affinities[i].computation_is_cpu_time, b.affinities[i].computation_is_cpu_time);
    EXPECT_EQ(a.affinities[i].ranks, b.affinities[i].ranks);
  }
  ASSERT_EQ(a.comms.size(), b.comms.size());
  for (std::size_t i = 0; i < a.comms.size(); ++i)
    EXPECT_EQ(a.comms[i].members, b.comms[i].members);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i)
    EXPECT_EQ(a.groups[i].members, b.groups[i].members);
  ASSERT_EQ(a.datatypes.size(), b.datatypes.size());
  for (std::size_t i = 0; i < a.datatypes.size(); ++i)
    EXPECT_EQ(a.datatypes[i].name, b.datatypes[i].name);
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (std::size_t i = 0; i < a.classes.size(); ++i) {
    const Program& p = *a.classes[i].program;
    const Program& q = *b.classes[i].program;
    EXPECT_EQ(a.classes[i].ranks, b.classes[i].ranks);
    EXPECT_EQ(p.calls, q.calls);
    EXPECT_TRUE(p.nest == q.nest);
    EXPECT_TRUE(p.columns == q.columns);
    EXPECT_EQ(p.arrays, q.arrays);
    EXPECT_EQ(p.texts, q.texts);
    ASSERT_EQ(p.times.size(), q.times.size());
    for (std::size_t place = 0; place < p.times.size(); ++place) {
      EXPECT_EQ(p.times[place].before, q.times[place].before);
      EXPECT_EQ(p.times[place].call, q.times[place].call);
      EXPECT_EQ(p.times[place].inside.bins, q.times[place].inside.bins);
      EXPECT_EQ(p.times[place].computation.sum_ns, q.times[place].computation.sum_ns);
      EXPECT_NEAR(p.times[place].inside.deviation_ns(), q.times[place].inside.deviation_ns(), 0.1);
    }
  }
}

ErrorCode code_of(const std::string& bytes) {
  const auto trace = decode(bytes, "f.rondo");
  EXPECT_FALSE(trace);
  return trace ? ErrorCode::kUsage : trace.error().code;
}

// Round trips
// -------------------------------------------------------------------------------------------

TEST(Archive, GivesBackWhatWasWritten) {
  const Trace rich = rich_trace();
  const auto read = round_trip(rich);
  ASSERT_TRUE(read) << read.error().text();
  expect_same(rich, *read);
  EXPECT_EQ(encode(*read), encode(rich)) << "a second round changes nothing";
}

TEST(Archive, GivesBackEveryRanksCalls) {
  for (const Pattern pattern : support::kPatterns) {
    const Trace trace = run_of(pattern, 9);
    const auto read = round_trip(trace);
    ASSERT_TRUE(read) << read.error().text();
    expect_same(trace, *read);
    for (std::int64_t rank = 0; rank < 9; ++rank) {
      ASSERT_THAT(events_of(*read, rank), IsStream(events_of(trace, rank)));
    }
  }
}

TEST(Archive, GivesBackRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    support::ProgramOptions options;
    options.varying_trips = options.optional_calls = options.skipped_loops = true;
    options.alphabet = seed % 2 == 0 ? 0 : 4;
    support::RankRecorder rank(0, 2);
    for (const std::uint32_t symbol : support::random_program(random, options)) {
      rank.call("MPI_Send", {{"count", symbol}, {"tag", static_cast<std::int64_t>(random() % 30)}},
                symbol % 16);
    }
    fold::RecordingPart part = rank.part();
    part.ranks.emplace_back(1, trace::RankFacts());
    const Trace trace = fold::resolve(std::move(part));
    const auto read = round_trip(trace);
    ASSERT_TRUE(read) << read.error().text() << ", seed " << seed;
    ASSERT_THAT(events_of(*read, 0), IsStream(rank.events())) << "seed " << seed;
  }
}

// A rank whose threads do what the first one does, but for the last: that calls more.
Trace with_threads(std::uint32_t threads) {
  Trace trace = run_of(Pattern::kRing, 1, 3);
  const Trace other = run_of(Pattern::kRing, 1, 4);
  for (std::uint32_t thread = 1; thread < threads; ++thread) {
    const Trace& same = thread + 1 < threads ? trace : other;
    trace::MergedProgram program = *same.programs.front();
    program.thread = thread;
    trace::RankClass c = same.classes.front();
    c.thread = thread;
    c.merged = thread;
    trace.programs.push_back(std::make_shared<const trace::MergedProgram>(std::move(program)));
    trace.classes.push_back(std::move(c));
  }
  return trace;
}

TEST(Archive, HasTheProgramOfThreadsThatDoTheSameOnce) {
  const Trace trace = with_threads(500);
  const std::string bytes = encode(trace);
  const auto read = decode(bytes);
  ASSERT_TRUE(read) << read.error().text();
  expect_same(trace, *read);
  for (std::uint32_t thread = 0; thread < 500; ++thread) {
    EXPECT_EQ(read->programs[thread]->thread, thread);
    EXPECT_EQ(read->classes[thread].thread, thread);
  }
  EXPECT_EQ(encode(*read), bytes);
  const auto raw_bytes_of = [](std::uint32_t threads) {
    return encode_program_section({with_threads(threads), {0}}).size();
  };
  EXPECT_LT(raw_bytes_of(500), raw_bytes_of(3) + 64);
}

TEST(Archive, IsOfTheVersionThatItNeeds) {
  EXPECT_EQ(encode(run_of(Pattern::kRing, 4))[8], 3);
  EXPECT_EQ(encode(with_threads(3))[8], 4);
}

TEST(Archive, KnowsTheSumsOfTripCounts) {
  support::RankRecorder rank(0, 1);
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < i; ++j) rank.call("MPI_Barrier", {}, 1);
    rank.call("MPI_Barrier", {}, 2);
  }
  const auto read = round_trip(support::trace_of(rank));
  ASSERT_TRUE(read);
  const Program& program = *read->classes.front().program;
  EXPECT_EQ(program.nest.occurrences(program.calls.size()),
            (std::vector<std::uint64_t>{100, 4950}));
}

TEST(Archive, ListsItsSections) {
  const auto sizes = section_sizes(encode(rich_trace()));
  ASSERT_TRUE(sizes);
  ASSERT_EQ(sizes->size(), 3U);
  EXPECT_EQ((*sizes)[0].name, "program");
  EXPECT_EQ((*sizes)[1].name, "times");
  EXPECT_EQ((*sizes)[2].name, "names");
  EXPECT_GT((*sizes)[0].raw_bytes, (*sizes)[0].stored_bytes);
}

TEST(Archive, SaysWhatItsBytesAreSpentOn) {
  const std::string bytes = encode(rich_trace());
  const auto sizes = section_sizes(bytes);
  const auto contents = content_sizes(bytes);
  ASSERT_TRUE(sizes && contents);
  ASSERT_EQ(contents->size(), 4U);
  EXPECT_EQ((*contents)[0].name, "programs");
  EXPECT_EQ((*contents)[1].name, "tables");
  EXPECT_EQ((*contents)[2].name, "times");
  const auto& program = (*sizes)[0];
  EXPECT_GE((*contents)[0].raw_bytes, (*contents)[0].stored_bytes);
  EXPECT_LT((*contents)[1].raw_bytes, program.raw_bytes);
  EXPECT_EQ((*contents)[0].stored_bytes + (*contents)[1].stored_bytes, program.stored_bytes);
  EXPECT_GT((*contents)[0].stored_bytes, (*contents)[1].stored_bytes);
  EXPECT_GT((*contents)[1].stored_bytes, 0U);
}

// Calls one behind the other, each reached once, with times that have nothing in common.
std::vector<trace::PlaceTimes> uneven_times(std::uint32_t places) {
  std::vector<trace::PlaceTimes> times;
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < places; ++i) {
    trace::PlaceTimes& place = times.emplace_back();
    place.call = i;
    if (i > 0) place.before = i - 1;
    place.computation.add(random() >> (40 + random() % 20));
    place.inside.add(random() >> (40 + random() % 20));
  }
  return times;
}

TEST(Archive, PacksTimesAColumnAtATime) {
  const std::vector<trace::PlaceTimes> times = uneven_times(5000);
  const std::string section = encode_times_section({&times});
  const std::vector<std::size_t> borders = borders_in_times(section);
  EXPECT_EQ(borders.size(), 21U); // of 19 columns and the bits
  EXPECT_TRUE(std::ranges::is_sorted(borders));
  EXPECT_LE(borders.back(), section.size());
  EXPECT_TRUE(borders_in_times("no times at all").empty());
  const std::size_t as_one = join_sections({{SectionKind::kNames, section}}).size();
  EXPECT_LT(20 * join_sections({{SectionKind::kTimes, section}}).size(), 19 * as_one);
}

TEST(Archive, IsWrittenToAFileAndRefusesToReplaceIt) {
  const std::string path =
      testing::TempDir() + "archive_test_" + std::to_string(::getpid()) + ".rondo";
  const Trace trace = rich_trace();
  ASSERT_TRUE(write(trace, path, Overwrite::kRefuse));
  const auto again = write(trace, path, Overwrite::kRefuse);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kExists);
  const auto read = archive::read(path);
  ASSERT_TRUE(read);
  expect_same(trace, *read);
  ::unlink(path.c_str());
  const auto missing = archive::read(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(RecordingPart, GivesBackWhatWasWritten) {
  const auto ranks = support::run(Pattern::kHalo, 4, 5);
  for (const auto& rank : ranks) {
    const fold::RecordingPart part = rank->part();
    const auto read = decode_part(encode_part(part));
    ASSERT_TRUE(read);
    EXPECT_EQ(encode_part(*read), encode_part(part));
    EXPECT_EQ(read->classes.front().program, part.classes.front().program);
  }
}

TEST(RecordingPart, IsRefusedIfItIsCut) {
  const std::string bytes = encode_part(support::run(Pattern::kHalo, 4, 5).front()->part());
  for (std::size_t size = 0; size + 8 < bytes.size(); ++size) {
    const auto part = decode_part(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(part) << size;
    EXPECT_EQ(part.error().code, ErrorCode::kDamaged);
  }
}

// Damage
// ------------------------------------------------------------------------------------------------

TEST(DamagedArchive, IsRefusedCutAnywhere) {
  const std::string bytes = encode(run_of(Pattern::kHalo, 9, 3));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(code_of(bytes.substr(0, size)), ErrorCode::kDamaged) << size;
  }
}

TEST(DamagedArchive, IsRefusedWithAnyByteChanged) {
  const std::string bytes = encode(run_of(Pattern::kRing, 4, 3));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int change = 1; change < 256; change += i < 100 ? 1 : 61) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      const auto expected = i < kMagic.size() ? ErrorCode::kFormat : ErrorCode::kDamaged;
      const ErrorCode code = code_of(changed);
      const bool is_other_version =
          i >= 8 && i < 12 && (code == ErrorCode::kNewerVersion || code == ErrorCode::kUnsupported);
      ASSERT_TRUE(code == expected || is_other_version) << "byte " << i;
    }
  }
}

TEST(DamagedArchive, IsRefusedWithBytesBehindIt) {
  EXPECT_EQ(code_of(encode(run_of(Pattern::kRing, 4, 3)) + "x"), ErrorCode::kDamaged);
}

TEST(DamagedArchive, SaysWhichFileAndWhere) {
  const auto cut = decode(encode(rich_trace()).substr(0, 50), "some/file.rondo");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().place.file, "some/file.rondo");
  EXPECT_EQ(cut.error().place.offset, 50U);
}

TEST(DamagedArchive, IsNoArchiveAtAll) {
  EXPECT_EQ(code_of("OTF2 or so, long enough to have a head of its own"), ErrorCode::kFormat);
  EXPECT_EQ(code_of("x"), ErrorCode::kFormat);
  EXPECT_EQ(code_of(""), ErrorCode::kDamaged);
}

TEST(NewerArchive, IsRefusedWithItsVersion) {
  std::string bytes = encode(rich_trace());
  bytes[8] = 77;
  const auto trace = decode(bytes);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kNewerVersion);
  EXPECT_NE(trace.error().message.find("77"), std::string::npos);
}

TEST(NewerArchive, MayHaveSectionsThatAreSkipped) {
  const Trace trace = run_of(Pattern::kRing, 1, 3);
  Image image{trace, {0}};
  const std::string bytes = join_sections(
      {{SectionKind::kProgram, encode_program_section(image)},
       {static_cast<SectionKind>(9), "of a later version"},
       {SectionKind::kTimes, encode_times_section({&trace.classes.front().program->times})}});
  const auto read = decode(bytes);
  ASSERT_TRUE(read) << read.error().text();
  expect_same(trace, *read);
}

// Names of sites
// ---------------------------------------------------------------

TEST(Names, AreLeftOutIfThereAreNone) {
  Trace trace = rich_trace();
  trace.names.clear();
  const auto read = round_trip(trace);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->names.empty());
  EXPECT_EQ(section_sizes(encode(trace))->size(), 2U);
}

TEST(Names, GrowLittleWithSitesOfOneFile) {
  std::vector<trace::SiteName> names;
  for (std::uint64_t i = 0; i < 1000; ++i)
    names.push_back(
        {"function" + std::to_string(i / 10), "", "/src/a/long/path/of/a/file.c", i, 0});
  EXPECT_LT(stored_size(encode_names_section(names)), 2500U);
}

TEST(Names, AreRefusedIfTheyDoNotFitTheSites) {
  const Trace trace = rich_trace();
  const std::string bytes = encode_names_section(trace.names);
  const std::size_t sites = trace.sites.size();
  EXPECT_EQ(decode_names_section(bytes, sites), trace.names);
  EXPECT_FALSE(decode_names_section(bytes, sites - 1));
  EXPECT_FALSE(decode_names_section(bytes, sites + 1));
  EXPECT_FALSE(decode_names_section(bytes, std::size_t{1} << 60));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_names_section(bytes.substr(0, size), sites)) << size;
}

TEST(Names, WithTheSameTextArePaidForOneByOne) {
  const std::vector<trace::SiteName> names(1000, {std::string(100000, 'x'), "", "", 1, 0});
  const std::string bytes = encode_names_section(names);
  ASSERT_LT(bytes.size(), 110000U);
  Budget little(50'000'000, 1'000'000);
  EXPECT_FALSE(decode_names_section(bytes, names.size(), &little));
  EXPECT_TRUE(little.is_spent());
}

TEST(Names, DoNoHarmWithAnyByteChanged) {
  const Trace trace = rich_trace();
  const std::string raw = encode_names_section(trace.names);
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = raw;
    bytes[support::pick(random, bytes.size())] = static_cast<char>(random());
    const auto read = decode_names_section(bytes, trace.sites.size());
    EXPECT_TRUE(!read || read->size() == trace.sites.size());
  }
}

// Contradictions behind correct checksums
// ---------------------------------------------------------------

// One rank, one call site, a program of barriers: `change` makes it impossible.
template <class Change> Trace changed(Change change) {
  support::RankRecorder rank(0, 1);
  for (int i = 0; i < 5; ++i) rank.call("MPI_Barrier", {}, 1);
  rank.call("MPI_Send", {{"count", 1}, {"dest", 0}}, 2);
  Trace trace = support::trace_of(rank);
  Program program = *trace.classes.front().program;
  change(trace, program);
  trace.classes.front().program = std::make_shared<Program>(std::move(program));
  support::set_programs(trace);
  return trace;
}

template <class Change> Trace changed_program(Change change) {
  return changed([&](Trace&, Program& program) { change(program); });
}
template <class Change> Trace changed_trace(Change change) {
  return changed([&](Trace& trace, Program&) { change(trace); });
}

Nest nest_of(std::vector<Term> body, std::vector<trace::Run> counts, std::vector<Term> top) {
  return Nest({Loop{std::move(body), Column::from_runs(std::move(counts))}}, std::move(top));
}

TEST(ContradictoryArchive, IsRefused) {
  const Term barrier = Term::symbol(0);
  const trace::RankSet far = trace::RankSet::of({5});
  const Trace cases[] = {
      changed_program([&](Program& p) { p.nest = Nest({}, {Term::symbol(9)}); }),
      changed_program([&](Program& p) { p.nest = Nest({}, {Term::loop(0)}); }),
      changed_program([&](Program& p) {
        p.nest = nest_of({barrier}, {{5, 2}}, {Term::loop(0)});
      }),
      changed_program([&](Program& p) {
        p.nest = nest_of({barrier}, {{-5, 1}}, {Term::loop(0)});
      }),
      changed_program([&](Program& p) {
        p.nest = nest_of({Term::loop(0)}, {{5, 1}}, {Term::loop(0)});
      }),
      changed_program([&](Program& p) {
        p.nest = nest_of({}, {{5, 1}}, {Term::loop(0)});
      }),
      changed_program([&](Program& p) { p.calls[1].site = 16; }),
      changed_program([&](Program& p) {
        p.calls[1].words[0] = {Word::Form::kColumn, 9};
      }),
      changed_program([&](Program& p) {
        p.columns.push_back(Column::from_runs({{1, 3}})); // the call comes once
        p.calls[1].words[1] = {Word::Form::kColumn, 0};
      }),
      changed_program([&](Program& p) { p.times[0].call = 9; }),
      changed_program([&](Program& p) { p.times[0].before = 9; }),
      changed_program([&](Program& p) { std::swap(p.times[0], p.times[1]); }),
      changed_program([&](Program& p) {
        p.times[0].inside.bins.add(
            static_cast<std::size_t>(trace::bin_of(p.times[0].inside.min_ns)));
      }),
      changed_trace([&](Trace& t) { t.run.ranks = 2; }),
      changed_trace([&](Trace& t) { t.run.ranks = -1; }),
      changed_trace([&](Trace& t) { t.classes.front().ranks = far; }),
      changed_trace([&](Trace& t) {
        t.hosts.push_back({"far", far});
      }),
      changed_trace([&](Trace& t) {
        t.comms.push_back({0, {{5, 1, 1}}, {}, {}});
      }),
      changed_trace([&](Trace& t) {
        t.comms.push_back({0, {{0, 1, 1}}, {{-2, 1, 1}}, {}});
      }),
      changed_trace([&](Trace& t) {
        t.groups.push_back({0, {{0, 1, 1}}, far});
      }),
      changed_trace([&](Trace& t) {
        t.datatypes.push_back({0, "far", 1, 1, far});
      }),
      changed_trace([&](Trace& t) { t.sites.clear(); }),
      changed_trace([&](Trace& t) { t.sites.back().caller = t.sites.size(); }),
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    EXPECT_EQ(code_of(encode(cases[i])), ErrorCode::kDamaged);
  }
}

TEST(ContradictoryArchive, IsRefusedIfACommunicatorHasMoreMembersThanTheFileIsWorth) {
  const Trace trace = changed_trace([](Trace& t) {
    t.comms.push_back({0, {{0, 0, 1 << 29}}, {}, {}});
  });
  EXPECT_EQ(code_of(encode(trace)), ErrorCode::kUnsupported);
}

TEST(ContradictoryArchive, IsRefusedIfARankHasTwoPrograms) {
  Trace trace = run_of(Pattern::kRing, 4, 3);
  trace.programs.push_back(trace.programs.front());
  EXPECT_EQ(code_of(encode(trace)), ErrorCode::kDamaged);
}

// A set of 2^29 numbers in as many bytes as another one.
std::string many_in_the_room_of(std::string_view set) {
  Packer count;
  count.put(std::uint64_t{1} << 30);
  std::string many = "\x02\x01" + std::string(count.bytes());
  many.back() = static_cast<char>(many.back() | 0x80);
  many.resize(set.size() - 2, '\x80'); // zeros above
  return many + '\0' + '\x42';
}

TEST(ContradictoryArchive, IsRefusedIfItHasMoreThreadsThanTheFileIsWorth) {
  Trace trace = with_threads(5);
  std::vector<std::int64_t> others;
  for (std::uint32_t i = 1; i < 5; ++i) {
    trace::MergedProgram program = *trace.programs[i];
    program.thread = trace.classes[i].thread = i * i * i * 999;
    trace.programs[i] = std::make_shared<const trace::MergedProgram>(std::move(program));
    if (i < 4) others.push_back(trace.classes[i].thread);
  }
  ASSERT_TRUE(round_trip(trace));
  std::string section = encode_program_section({trace, {0}});
  Packer set;
  pack(set, trace::RankSet::of(others));
  const std::size_t at = section.find(set.bytes());
  ASSERT_NE(at, std::string::npos);
  section.replace(at, set.bytes().size(), many_in_the_room_of(set.bytes()));
  EXPECT_EQ(code_of(join_sections({{SectionKind::kProgram, section}})), ErrorCode::kUnsupported);
}

TEST(ContradictoryArchive, IsRefusedIfAnIndexIsOutOfItsTable) {
  support::RankRecorder rank(0, 1);
  const std::int64_t array[] = {1, 2, 3};
  rank.call("MPI_Waitall", {{"array_of_requests", rank.builder().array(array, 3)}}, 4);
  rank.call("MPI_Comm_set_name", {{"comm_name", rank.builder().text("the world")}}, 5);
  const Trace trace = support::trace_of(rank);
  ASSERT_TRUE(round_trip(trace));
  for (const bool arrays : {true, false}) {
    Trace bad = trace;
    Program program = *trace.classes.front().program;
    if (arrays) program.arrays.pop_back();
    if (!arrays) program.texts.pop_back();
    bad.classes.front().program = std::make_shared<Program>(std::move(program));
    support::set_programs(bad);
    EXPECT_EQ(code_of(encode(bad)), ErrorCode::kDamaged);
  }
}

// Columns of indices are checked while they are read.
TEST(ContradictoryArchive, ReadsAnIndexOutOfItsTableAsTheEmptyArray) {
  support::RankRecorder rank(0, 1);
  const std::int64_t array[] = {1, 2, 3};
  for (std::size_t i = 0; i < 50; ++i) {
    rank.call("MPI_Waitall", {{"array_of_requests", rank.builder().array(array, i % 4)}}, 4);
  }
  Trace trace = support::trace_of(rank);
  Program program = *trace.classes.front().program;
  for (trace::Call& call : program.calls) {
    for (Word& word : call.words) {
      if (word.value == 3 && word.form == Word::Form::kConstant) word = {Word::Form::kColumn, 0};
    }
  }
  program.columns.push_back(Column::from_values({7, 3, -1, 2, kHuge, 3, 3, 3, 3, 3, 3, 3}));
  trace.classes.front().program = std::make_shared<Program>(std::move(program));
  support::set_programs(trace);
  const auto read = round_trip(trace);
  ASSERT_TRUE(read) << read.error().text();
  std::vector<std::int64_t> indices;
  for (const support::Event& event : events_of(*read, 0)) indices.push_back(event[2]);
  for (const std::int64_t index : indices) EXPECT_TRUE(index >= 0 && index < 4) << index;
}

TEST(ContradictoryArchive, IsJudgedWithoutExpandingIt) {
  const Term barrier = Term::symbol(0);
  const Trace long_run = changed_program([&](Program& p) {
    p.times.clear();
    p.nest = Nest({Loop{{barrier}, Column::from_runs({{1'000'000'000, 1'000'000'000}})},
                   Loop{{Term::loop(0)}, Column::from_runs({{1'000'000'000, 1}})}},
                  {Term::loop(1), Term::symbol(1)});
  });
  const auto read = round_trip(long_run);
  ASSERT_TRUE(read) << "10^18 barriers are many, but no contradiction";
  EXPECT_EQ(read->classes.front().program->nest.occurrences(2).front(), 1'000'000'000'000'000'000U);
  support::open_archive(encode(long_run), 100);

  // Trip counts that are themselves a nest of 2^60 differences, whose sum nobody could compute.
  const Trace deep = changed_program([&](Program& p) {
    p.times.clear();
    Nest differences(
        {Loop{{Term::symbol(0), Term::symbol(1)}, Column::from_runs({{kHuge / 4, 1}})}},
        {Term::loop(0)});
    const Column counts = Column::from_differences(1, {1, -1}, differences, 3 * (kHuge / 4) + 1);
    p.nest = Nest(
        {Loop{{barrier}, counts}, Loop{{Term::loop(0)}, Column::from_runs({{kHuge / 2 + 1, 1}})}},
        {Term::loop(1), Term::symbol(1)});
  });
  const auto deeper = round_trip(deep);
  ASSERT_TRUE(deeper) << deeper.error().text();
  support::open_archive(encode(deep), 100);
}

TEST(ContradictoryArchive, IsRefusedIfItsCountsOverflow) {
  const Term barrier = Term::symbol(0);
  const Trace trace = changed_program([&](Program& p) {
    p.times.clear();
    p.nest = Nest({Loop{{barrier}, Column::from_runs({{kHuge, static_cast<std::uint64_t>(kHuge)}})},
                   Loop{{Term::loop(0)}, Column::from_runs({{kHuge, 1}})}},
                  {Term::loop(1)});
  });
  EXPECT_EQ(code_of(encode(trace)), ErrorCode::kDamaged);
}

TEST(ContradictoryArchive, IsRefusedIfItWouldIterateForEverWithoutACall) {
  const Trace trace = changed_program([&](Program& p) {
    p.times.clear();
    p.nest =
        Nest({Loop{{Term::symbol(0)}, Column::from_runs({{0, static_cast<std::uint64_t>(kHuge)}})},
              Loop{{Term::loop(0)}, Column::from_runs({{kHuge, 1}})}},
             {Term::loop(1), Term::symbol(0), Term::symbol(1)});
  });
  EXPECT_EQ(code_of(encode(trace)), ErrorCode::kDamaged);
}

// The raw bytes of either section with any byte changed: refused, or a trace that can be read and
// printed.
TEST(ContradictoryArchive, DoesNoHarmWithAnyByteChangedInside) {
  for (const Trace& trace : {rich_trace(), run_of(Pattern::kHalo, 4, 4)}) {
    Image image{trace, {}};
    for (std::size_t i = 0; i < trace.ranks.size(); ++i)
      image.rank_ids.push_back(static_cast<std::int64_t>(i));
    const std::string raw[] = {encode_program_section(image),
                               encode_times_section({&trace.classes.front().program->times})};
    Random random(4);
    for (std::uint64_t round = 0; round < support::number_of_seeds(1500, 6000); ++round) {
      std::string sections[] = {raw[0], raw[1]};
      std::string& bytes = sections[round % 4 == 3 ? 1 : 0];
      for (std::uint64_t changes = 1 + support::pick(random, 3); changes > 0; --changes) {
        bytes[support::pick(random, bytes.size())] = static_cast<char>(random());
      }
      support::open_sections(sections[0], sections[1], 50);
    }
  }
}

} // namespace
} // namespace rondo::archive
