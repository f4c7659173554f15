// SPDX-License-Identifier: Apache-2.0
#include "archive/image.hpp"
#include "archive/program_codec.hpp"
#include "archive/rondo_generated.h"

namespace rondo::archive {
namespace {

using Vector = flatbuffers::Vector<std::uint8_t>;

std::string_view view(const Vector* bytes) {
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string text(const flatbuffers::String* string) {
  return string == nullptr ? "" : string->str();
}

// Reads packed fields and remembers whether all were sound.
class Fields {
public:
  std::vector<trace::RankRange> ranges(const Vector* bytes) {
    if (bytes == nullptr) return {};
    Unpacker in(view(bytes));
    auto ranges = unpack_ranges(in);
    check(in);
    return ranges;
  }
  trace::RankSet set(const Vector* bytes) { return trace::RankSet::from_ranges(ranges(bytes)); }
  void check(const Unpacker& in) { ok_ = ok_ && in.ok() && in.at_end(); }
  void require(bool condition) { ok_ = ok_ && condition; }
  bool ok() const { return ok_; }

private:
  bool ok_ = true;
};

// Calls visit(row) for each table of a vector that may be missing.
template <class Rows, class Visit> void for_each(const Rows* rows, Visit visit) {
  if (rows == nullptr) return;
  for (const auto* row : *rows) visit(*row);
}

void read_run(const fb::Run& run, trace::RunFacts& facts) {
  facts.command = text(run.command());
  facts.mpi = text(run.mpi());
  facts.recorder = text(run.recorder());
  facts.notes = text(run.notes());
  facts.choice = text(run.choice());
  facts.ranks = run.ranks();
  facts.start_unix_ns = run.start_unix_ns();
  facts.complete = run.complete();
  facts.thread_level = run.thread_level();
}

void read_objects(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  for_each(in.hosts(), [&](const fb::Host& host) {
    trace.hosts.push_back({text(host.name()), fields.set(host.ranks())});
  });
  for_each(in.comms(), [&](const fb::Comm& comm) {
    trace.comms.push_back({comm.slot(), fields.ranges(comm.members()), fields.ranges(comm.remote()),
                           fields.set(comm.holders())});
  });
  for_each(in.groups(), [&](const fb::Group& group) {
    trace.groups.push_back(
        {group.slot(), fields.ranges(group.members()), fields.set(group.holders())});
  });
  for_each(in.datatypes(), [&](const fb::Datatype& type) {
    trace.datatypes.push_back({type.slot(), text(type.name()), type.size_bytes(),
                               type.extent_bytes(), fields.set(type.holders())});
  });
}

void read_modules(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  if (in.build_ids() == nullptr) return;
  const auto count = in.build_ids()->size();
  fields.require(count == 0 || (in.modules() != nullptr && count <= in.modules()->size()));
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i)
    trace.modules.push_back({in.modules()->Get(i)->str(), in.build_ids()->Get(i)->str()});
}

void read_sites(const fb::Trace& in, trace::Trace& trace, Fields& fields) {
  Unpacker sites(view(in.sites()));
  while (!sites.at_end()) {
    const std::uint64_t module = sites.get();
    const std::uint64_t offset = sites.get();
    fields.require(in.modules() != nullptr && module < in.modules()->size());
    if (!fields.ok()) return;
    trace.sites.push_back(
        {in.modules()->Get(static_cast<flatbuffers::uoffset_t>(module))->str(), offset});
  }
  fields.check(sites);
  if (in.callers() == nullptr) return;
  Unpacker callers(view(in.callers()));
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const std::uint64_t caller = callers.get();
    fields.require(caller <= i); // callers stand before: no stack is endless
    trace.sites[i].caller = static_cast<std::uint32_t>(caller);
  }
  fields.check(callers);
}

void read_facts(const fb::Trace& in, Image& image, Fields& fields) {
  Unpacker facts(view(in.rank_facts()));
  while (!facts.at_end()) {
    image.rank_ids.push_back(static_cast<std::int64_t>(facts.get()));
    trace::RankFacts& rank = image.trace.ranks.emplace_back();
    for (std::uint64_t* fact : {&rank.calls, &rank.computation_ns, &rank.inside_ns, &rank.span_ns,
                                &rank.recorder_ns, &rank.recorder_bytes}) {
      *fact = facts.get();
    }
  }
  fields.check(facts);
}

void read_endings(const fb::Trace& in, Image& image, Fields& fields) {
  Unpacker endings(view(in.endings()));
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
                   kind <= static_cast<std::uint64_t>(trace::Ending::kUnheard));
    if (!fields.ok()) return;
    const bool is_known =
        ending.function == 0 || (trace::find_function(ending.function) != nullptr &&
                                 ending.site < image.trace.sites.size());
    fields.require(is_known);
    image.trace.ranks[next].ending = ending;
  }
  fields.check(endings);
}

std::vector<fold::PeerHypotheses> read_peers(const Vector* bytes, Fields& fields) {
  Unpacker in(view(bytes));
  std::vector<fold::PeerHypotheses> peers;
  const std::size_t count = in.get_count();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    fold::PeerHypotheses& peer = peers.emplace_back();
    peer.holds = static_cast<std::uint8_t>(in.get());
    for (std::int64_t* value : {&peer.constant, &peer.relative, &peer.modulo, &peer.exclusive_or}) {
      *value = in.get_signed();
    }
  }
  fields.check(in);
  return peers;
}

const std::uint8_t* data(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

} // namespace

std::optional<Image> decode_program_section(std::string_view bytes) {
  flatbuffers::Verifier verifier(data(bytes), bytes.size());
  if (!fb::VerifyTraceBuffer(verifier)) return std::nullopt;
  const fb::Trace& in = *fb::GetTrace(bytes.data());
  Image image;
  Fields fields;
  if (in.run() != nullptr) read_run(*in.run(), image.trace.run);
  read_objects(in, image.trace, fields);
  read_modules(in, image.trace, fields);
  read_sites(in, image.trace, fields);
  read_facts(in, image, fields);
  read_endings(in, image, fields);
  for_each(in.classes(), [&](const fb::RankClass& c) {
    Unpacker packed(view(c.program()));
    auto program = std::make_shared<trace::Program>(unpack_program(packed));
    fields.check(packed);
    trace::RankSet ranks = fields.set(c.ranks());
    fields.require(!ranks.ranges().empty());
    if (c.peers() != nullptr) image.peers.push_back(read_peers(c.peers(), fields));
    image.trace.classes.push_back({std::move(ranks), c.thread(), std::move(program)});
  });
  fields.require(image.peers.empty() || image.peers.size() == image.trace.classes.size());
  if (!fields.ok()) return std::nullopt;
  return image;
}

bool decode_times_section(std::string_view bytes, trace::Trace& trace) {
  flatbuffers::Verifier verifier(data(bytes), bytes.size());
  if (!verifier.VerifyBuffer<fb::Times>(nullptr)) return false;
  const auto* classes = flatbuffers::GetRoot<fb::Times>(bytes.data())->classes();
  if (classes == nullptr || classes->size() != trace.classes.size()) return classes == nullptr;
  Fields fields;
  for (flatbuffers::uoffset_t i = 0; i < classes->size(); ++i) {
    auto program = std::make_shared<trace::Program>(*trace.classes[i].program);
    Unpacker in(view(classes->Get(i)->places()));
    unpack_times(in, *program);
    fields.check(in);
    trace.classes[i].program = std::move(program);
  }
  return fields.ok();
}

} // namespace rondo::archive
