// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/paraver.hpp"

#include "convert/paraver/fields.hpp"
#include "convert/paraver/header.hpp"
#include "convert/paraver/names.hpp"
#include "convert/paraver/stream.hpp"
#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "convert/text/tokens.hpp"
#include "rondo/base/budget.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <utility>

namespace rondo::convert {
namespace internal {
namespace {

constexpr std::int64_t kRunningState = 1;
constexpr std::int64_t kFirstSizeEvent = 50100001; // sent, received, root, communicator
constexpr std::uint64_t kBytesOfStream = 8192; // about
constexpr std::size_t kHeldInAll = std::size_t{1} << 22; // calls
constexpr std::size_t kLeastHeld = 1024; // of a stream
constexpr std::uint64_t kMostNumber = ~std::uint64_t{0} >> 1;
constexpr std::string_view kParaverStart = "#Paraver ";

struct NamedForm {
  CallForm form;
  std::string name; // empty: the trace has no name for the value
  std::uint64_t left_out = 0;
};

// Reads one trace, line by line.
class ParaverReader {
public:
  ParaverReader(ParaverHeader header, ParaverOptions options, Budget budget)
      : header_(std::move(header)), budget_(std::move(budget)),
        run_{std::move(options),
             static_cast<std::int64_t>(header_.tasks.size()),
             header_.duration_ns,
             header_.start_unix_ns,
             std::max(kLeastHeld, kHeldInAll / std::max<std::size_t>(header_.tasks.size(), 1)),
             ParaverComms(header_.tasks.size())},
        streams_(header_.tasks.size()) {}

  Status open_streams() {
    for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
      if (!open_stream(rank, 0)) return tl::unexpected<Error>(budget_.error(""));
    }
    return {};
  }

  void set_names(const std::array<FunctionNames, kMpiEvents>& names) {
    for (std::size_t i = 0; i < kMpiEvents; ++i) {
      for (const std::string& name : names[i])
        forms_[i].push_back({name.empty() ? CallForm{} : paraver_form(name), name});
    }
  }

  /// @error  kFormat, kUnsupported without a place
  Status add(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    if (line.starts_with("c:")) return add_comm(line.substr(2));
    Fields fields(line);
    const std::int64_t kind = fields.number();
    fields.expect(':');
    if (fields.has_failed() || kind < 1 || kind > 3) {
      return bad(sentence("found ", shown(line),
                          "; expected a state (1:...), an event (2:...), a message (3:...) or a "
                          "communicator (c:...)"));
    }
    if (kind == 1)
      return check(add_state(fields), fields, "CPU:APPLICATION:TASK:THREAD:BEGIN:END:STATE");
    if (kind == 2)
      return check(add_event(fields), fields, "CPU:APPLICATION:TASK:THREAD:TIME:TYPE:VALUE...");
    return check(add_message(fields), fields,
                 "CPU:APPLICATION:TASK:THREAD:SENT:SENT:CPU:APPLICATION:TASK:THREAD:RECEIVED:"
                 "RECEIVED:SIZE:TAG");
  }

  std::vector<fold::Part> finish(const std::vector<std::string>& node_names) {
    std::vector<fold::Part> parts;
    for (auto& threads : streams_) {
      fold::Part part = threads.front()->finish();
      for (std::size_t i = 1; i < threads.size(); ++i) {
        if (!threads[i]) continue;
        fold::Part thread = threads[i]->finish();
        for (auto& one : thread.classes) part.classes.push_back(std::move(one));
        for (auto& one : thread.stamps) part.stamps.push_back(std::move(one));
      }
      threads.clear();
      parts.push_back(std::move(part));
    }
    parts.front().tables.comms = run_.comms.take_definitions();
    parts.front().tables.hosts = hosts(node_names);
    return parts;
  }

  std::vector<Remark> remarks() const {
    std::vector<Remark> all = run_.counts.remarks();
    for (const auto& forms : forms_) {
      for (const NamedForm& form : forms) {
        if (form.left_out == 0) continue;
        all.push_back({form.left_out, "calls of " + form.name,
                       "left out: the trace says too little of them, or they only ask"});
      }
    }
    if (unnamed_calls_ > 0)
      all.push_back({unnamed_calls_, "calls of functions without a name", "left out"});
    return all;
  }

private:
  struct Where {
    std::size_t rank = 0;
    std::size_t thread = 0;
    bool is_of_run = false; // of the application that is read
  };

