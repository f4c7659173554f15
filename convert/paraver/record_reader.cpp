// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/record_reader.hpp"

#include "convert/text/tokens.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::convert::internal {
namespace {

constexpr std::int64_t kRunningState = 1;
// About what one takes that has a few calls.
constexpr std::uint64_t kBytesOfStream = 8192;
constexpr std::uint64_t kBytesOfStamps = 16384;
constexpr std::size_t kHeldInAll = std::size_t{1} << 22; // calls
constexpr std::size_t kLeastHeld = 1024; // of a stream
constexpr std::uint64_t kMostNumber = ~std::uint64_t{0} >> 1;

// The outcome of a record: an error of its own, or that its numbers make no sense.
Status check_record(Status added, const Fields& fields, std::string_view expected) {
  if (!added || !fields.has_failed()) return added;
  return bad(sentence("the record makes no sense before column ", std::to_string(fields.column()),
                      "; expected ", expected));
}

} // namespace

ParaverReader::ParaverReader(ParaverHeader header, ImportOptions options, Budget budget)
    : header_(std::move(header)),
      budget_(std::move(budget)), run_{std::move(options),
                                       static_cast<std::int64_t>(header_.tasks.size()),
                                       header_.duration_ns,
                                       header_.start_unix_ns,
                                       std::max(kLeastHeld,
                                                kHeldInAll /
                                                    std::max<std::size_t>(header_.tasks.size(), 1)),
                                       ParaverComms(header_.tasks.size())},
      streams_(header_.tasks.size()) {}

Status ParaverReader::open_streams() {
  for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
    if (!open_stream(rank, 0)) return tl::unexpected<Error>(budget_.error(""));
  }
  return {};
}

void ParaverReader::set_names(const std::array<FunctionNames, kMpiEvents>& names) {
  for (std::size_t i = 0; i < kMpiEvents; ++i) {
    for (const std::string& name : names[i])
      forms_[i].push_back({name.empty() ? CallForm{} : call_form(name), name});
  }
}

Status ParaverReader::add(std::string_view line) {
  if (line.empty() || line.front() == '#') return {};
  if (line.starts_with("c:")) return add_comm(line.substr(2));
  if (line.starts_with("i:")) { // APPLICATION:ID:COMMUNICATOR:COMMUNICATOR
    ++run_.counts.inter_communicators;
    return {};
  }
  Fields fields(line);
  const std::int64_t kind = fields.number();
  fields.expect(':');
  if (fields.has_failed() || kind < 1 || kind > 4) {
    return bad(sentence("found ", shown(line),
                        "; expected a state (1:...), an event (2:...), a message (3:...) or a "
                        "communicator (c:...)"));
  }
  has_records_ = true;
  if (kind == 1)
    return check_record(add_state(fields), fields, "CPU:APPLICATION:TASK:THREAD:BEGIN:END:STATE");
  if (kind == 2)
    return check_record(add_event(fields), fields,
                        "CPU:APPLICATION:TASK:THREAD:TIME:TYPE:VALUE...");
  if (kind == 4)
    return check_record(add_collective(fields), fields,
                        "CPU:APPLICATION:TASK:THREAD:TIME:COMMUNICATOR:SENT:RECEIVED:...");
  return check_record(add_message(fields), fields,
                      "CPU:APPLICATION:TASK:THREAD:SENT:SENT:CPU:APPLICATION:TASK:THREAD:RECEIVED:"
                      "RECEIVED:SIZE:TAG");
}

