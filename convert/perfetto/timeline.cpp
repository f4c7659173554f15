// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/timeline.hpp"

#include "convert/calls/call_messages.hpp"
#include "convert/calls/call_times.hpp"
#include "convert/perfetto/slices.hpp"
#include "convert/text/growing_file.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <map>

namespace rondo::convert {
namespace internal {
namespace {

class TimelineWriter {
public:
  TimelineWriter(const trace::Trace& trace, const TimelineOptions& options, TimelineSink& sink,
                 GrowingFile& file)
      : trace_(trace), options_(options), sink_(sink), file_(file), run_(trace), names_(trace) {
    for (const trace::Host& host : trace.hosts)
      for (const std::int64_t rank : host.ranks.ranks()) hosts_[rank] = host.name;
  }

  Status write() {
    is_reconstructed_ = trace_.stamps.empty();
    std::string title = trace_.run.command.empty() ? "MPI" : "MPI: " + trace_.run.command;
    if (is_reconstructed_) title += " (times are reconstructed from means, not measured)";
    sink_.begin(title, is_reconstructed_, file_.text());
    for (std::int64_t rank = 0; rank < trace_.run.ranks; ++rank) {
      if (options_.ranks && !options_.ranks->contains(rank)) continue;
      if (auto written = write_rank(rank); !written) return written;
    }
    sink_.end(file_.text());
    return file_.finish();
  }

  std::vector<std::string> remarks() const {
    std::vector<std::string> remarks = run_.receives.remarks();
    if (is_reconstructed_)
      remarks.push_back("times are reconstructed from means of each place, as the input has no "
                        "stamps (record or convert with --times full)");
    if (outside_ > 0)
      remarks.push_back(std::to_string(outside_) + " calls are outside of the times asked for");
    return remarks;
  }

private:
  Status write_rank(std::int64_t rank) {
    std::vector<const trace::RankClass*> streams;
    for (const trace::RankClass& c : trace_.classes)
      if (c.ranks.contains(rank)) streams.push_back(&c);
    sort_stably(streams.begin(), streams.end(),
                [](const auto* a, const auto* b) { return a->thread < b->thread; });
    for (const trace::RankClass* stream : streams) {
      const auto host = hosts_.find(rank);
      sink_.track({rank, stream->thread, host == hosts_.end() ? std::string() : host->second},
                  file_.text());
      if (auto written = write_stream(*stream, rank); !written) return written;
    }
    return {};
  }

  Status write_stream(const trace::RankClass& stream, std::int64_t rank) {
    trace::CallReader reader(trace_, stream, rank);
    CallTimes times(trace_, stream, rank);
    CallMessages messages(run_, reader, stream.thread);
    TimelineSlice slice;
    while (const trace::CallInstance* call = reader.next()) {
      const CallInterval interval = times.next(call->symbol);
      const auto& exchanged = messages.of(*call); // also of calls that are not written
      if (interval.end_ns < options_.from_ns || interval.begin_ns > options_.until_ns) {
        ++outside_;
        continue;
      }
      slice.begin_ns = interval.begin_ns;
      slice.end_ns = interval.end_ns;
      fill(*call, exchanged, slice);
      fill_moved(*call, messages, slice);
      sink_.slice(slice, file_.text());
      if (auto written = file_.spill(); !written) return written;
    }
    return {};
  }

  void fill(const trace::CallInstance& call, const std::vector<CallMessage>& exchanged,
            TimelineSlice& slice) {
    slice.name = call.function->name;
    slice.category = trace::name_of(call.function->role);
    slice.numbers.clear();
    slice.texts.clear();
    slice.flows.clear();
    fill_messages(exchanged, slice);
    const std::int64_t root = trace::CallView(trace::meaning_of(*call.function), call.words).root();
    if (!trace::is_special(root)) slice.numbers.emplace_back("root", root);
    const int comm = call.function->comm_word();
    const std::int64_t slot =
        comm < 0 ? trace::kNothing : call.words[static_cast<std::size_t>(comm)];
    if (!trace::is_special(slot)) slice.texts.emplace_back("communicator", comm_name(slot));
    if (call.error != 0)
      slice.texts.emplace_back("error", std::string(trace::error_class_name(call.error)));
    const bool is_known = call.site < trace_.names.size() && trace_.names[call.site].is_known();
    slice.site = is_known ? call.site : 0;
    if (slice.site == 0) return;
    const trace::SiteName& name = trace_.names[call.site];
    slice.function = name.function;
    slice.file = name.file;
    slice.line = name.line;
  }

