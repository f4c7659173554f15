// SPDX-License-Identifier: Apache-2.0
#include "present/run/recording_answer.hpp"

#include "present/run/endings.hpp"
#include "present/run/message_summary.hpp"
#include "present/run/recording_facts.hpp"
#include "present/run/shared_sites.hpp"
#include "present/site_json.hpp"
#include "rondo/trace/ran_programs.hpp"
#include "rondo/trace/sharing.hpp"

namespace rondo::present {
namespace {

nlohmann::json uses_json(const trace::Trace& trace, sites::Resolver& resolver, std::size_t count) {
  const LargestUses largest(trace, count);
  nlohmann::json list = nlohmann::json::array();
  for (const sites::SiteUse& use : largest.uses) {
    list.push_back({{"call", use.function->name},
                    {"site", site_json(resolver, use.site)},
                    {"calls", use.calls},
                    {"inside_mpi_ns", use.inside_ns},
                    {"share_of_inside_mpi", largest.share_of_inside(use)}});
  }
  return list;
}

nlohmann::json cost_json(const RunTotals& totals) {
  nlohmann::json cost = {{"per_call_ns", cost_per_call_ns(totals)},
                         {"apart_from_calls_ns", totals.recorder_apart_ns},
                         {"start_ns", totals.recorder_start_ns},
                         {"end_ns", totals.recorder_end_ns},
                         {"share_of_run", ratio(static_cast<double>(totals.recorder_ns),
                                                static_cast<double>(totals.own_ns))},
                         {"memory_per_rank_bytes", totals.recorder_bytes}};
  if (!has_cost(totals)) {
    for (auto& [name, value] : cost.items()) value = nullptr;
  }
  return cost;
}

// What is one number or text.
nlohmann::json run_json(const Recording& recording, const trace::TimeShares& shares) {
  const trace::Trace& trace = recording.trace;
  const RunTotals totals = totals_of(trace);
  return {
      {"schema", 1},
      {"command", trace.run.command},
      {"mpi", trace.run.mpi},
      {"recorder", trace.run.recorder},
      {"ranks", trace.run.ranks},
      {"start_unix_ns", trace.run.start_unix_ns},
      {"complete", trace.run.complete},
      {"thread_level", thread_level(trace.run.thread_level)},
      {"notes", trace.run.notes},
      {"recorded", trace.run.choice.empty() ? "all" : trace.run.choice},
      {"calls", totals.calls},
      {"span_ns", totals.span_ns},
      {"computation_ns", totals.computation_ns},
      {"inside_mpi_ns", shares.startup_ns + shares.inside_ns},
      {"startup_ns", shares.startup_ns},
      {"share_inside_mpi",
       ratio(static_cast<double>(shares.inside_ns), static_cast<double>(shares.behind_ns()))},
      {"classes", trace.classes.size()},
      {"programs", trace.programs.size()},
      {"terms", totals.terms},
      {"terms_of_one_rank", totals.most_terms},
      {"distinct_calls", totals.distinct_calls},
      {"archive_bytes", recording.bytes},
      {"cost", cost_json(totals)},
  };
}

nlohmann::json ending_json(const EndingGroup& group, const trace::Trace& trace,
                           const trace::CommunicatorNames& comms, sites::Resolver& resolver) {
  nlohmann::json ending = {{"ranks", group.ranks},
                           {"kind", keyword_of(group.ending.kind)},
                           {"detail", group.ending.detail},
                           {"text", ending_text(group, resolver, trace.run, comms)}};
  if (const trace::Function* function = trace::find_function(group.ending.function)) {
    ending["in_call"] = function->name;
    ending["in_call_ns"] = group.ending.in_call_ns;
    ending["site"] = resolver.text(group.ending.site);
    for (const auto& [name, value] : open_arguments(group, trace.run.ranks, comms))
      ending["in_call_arguments"][name] = value;
  }
  return ending;
}

// Which programs ran where, and how they shared the processors and clocks there.
void add_machine(nlohmann::json& result, const trace::Trace& trace,
                 const trace::TimeShares& shares) {
  for (const trace::RanProgram& program : trace::ran_programs(trace))
    result["executables"].push_back({{"name", program.name}, {"ranks", program.ranks.ranks()}});
  for (const trace::Host& host : trace.hosts)
    result["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks.ranks()}});
  const trace::ProcessorSharing sharing = trace::sharing_of(trace);
  result["waited_for_processor_ns"] = sharing.waited_ns;
  if (sharing.is_shared()) {
    result["shared_processors"] = {{"host", sharing.host},
                                   {"ranks", sharing.ranks},
                                   {"processors", sharing.processors},
                                   {"waited_for_processor_ns", sharing.waited_ns},
                                   {"displaced_between_calls_ns", shares.displaced_ns},
                                   {"computation_is_cpu_time", sharing.computation_is_cpu_time}};
  }
  if (const ClockCorrections clocks(trace); clocks.is_known)
    result["clocks"] = {{"greatest_correction_ns", clocks.greatest_ns},
                        {"greatest_gain_ppm", static_cast<double>(clocks.gain_ppt) * 1e-6},
                        {"error_ns", clocks.error_ns}};
}

void add_sites(nlohmann::json& result, const trace::Trace& trace, sites::Resolver& resolver) {
  result["site_remarks"] = resolver.remarks();
  if (const SharedSites shared = shared_sites(trace); shared.are_there())
    result["shared_sites"] = {{"library", shared.library},
                              {"functions", shared.functions},
                              {"sites", shared.sites},
                              {"calls", shared.calls}};
  const sites::StoredNames stored = sites::stored_names(trace);
  result["stored_names"] = {
      {"sites", stored.sites}, {"named", stored.named}, {"with_lines", stored.with_lines}};
}

} // namespace

Result<Recording> decode_recording(std::string_view bytes, const std::string& file,
                                   const std::shared_ptr<const void>& owner) {
  auto trace = archive::decode(bytes, file, owner);
  if (!trace) return propagate(trace);
  auto sections = archive::section_sizes(bytes, file);
  if (!sections) return propagate(sections);
  auto sizes = archive_sizes(bytes, file, *trace);
  if (!sizes) return propagate(sizes);
  return Recording{std::move(*trace), std::move(*sections), std::move(*sizes), bytes.size()};
}

nlohmann::json recording_json(const Recording& recording, sites::Resolver& resolver,
                              const RecordingOptions& options) {
  const trace::Trace& trace = recording.trace;
  const trace::TimeShares shares = trace::time_shares(trace);
  nlohmann::json result = run_json(recording, shares);
  const trace::CommunicatorNames comms(trace);
  for (const EndingGroup& group : endings_of(trace))
    result["endings"].push_back(ending_json(group, trace, comms, resolver));
  add_machine(result, trace, shares);
  for (const archive::SectionSize& section : recording.sections) {
    result["sections"][section.name] = {{"stored_bytes", section.stored_bytes},
                                        {"raw_bytes", section.raw_bytes}};
  }
  add_sizes(result, recording.sizes);
  result["call_sites"] = uses_json(trace, resolver, options.sites);
  if (options.messages) result["messages"] = message_json(trace::match_messages(trace, {}), trace);
  add_sites(result, trace, resolver); // behind all that looks sites up
  return result;
}

} // namespace rondo::present
