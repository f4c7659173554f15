// SPDX-License-Identifier: Apache-2.0
#include "record/handles/late_receives.hpp"

#include "record/handles/objects.hpp"
#include "record/live/live_link.hpp"
#include "record/process/clock.hpp"
#include "record/process/no_cancel.hpp"
#include "rondo/trace/functions.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <unistd.h>

namespace rondo::record {
namespace {

using trace::Mode;
using trace::Role;

// Before MPI gets what is held. Whoever is to receive may wait for a processor; a program in which
// nobody is to receive yet is so again and again.
constexpr std::uint64_t kMostPatience_ns = 1'000'000'000;
constexpr std::uint64_t kLeastPatience_ns = 20'000'000;
std::uint64_t patience_ns = kMostPatience_ns; // halved each time that was in vain
constexpr int kQuestionsAtOnce = 1000; // questions before the processor is left to others

bool overlap(const LateReceives::Envelope& a, const LateReceives::Envelope& b) {
  const bool same_source =
      a.source == b.source || a.source == trace::kAnySource || b.source == trace::kAnySource;
  const bool same_tag = a.tag == b.tag || a.tag == trace::kAnyTag || b.tag == trace::kAnyTag;
  return a.comm == b.comm && same_source && same_tag;
}

bool contains(std::span<const MPI_Request> requests, MPI_Request request) {
  return std::find(requests.begin(), requests.end(), request) != requests.end();
}

// False if that is not so after a while.
template <class Is> bool becomes(Is is) {
  const NoCancel here;
  const std::uint64_t began_ns = monotonic_ns();
  for (int i = 0; !is(); ++i) {
    if (monotonic_ns() - began_ns > patience_ns) {
      patience_ns = std::max(patience_ns / 2, kLeastPatience_ns);
      return false;
    }
    if (i > kQuestionsAtOnce) ::usleep(50);
  }
  return true;
}

bool is_there(MPI_Request request) {
  int flag = 0;
  return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
}

// Calls that wait for nobody, and take no messages.
bool is_harmless(const trace::Function& function) {
  switch (function.role) {
  case Role::kEnv:
  case Role::kMarker:
  case Role::kGroup:
  case Role::kOp:
  case Role::kComplete:
    return true;
  case Role::kSend:
    return function.mode == Mode::kNonblocking || function.name == mpi::Send ||
           function.name == mpi::Ssend || function.name == mpi::Bsend;
  default:
    return false;
  }
}

} // namespace

bool LateReceives::are_held() const {
  return std::any_of(receives_.begin(), receives_.end(),
                     [](const Receive& each) { return each.is_held(); });
}

LateReceives::Receive* LateReceives::find(MPI_Request request) {
  const auto found =
      std::find_if(receives_.begin(), receives_.end(),
                   [request](const Receive& each) { return each.request == request; });
  return found == receives_.end() ? nullptr : &*found;
}

const LateReceives::Receive* LateReceives::find(MPI_Request request) const {
  return const_cast<LateReceives*>(this)->find(request);
}

int LateReceives::hold(const Envelope& envelope, void* buffer, int count, MPI_Datatype datatype,
                       int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Recv_init(buffer, count, datatype, MPI_ANY_SOURCE, tag, comm, request);
  if (result == MPI_SUCCESS)
    receives_.push_back({*request, MPI_REQUEST_NULL, envelope, buffer, count, datatype, comm});
  return result;
}

int LateReceives::send(bool is_synchronous, const void* buffer, int count, MPI_Datatype datatype,
                       int dest, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int result = (is_synchronous ? PMPI_Issend : PMPI_Isend)(buffer, count, datatype, dest, tag,
                                                                 comm, &request);
  if (result != MPI_SUCCESS) return result;
  settle({&request, 1}, Wants::kAll);
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

void LateReceives::give_up() {
  std::int64_t given = 0;
  for (Receive& each : receives_) {
    if (!each.is_held()) continue;
    each.posted = each.request;
    PMPI_Start(&each.posted);
    ++given;
  }
  if (given > 0) link_.say_given_up(given);
}

void LateReceives::forget(std::uint64_t request) {
  std::erase_if(receives_,
                [request](const Receive& each) { return key_of(each.request) == request; });
}

void LateReceives::before(std::uint16_t function, const Envelope& envelope) {
  const trace::Function* const what = trace::find_function(function);
  if (what == nullptr || !are_held()) return;
  if (what->role != Role::kComplete) tests_ = 0;
  if (what->name == mpi::Irecv) {
    const bool takes_theirs =
        std::any_of(receives_.begin(), receives_.end(), [&](const auto& each) {
          return each.is_held() && overlap(each.envelope, envelope);
        });
    if (takes_theirs && envelope.source != trace::kAnySource) give_up();
  } else if (!is_harmless(*what)) {
    give_up();
  }
}

// Those that are to have the first messages: held, of the requests or made before one of them that
// could have the same message.
std::vector<LateReceives::Receive*> LateReceives::first_of(std::span<const MPI_Request> requests) {
  std::vector<Receive*> first;
  for (auto each = receives_.begin(); each != receives_.end(); ++each) {
    const auto is_before = [&](const Receive& other) {
      return other.is_held() && overlap(other.envelope, each->envelope);
    };
    if (!each->is_held() || std::any_of(receives_.begin(), each, is_before)) continue;
    const bool is_wanted = std::any_of(each, receives_.end(), [&](const Receive& other) {
      return is_before(other) && contains(requests, other.request);
    });
    if (is_wanted) first.push_back(&*each);
  }
  return first;
}

// False if nothing has come for any of them.
bool LateReceives::choose(const std::vector<Receive*>& among, bool waits) {
  std::vector<LiveLink::Question> questions;
  std::int64_t held = 0; // before it
  for (Receive& each : receives_) {
    if (std::find(among.begin(), among.end(), &each) != among.end())
      questions.push_back({held, each.envelope.comm, each.envelope.source, each.envelope.tag});
    held += each.is_held() ? 1 : 0;
  }
  const LiveLink::Answer answer = link_.ask_which(waits ? 0 : ++tests_, questions);
  if (answer.kind == LiveLink::Answer::Kind::kNotYet) return false;
  tests_ = 0;
  const bool is_known = answer.kind == LiveLink::Answer::Kind::kMessage;
  if (!is_known || !post(*among[answer.which], answer.source, answer.tag)) give_up();
  if (!waits && is_known) {
    const MPI_Request posted = among[answer.which]->posted;
    while (!is_there(posted)) ::usleep(0);
  }
  return true;
}

bool LateReceives::post(Receive& receive, int source, int tag) {
  if (!link_.comes(source, tag, receive.comm)) return false;
  return PMPI_Irecv(receive.buffer, receive.count, receive.datatype, source, tag, receive.comm,
                    &receive.posted) == MPI_SUCCESS;
}

bool LateReceives::are_there(std::span<const MPI_Request> requests, Wants wants) const {
  const auto is_complete = [this](MPI_Request request) {
    const Receive* const late = find(request);
    if (request == MPI_REQUEST_NULL) return false;
    return late == nullptr ? is_there(request) : !late->is_held() && is_there(late->posted);
  };
  if (wants == Wants::kOne) return std::any_of(requests.begin(), requests.end(), is_complete);
  return std::all_of(requests.begin(), requests.end(), [&](MPI_Request request) {
    return request == MPI_REQUEST_NULL || is_complete(request);
  });
}

void LateReceives::settle(std::span<const MPI_Request> requests, Wants wants) {
  if (are_held() && !becomes([&] { return are_there(requests, wants); })) give_up();
}

void LateReceives::ask(std::span<const MPI_Request> requests, Wants wants, bool waits) {
  if (wants == Wants::kOne) {
    const bool is_coming = std::any_of(requests.begin(), requests.end(), [this](MPI_Request each) {
      const Receive* const late = find(each);
      return late != nullptr && !late->is_held();
    });
    if (is_coming || are_there(requests, wants)) return;
    const auto first = first_of(requests);
    if (!first.empty()) {
      choose(first, waits);
    } else if (waits) {
      settle(requests, wants);
    }
    return;
  }
  for (auto first = first_of(requests); !first.empty(); first = first_of(requests)) {
    if (!choose(first, waits)) return;
  }
  if (waits) settle(requests, wants);
}

bool LateReceives::can_complete(std::span<const MPI_Request> requests, Wants wants) const {
  const auto is_held = [this](MPI_Request request) {
    const Receive* const late = find(request);
    return late != nullptr && late->is_held();
  };
  if (std::none_of(requests.begin(), requests.end(), is_held)) return true;
  return wants == Wants::kOne &&
         std::any_of(requests.begin(), requests.end(), [&](MPI_Request request) {
           return request != MPI_REQUEST_NULL && !is_held(request);
         });
}

MPI_Request* LateReceives::in_place_of(const MPI_Request* requests, int n) {
  stand_ins_.assign(requests, requests + std::max(n, 0));
  for (MPI_Request& each : stand_ins_) {
    if (const Receive* const late = find(each)) each = late->posted;
  }
  return stand_ins_.data();
}

void LateReceives::put_back(MPI_Request* requests, int n, int done, const int* indices) {
  if (stand_ins_.empty()) return; // MPI was not asked
  const auto is_done = [&](int i) {
    return indices == nullptr ? i < done : std::find(indices, indices + done, i) != indices + done;
  };
  for (int i = 0; i < n; ++i) {
    const MPI_Request now = stand_ins_[static_cast<std::size_t>(i)];
    Receive* const late = find(requests[i]);
    if (late == nullptr) {
      requests[i] = now;
    } else if (is_done(i)) {
      forget(key_of(requests[i]));
      PMPI_Request_free(&requests[i]);
    } else {
      late->posted = now;
    }
  }
  stand_ins_.clear();
}

} // namespace rondo::record