  // The outcome of a record: an error of its own, or that its numbers make no sense.
  static Status check(Status added, const Fields& fields, std::string_view expected) {
    if (!added || !fields.has_failed()) return added;
    return bad(sentence("the record makes no sense before column ", std::to_string(fields.column()),
                        "; expected ", expected));
  }

  Status add_comm(std::string_view line) {
    auto added = run_.comms.add(line);
    if (!added) return propagate(added);
    CommPlace place = added->place;
    if (!budget_.take_items(added->members.size(), 64))
      return tl::unexpected<Error>(budget_.error(""));
    for (std::size_t i = 0; i < added->members.size(); ++i) {
      place.rank = static_cast<std::int64_t>(i);
      for (auto& stream : streams_[static_cast<std::size_t>(added->members[i])]) {
        if (stream) stream->join_comm(place);
      }
    }
    return {};
  }

  // "CPU:APPLICATION:TASK:THREAD:"
  Where read_where(Fields& fields) {
    fields.number();
    fields.expect(':');
    const std::uint64_t application = fields.number_up_to(kMostNumber);
    fields.expect(':');
    const bool is_of_run = application == 1;
    const std::uint64_t task = fields.number_up_to(is_of_run ? streams_.size() : kMostNumber);
    fields.expect(':');
    const std::uint64_t most = is_of_run && task > 0 && !fields.has_failed()
                                   ? header_.tasks[task - 1].threads
                                   : kMostNumber;
    const std::uint64_t thread = fields.number_up_to(most);
    fields.expect(':');
    if (task == 0 || thread == 0) fields.expect('\0'); // they count from 1: it fails
    if (fields.has_failed() || !is_of_run) {
      run_.counts.other_applications += fields.has_failed() ? 0 : 1;
      return {};
    }
    return {task - 1, thread - 1, true};
  }

  std::uint64_t read_time(Fields& fields) {
    return fields.number_up_to(kMostParaverTime_ns / header_.unit_ns) * header_.unit_ns;
  }

  Status add_state(Fields& fields) {
    const Where where = read_where(fields);
    const std::uint64_t begin_ns = read_time(fields);
    fields.expect(':');
    const std::uint64_t end_ns = read_time(fields);
    fields.expect(':');
    const std::int64_t state = fields.number();
    if (!fields.is_over()) fields.expect('\0');
    if (fields.has_failed() || !where.is_of_run || state != kRunningState) return {};
    if (ParaverStream* stream = find_stream(where)) stream->running(begin_ns, end_ns);
    return {};
  }

  Status add_event(Fields& fields) {
    const Where where = read_where(fields);
    const std::uint64_t time_ns = read_time(fields);
    if (fields.is_over()) fields.expect(':');
    while (!fields.has_failed() && fields.take(':')) {
      const std::int64_t type = fields.number();
      fields.expect(':');
      const std::int64_t value = fields.number();
      if (fields.has_failed() || !where.is_of_run) continue;
      if (auto taken = take_event(where, time_ns, type, value); !taken) return taken;
    }
    if (!fields.is_over()) fields.expect('\0');
    return {};
  }

  Status take_event(const Where& where, std::uint64_t time_ns, std::int64_t type,
                    std::int64_t value) {
    const std::int64_t index = type - kFirstMpiEvent;
    if (index >= 0 && index < static_cast<std::int64_t>(kMpiEvents))
      return take_call(where, time_ns, static_cast<std::size_t>(index), value);
    ParaverStream* stream =
        type >= kFirstSizeEvent && type <= kFirstSizeEvent + 3 ? find_stream(where) : nullptr;
    if (stream == nullptr) {
      ++run_.counts.other_events;
      return {};
    }
    if (type == kFirstSizeEvent) stream->say_sizes(value, {});
    if (type == kFirstSizeEvent + 1) stream->say_sizes({}, value);
    if (type == kFirstSizeEvent + 2 && value != 0) stream->say_root();
    if (type == kFirstSizeEvent + 3) stream->say_comm(static_cast<std::uint64_t>(value));
    return {};
  }

