// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/rank_actions.hpp"

#include "convert/simgrid_ti/datatypes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace rondo::convert::internal {
namespace {

using trace::Function;
using trace::is_special;
using trace::Mode;
using trace::Role;

// Sends that end when the buffer is free, whoever receives.
bool is_standard_send(std::string_view name) {
  return name == "MPI_Send" || name == "MPI_Rsend" || name == "MPI_Isend" || name == "MPI_Irsend" ||
         name == "MPI_Send_init" || name == "MPI_Rsend_init";
}

int simgrid_number(const trace::DatatypeDefinition& type) {
  for (int number = 0; number < kDatatypes; ++number) {
    const SimgridDatatype& known = simgrid_datatype(number);
    if (!known.name.empty() && known.name == type.name && known.size_bytes == type.size_bytes)
      return number;
  }
  return -1;
}

std::int64_t first_word(const Function& function, const std::vector<std::int64_t>& words,
                        std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const int index = function.word_of(name);
    if (index >= 0) return words[static_cast<std::size_t>(index)];
  }
  return trace::kNothing;
}

} // namespace

std::string_view plain_name(const Function& function) {
  std::string_view name = function.name;
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name;
}

void Export::spread_tags() {
  std::int64_t offset = 0;
  for (auto& [comm, added] : tag_offsets) {
    added = offset;
    offset += highest_tag + (has_steps ? 2 : 1);
  }
  if (offset - 1 > kMostInt)
    ++refused["tags and communicators: together they do not fit into SimGrid's tags"].times;
}

RankActions::RankActions(Export& run, const trace::RankClass& rank_class, std::int64_t rank)
    : run_(run), rank_(rank), reader_(run.trace, rank_class, rank),
      computation_(run.trace, rank_class, rank) {
  for (const trace::DatatypeDefinition& type : run.trace.datatypes) {
    if (type.holders.contains(rank))
      types_[type.slot] = {std::max<std::int64_t>(type.size_bytes, 0), simgrid_number(type)};
  }
}

bool RankActions::next(std::string& out) {
  call_ = reader_.next();
  if (call_ == nullptr) return false;
  ++calls_;
  out_ = &out;
  flops_ += computation_.before(call_->symbol) * run_.flops_per_second;
  if (call_->error == 0) call();
  return true;
}

void RankActions::call() {
  const Function& function = *call_->function;
  const std::string_view name = plain_name(function);
  switch (function.role) {
  case Role::kSend:
  case Role::kRecv:
  case Role::kSendrecv:
    if (function.mode == Mode::kPartitioned) return refuse("is partitioned");
    if (function.role == Role::kSend && !is_standard_send(name) &&
        !lowers("is no standard send", "as a standard send"))
      return;
    if (function.role == Role::kRecv && function.word_of("source") < 0)
      return refuse("receives what a probe has found");
    if (function.mode == Mode::kPersistent) return make_slot();
    return transfer(function, call_->words, nullptr);
  case Role::kComplete:
    return complete();
  case Role::kCollective:
    return collective();
  case Role::kProbe:
    if (function.word_of("flag") >= 0 && word("flag") == 0) return;
    if (function.word_of("message") >= 0) return refuse("is a probe that takes the message");
    lowers("is a probe", "left out");
    return;
  case Role::kRequest:
    if (name == "MPI_Start") return start(word("request"));
    if (name == "MPI_Startall") {
      for (const std::int64_t request : array(word("array_of_requests"))) start(request);
    } else if (name == "MPI_Request_free") {
      free_request(word("request"));
    } else if (name != "MPI_Cancel") {
      refuse("is about requests that no action has");
    }
    return;
  case Role::kComm:
    if (name == "MPI_Comm_dup") return line("comm_dup");
    if (name == "MPI_Comm_split") return line("comm_split");
    [[fallthrough]];
  case Role::kTopo:
    if (function.makes_request) {
      lowers("makes a communicator without blocking", "left out");
      return add_empty_request();
    }
    ++run_.left_out["calls that make or name communicators"];
    return;
  case Role::kEnv:
    if (name == "MPI_Init" || name == "MPI_Init_thread") line("init");
    if (name == "MPI_Finalize") line("finalize");
    return;
  case Role::kNeighbor:
    return refuse("is a neighbour collective");
  case Role::kRma:
  case Role::kWin:
    return refuse("is one-sided");
  case Role::kIo:
    lowers("is about files", "left out");
    if (function.makes_request) add_empty_request();
    return;
  case Role::kProcess:
    return refuse("starts or meets processes outside the run");
  default: // groups, datatypes, operations, markers: nothing that a network sees
    return;
  }
}

void RankActions::refuse(std::string_view why) {
  ++run_.refused[fmt::format("{}: {}", call_->function->name, why)].times;
}

// Lines -------------------------------------------------------------------------------------------

void RankActions::line(std::string_view action) {
  if (flops_ > 0) {
    fmt::format_to(std::back_inserter(*out_), "{} compute {:.15g}\n", rank_, flops_);
    flops_ = 0;
  }
  fmt::format_to(std::back_inserter(*out_), "{} {}\n", rank_, action);
}