std::vector<fold::RecordingPart> ParaverReader::finish(const std::vector<std::string>& node_names) {
  std::vector<fold::RecordingPart> parts;
  for (auto& threads : streams_) {
    fold::RecordingPart part = threads.front()->finish();
    for (std::size_t i = 1; i < threads.size(); ++i) {
      if (!threads[i]) continue;
      fold::RecordingPart thread = threads[i]->finish();
      trace::RankFacts& facts = part.ranks.front().second;
      facts.calls += threads[i]->facts().calls;
      facts.computation_ns += threads[i]->facts().computation_ns;
      facts.inside_ns += threads[i]->facts().inside_ns;
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

std::vector<Remark> ParaverReader::remarks() const {
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

Status ParaverReader::amend(const ParaverAmends& amends) {
  run_.gaps_compute = amends.gaps_compute;
  run_.has_one_comm = amends.has_one_comm;
  for (const std::string& line : amends.comms) {
    if (auto added = add_comm(line); !added) return added;
  }
  return {};
}

std::optional<ParaverAmends> ParaverReader::amends() const {
  ParaverAmends amends;
  amends.gaps_compute = has_calls_ && !run_.has_running;
  if (run_.counts.communicators > 0) {
    amends.comms = late_comms_;
    amends.has_one_comm = !says_comm_;
    if (!run_.comms.are_defined()) { // Extrae's number for the first one
      std::string world = "1:1:" + std::to_string(streams_.size());
      for (std::size_t task = 1; task <= streams_.size(); ++task)
        world += ":" + std::to_string(task);
      amends.comms.push_back(std::move(world));
    }
  }
  const bool is_of_use = amends.gaps_compute || amends.has_one_comm || !amends.comms.empty();
  return is_of_use && !run_.gaps_compute ? std::optional(std::move(amends)) : std::nullopt;
}

Status ParaverReader::add_comm(std::string_view line) {
  if (has_records_) {
    if (!budget_.take_bytes(line.size())) return tl::unexpected<Error>(budget_.error(""));
    late_comms_.emplace_back(line);
  }
  auto added = run_.comms.add(line);
  if (!added) return propagate(added);
  if (added->is_unknown) ++run_.counts.unknown_communicators;
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
ParaverReader::Where ParaverReader::read_where(Fields& fields) {
  fields.number();
  fields.expect(':');
  const std::uint64_t application = fields.number_up_to(kMostNumber);
  fields.expect(':');
  const bool is_of_run = application == 1;
  const std::uint64_t task = fields.number_up_to(is_of_run ? streams_.size() : kMostNumber);
  fields.expect(':');
  const std::uint64_t most =
      is_of_run && task > 0 && !fields.has_failed() ? header_.tasks[task - 1].threads : kMostNumber;
  const std::uint64_t thread = fields.number_up_to(most);
  fields.expect(':');
  if (task == 0 || thread == 0) fields.expect('\0'); // they count from 1: it fails
  if (fields.has_failed() || !is_of_run) {
    run_.counts.other_applications += fields.has_failed() ? 0 : 1;
    return {};
  }
  return {task - 1, thread - 1, true};
}

std::uint64_t ParaverReader::read_time(Fields& fields) const {
  return fields.number_up_to(kMostParaverTime_ns / header_.unit_ns) * header_.unit_ns;
}

Status ParaverReader::add_state(Fields& fields) {
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

Status ParaverReader::add_event(Fields& fields) {
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

Status ParaverReader::take_event(const Where& where, std::uint64_t time_ns, std::int64_t type,
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
  says_comm_ = says_comm_ || (type == kFirstSizeEvent + 3 && value != 0);
  return {};
}

Status ParaverReader::take_call(const Where& where, std::uint64_t time_ns, std::size_t type,
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
  has_calls_ = true;
  return {};
}

// What old tools said of the collective operation that is open, in place of events.
Status ParaverReader::add_collective(Fields& fields) {
  const Where where = read_where(fields);
  read_time(fields);
  fields.expect(':');
  const std::uint64_t comm = fields.number_up_to(kMostNumber);
  fields.expect(':');
  const auto sent = static_cast<std::int64_t>(fields.number_up_to(kMostNumber));
  fields.expect(':');
  const auto received = static_cast<std::int64_t>(fields.number_up_to(kMostNumber));
  if (fields.has_failed() || !where.is_of_run) return {};
  if (ParaverStream* stream = find_stream(where)) {
    stream->say_sizes(sent, received);
    stream->say_comm(comm);
    says_comm_ = says_comm_ || comm != 0;
  }
  return {};
}

Status ParaverReader::add_message(Fields& fields) {
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

Status ParaverReader::give(const Where& from, const MessageEnd& sent, const Where& to,
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

ParaverStream* ParaverReader::find_stream(const Where& where) {
  auto& threads = streams_[where.rank];
  return where.thread < threads.size() ? threads[where.thread].get() : nullptr;
}

// The stream, made if it is not there; nullptr if the budget is spent.
ParaverStream* ParaverReader::open_stream(std::size_t rank, std::size_t thread) {
  if (ParaverStream* stream = find_stream({rank, thread, true})) return stream;
  auto& threads = streams_[rank];
  const std::size_t more = thread < threads.size() ? 0 : thread + 1 - threads.size();
  const std::uint64_t bytes = kBytesOfStream + (run_.options.all_times ? kBytesOfStamps : 0);
  const bool is_too_far = thread >= trace::kMaxThreads;
  if (is_too_far || !budget_.take_bytes(bytes) || !budget_.take_items(more, 8)) return nullptr;
  threads.resize(threads.size() + more);
  threads[thread] = std::make_unique<ParaverStream>(run_, static_cast<std::int64_t>(rank),
                                                    static_cast<std::uint32_t>(thread));
  if (thread > 0) threads[thread]->join_comms_of(*threads.front());
  return threads[thread].get();
}

std::vector<trace::Host> ParaverReader::hosts(const std::vector<std::string>& names) const {
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

} // namespace rondo::convert::internal