  Status take_call(const Where& where, std::uint64_t time_ns, std::size_t type,
                   std::int64_t value) {
    ParaverStream* stream = find_stream(where);
    if (value == 0) {
      if (stream != nullptr) stream->end_call(time_ns);
      return {};
    }
    auto& forms = forms_[type];
    const auto index = static_cast<std::uint64_t>(value);
    if (index >= forms.size() || forms[index].name.empty()) {
      ++unnamed_calls_;
      return {};
    }
    NamedForm& form = forms[index];
    if (form.form.function == nullptr) {
      ++form.left_out;
      return {};
    }
    if (stream == nullptr) stream = open_stream(where.rank, where.thread);
    if (stream == nullptr) return tl::unexpected<Error>(budget_.error(""));
    stream->begin_call(form.form, time_ns);
    return {};
  }

  Status add_message(Fields& fields) {
    MessageEnd sent;
    MessageEnd received;
    const Where from = read_where(fields);
    sent.logical_ns = read_time(fields);
    fields.expect(':');
    sent.physical_ns = read_time(fields);
    fields.expect(':');
    const Where to = read_where(fields);
    received.logical_ns = read_time(fields);
    fields.expect(':');
    received.physical_ns = read_time(fields);
    fields.expect(':');
    sent.bytes = static_cast<std::int64_t>(fields.number_up_to(kMostNumber));
    fields.expect(':');
    sent.tag = fields.number();
    if (!fields.is_over()) fields.expect('\0');
    if (trace::is_special(sent.tag)) fields.expect('\0');
    if (fields.has_failed() || !from.is_of_run || !to.is_of_run) return {};
    received.bytes = sent.bytes;
    received.tag = sent.tag;
    sent.peer = static_cast<std::int64_t>(to.rank);
    received.peer = static_cast<std::int64_t>(from.rank);
    return give(from, sent, to, received);
  }

  Status give(const Where& from, const MessageEnd& sent, const Where& to,
              const MessageEnd& received) {
    ParaverStream* sender = open_stream(from.rank, from.thread);
    ParaverStream* receiver = open_stream(to.rank, to.thread);
    // Ends wait for their calls, which may never come.
    if (sender == nullptr || receiver == nullptr || !budget_.take_steps(1))
      return tl::unexpected<Error>(budget_.error(""));
    sender->sent(sent);
    receiver->received(received);
    return {};
  }

  ParaverStream* find_stream(const Where& where) {
    auto& threads = streams_[where.rank];
    return where.thread < threads.size() ? threads[where.thread].get() : nullptr;
  }

  // The stream, made if it is not there; nullptr if the budget is spent.
  ParaverStream* open_stream(std::size_t rank, std::size_t thread) {
    if (ParaverStream* stream = find_stream({rank, thread, true})) return stream;
    auto& threads = streams_[rank];
    const std::size_t more = thread < threads.size() ? 0 : thread + 1 - threads.size();
    const bool is_too_far = thread >= trace::kMaxThreads;
    if (is_too_far || !budget_.take_bytes(kBytesOfStream) || !budget_.take_items(more, 8))
      return nullptr;
    threads.resize(threads.size() + more);
    threads[thread] = std::make_unique<ParaverStream>(run_, static_cast<std::int64_t>(rank),
                                                      static_cast<std::uint32_t>(thread));
    if (thread > 0) threads[thread]->join_comms_of(*threads.front());
    return threads[thread].get();
  }

  std::vector<trace::Host> hosts(const std::vector<std::string>& names) const {
    std::map<std::uint64_t, std::vector<std::int64_t>> ranks;
    for (std::size_t i = 0; i < header_.tasks.size(); ++i) {
      if (header_.tasks[i].node > 0)
        ranks[header_.tasks[i].node].push_back(static_cast<std::int64_t>(i));
    }
    std::vector<trace::Host> all;
    for (auto& [node, members] : ranks) {
      const bool has_name = node <= names.size();
      all.push_back({has_name ? names[node - 1] : "node " + std::to_string(node),
                     trace::RankSet::of(std::move(members))});
    }
    return all;
  }