  // A message by itself has its words; of several, as MPI_Waitall has them, the sum.
  static void fill_messages(const std::vector<CallMessage>& exchanged, TimelineSlice& slice) {
    for (const bool is_sent : {true, false}) {
      std::int64_t count = 0, bytes = 0;
      const CallMessage* last = nullptr;
      for (const CallMessage& one : exchanged) {
        if (one.is_sent != is_sent) continue;
        ++count;
        bytes += static_cast<std::int64_t>(one.bytes);
        last = &one;
        slice.flows.push_back({one.id, is_sent});
      }
      if (count == 0) continue;
      slice.numbers.emplace_back(is_sent ? "bytes sent" : "bytes received", bytes);
      if (count > 1) {
        slice.numbers.emplace_back(is_sent ? "messages sent" : "messages received", count);
        continue;
      }
      slice.numbers.emplace_back(is_sent ? "to" : "from", last->peer);
      if (!trace::is_special(last->tag))
        slice.numbers.emplace_back(is_sent ? "tag" : "tag received", last->tag);
    }
  }

  // What one-sided calls and those on files move.
  static void fill_moved(const trace::CallInstance& call, const CallMessages& messages,
                         TimelineSlice& slice) {
    const trace::CallMeaning& means = trace::meaning_of(*call.function);
    const auto say = [&](std::string_view what, int count, int type) {
      const auto word = [&](int index) { return trace::word_or(call.words, index, 1); };
      if (type >= 0)
        slice.numbers.emplace_back(
            what, static_cast<std::int64_t>(messages.bytes(word(count), word(type))));
    };
    if (means.act == trace::Act::kFileAccess)
      say("bytes of the file", means.send_count, means.send_type);
    const std::int64_t target = trace::word_or(call.words, means.target, trace::kNothing);
    if (means.act != trace::Act::kOneSided || trace::is_special(target)) return;
    slice.numbers.emplace_back("target", target);
    if (!means.gets) say("bytes there", means.send_count, means.send_type);
    if (means.gives_back) say("bytes back", means.receive_count, means.receive_type);
  }

  const std::string& comm_name(std::int64_t slot) {
    const auto [found, is_new] = comm_names_.try_emplace(slot);
    if (is_new) found->second = names_.of(slot);
    return found->second;
  }

  const trace::Trace& trace_;
  const TimelineOptions& options_;
  TimelineSink& sink_;
  GrowingFile& file_;
  MessageRun run_;
  trace::CommunicatorNames names_;
  std::map<std::int64_t, std::string> comm_names_;
  std::map<std::int64_t, std::string> hosts_;
  bool is_reconstructed_ = false;
  std::uint64_t outside_ = 0;
};

} // namespace
} // namespace internal

Result<std::vector<std::string>> write_timeline(const trace::Trace& trace, const std::string& path,
                                                const TimelineOptions& options,
                                                Overwrite overwrite) {
  const bool is_perfetto = options.format == TimelineFormat::kPerfetto;
  const auto sink = is_perfetto ? internal::perfetto_sink() : internal::chrome_json_sink();
  if (!sink) {
    return fail(ErrorCode::kUnsupported,
                "this build of rondo writes no Perfetto traces, as it was made without libprotobuf "
                "(Debian: libprotobuf-dev, protobuf-compiler); --to chrome writes JSON",
                {path, {}, {}, {}});
  }
  auto file = internal::GrowingFile::create(path, overwrite);
  if (!file) return propagate(file);
  internal::TimelineWriter writer(trace, options, *sink, *file);
  if (auto written = writer.write(); !written) return propagate(written);
  return writer.remarks();
}

} // namespace rondo::convert