void RankActions::argument(std::int64_t value) {
  out_->pop_back(); // the line's end
  fmt::format_to(std::back_inserter(*out_), " {}\n", value);
}

std::span<const std::int64_t> RankActions::array(std::int64_t index) const {
  const auto& arrays = reader_.program().arrays;
  if (is_special(index) || static_cast<std::uint64_t>(index) >= arrays.size()) return {};
  return arrays[static_cast<std::size_t>(index)];
}

std::int64_t RankActions::word(std::string_view field) const {
  return first_word(*call_->function, call_->words, {field});
}

RankActions::Type RankActions::type_of(std::int64_t type) {
  const auto found = types_.find(type);
  if (found != types_.end()) return found->second;
  if (!is_special(type)) refuse("has a datatype that the trace does not define");
  return {};
}

// Of a type that SimGrid does not have: its bytes.
RankActions::Amount RankActions::amount(std::int64_t count, std::int64_t type) {
  const Type known = type_of(type);
  const std::int64_t whole = is_special(count) ? 0 : std::max<std::int64_t>(count, 0);
  if (known.number >= 0) return {whole, known.number};
  return {whole * known.size_bytes, kByteType};
}

// Messages ----------------------------------------------------------------------------------------

std::int64_t RankActions::tag_on(std::int64_t comm, std::int64_t tag) {
  if (is_special(tag)) tag = 0; // imported sendRecv, whose messages SimGrid gives this tag
  run_.highest_tag = std::max(run_.highest_tag, tag);
  return tag + run_.tag_offsets[run_.comms.of(rank_, comm).id];
}

// Nothing for MPI_PROC_NULL and for receives that were cancelled.
std::optional<RankActions::Key> RankActions::receive_key(const Function& function,
                                                         const Words& words) {
  const std::int64_t source = first_word(function, words, {"source"});
  const std::int64_t tag = first_word(function, words, {"recvtag", "tag"});
  const std::int64_t comm = first_word(function, words, {"comm"});
  if (is_special(source) && source != trace::kAnySource) return std::nullopt;
  const bool is_wild = source == trace::kAnySource || tag == trace::kAnyTag;
  if (is_wild || run_.receives.may_cancel(rank_)) {
    const auto envelope = run_.receives.take(rank_, calls_ - 1);
    if (envelope) return Key{envelope->source, rank_, tag_on(comm, envelope->tag)};
    if (!run_.receives.may_cancel(rank_)) refuse("got no message in the trace");
    return std::nullopt;
  }
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(source);
  if (world < 0) {
    refuse("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  return Key{world, rank_, tag_on(comm, tag)};
}

std::optional<RankActions::Key> RankActions::send_key(const Function& function,
                                                      const Words& words) {
  const std::int64_t dest = first_word(function, words, {"dest"});
  const std::int64_t comm = first_word(function, words, {"comm"});
  if (is_special(dest)) return std::nullopt;
  const std::int64_t world = run_.comms.of(rank_, comm).world_rank(dest);
  if (world < 0) {
    refuse("has a peer or communicator that the trace does not know");
    return std::nullopt;
  }
  return Key{rank_, world, tag_on(comm, first_word(function, words, {"sendtag", "tag"}))};
}

void RankActions::post(std::string_view action, std::int64_t peer, const Key& key, Amount amount) {
  if (amount.count > kMostInt) return refuse("has a count that SimGrid cannot read");
  put(action, {peer, key.tag, amount.count, amount.type});
}

// MPI_Sendrecv becomes irecv, isend and two waits: SimGrid's sendRecv has no tags.
void RankActions::transfer(const Function& function, const Words& words, Slot* slot) {
  const bool receives = function.word_of("source") >= 0;
  const bool sends = function.word_of("dest") >= 0;
  const bool is_blocking = slot == nullptr && !function.makes_request;
  const auto received = receives ? receive_key(function, words) : std::nullopt;
  const auto sent = sends ? send_key(function, words) : std::nullopt;
  const bool is_plain = is_blocking && receives != sends;
  if (received) {
    post(is_plain ? "recv" : "irecv", received->source, *received,
         amount(first_word(function, words, {"recvcount", "count"}),
                first_word(function, words, {"recvtype", "datatype"})));
  }
  if (sent) {
    post(is_plain ? "send" : "isend", sent->dest, *sent,
         amount(first_word(function, words, {"sendcount", "count"}),
                first_word(function, words, {"sendtype", "datatype"})));
  }
  if (is_plain) return;
  Keys keys;
  if (received) keys.push_back(*received);
  if (sent) keys.push_back(*sent);
  open_keys_ += keys.size();
  if (is_blocking) {
    for (const Key& key : keys) wait(key);
  } else if (slot != nullptr) {
    slot->active = std::move(keys);
  } else {
    ++made_;
    open_.emplace_back(std::move(keys));
  }
}

} // namespace rondo::convert::internal