  ParaverHeader header_;
  Budget budget_;
  ParaverRun run_;
  std::vector<std::vector<std::unique_ptr<ParaverStream>>> streams_; // by rank and thread
  std::array<std::vector<NamedForm>, kMpiEvents> forms_; // by value
  std::uint64_t unnamed_calls_ = 0;
};

// The whole ---------------------------------------------------------------------------------------

tl::unexpected<Error> at_paraver_line(Error error, const LineReader& lines) {
  error.place = {lines.file(), {}, {}, lines.line()};
  return tl::unexpected<Error>(std::move(error));
}

std::uint64_t size_of_paraver(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

Status read_records(LineReader& lines, ParaverReader& reader, const ParaverOptions& options,
                    std::uint64_t total) {
  constexpr std::uint64_t kLinesBetween = 1 << 16; // reports of progress
  for (;;) {
    const auto line = lines.next();
    if (!line) return propagate(line);
    if (line->is_end) return {};
    auto added = reader.add(line->text);
    if (!added && !line->is_whole)
      added = fail(ErrorCode::kDamaged, "the file ends in the middle of this line; copy it again");
    if (!added) return at_paraver_line(added.error(), lines);
    if (options.progress && lines.line() % kLinesBetween == 0)
      options.progress(lines.bytes(), std::max(total, lines.bytes()));
  }
}

// Along the tree along which the recorder merges.
fold::Part merge_parts(std::vector<fold::Part>& parts, std::size_t first, std::size_t count,
                       bool merges) {
  if (count == 1) return std::move(parts[first]);
  const std::size_t left_count = std::bit_floor(count - 1);
  fold::Part left = merge_parts(parts, first, left_count, merges);
  fold::merge(left, merge_parts(parts, first + left_count, count - left_count, merges), merges);
  return left;
}

Result<ParaverHeader> read_header(LineReader& lines) {
  const auto line = lines.next();
  if (!line) return propagate(line);
  auto header = parse_paraver_header(line->text);
  if (!header) return at_paraver_line(header.error(), lines);
  return header;
}

trace::Trace trace_of(std::vector<fold::Part>&& parts, const std::string& path,
                      std::int64_t start_unix_ns, bool merges) {
  const auto ranks = static_cast<std::int64_t>(parts.size());
  fold::Part whole = merge_parts(parts, 0, parts.size(), merges);
  const std::string stem = beside_paraver(path, "");
  whole.run.command = std::filesystem::path(stem.substr(0, stem.size() - 1)).filename().string();
  whole.run.mpi = "Paraver trace";
  whole.run.recorder = "rondo " RONDO_VERSION;
  whole.run.ranks = ranks;
  whole.run.start_unix_ns = start_unix_ns;
  return fold::resolve(std::move(whole), merges);
}

} // namespace
} // namespace internal

bool is_paraver(std::string_view start) { return start.starts_with(internal::kParaverStart); }

Result<Imported> read_paraver(const std::string& path, const ParaverOptions& options) {
  using namespace internal;
  auto source = open_unpacked(path);
  if (!source) return propagate(source);
  LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, path);
  auto header = read_header(lines);
  if (!header) return propagate(header);
  const auto functions = read_function_names(beside_paraver(path, "pcf"));
  if (!functions) return propagate(functions);
  const auto nodes = read_node_names(beside_paraver(path, "row"));
  if (!nodes) return propagate(nodes);
  const std::int64_t start_unix_ns = header->start_unix_ns;
  const std::uint64_t size = size_of_paraver(path);
  ParaverReader reader(std::move(*header), options, Budget::of_file(size));
  reader.set_names(*functions);
  if (auto opened = reader.open_streams(); !opened) return at_paraver_line(opened.error(), lines);
  if (auto read = read_records(lines, reader, options, size); !read) return propagate(read);
  std::vector<fold::Part> parts = reader.finish(*nodes);
  trace::Trace trace = trace_of(std::move(parts), path, start_unix_ns, options.merges);
  std::vector<Remark> remarks = reader.remarks();
  if (!trace.run.complete) trace.run.notes = "not every rank comes to MPI_Finalize";
  return Imported{std::move(trace), std::move(remarks)};
}

} // namespace rondo::convert
