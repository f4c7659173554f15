// SPDX-License-Identifier: Apache-2.0
// Calls whose outcome depends on timing. In the replay they must find what they found: a poll that
// found something waits for it first, unseen by a recorder; one that found nothing asks for what
// never comes; of an array only the requests that completed are passed.
#include "generate/replay/player.hpp"

#include <sched.h>
#include <string_view>

namespace rondo::generate {
namespace {

using trace::CallInstance;

bool is(const CallInstance& call, std::string_view name) { return call.function->name == name; }

} // namespace

void Player::wait_unseen(MPI_Request request) const {
  int is_done = request == MPI_REQUEST_NULL ? 1 : 0;
  while (true) {
    if (is_done == 0) PMPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    ::sched_yield(); // the rank that is waited for may need this processor
  }
}

bool Player::play_by_hand(const CallInstance& call) {
  const CallShape& shape = shape_of(*call.function);
  const trace::Role role = call.function->role;
  if (shape.is_poll && role == trace::Role::kProbe) {
    probe(call, !is_idle_poll(call, shape));
    return true;
  }
  if (is(call, "MPI_Win_test")) { // one that found nothing cannot be repeated without a wait's end
    int flag = is_idle_poll(call, shape) ? 1 : 0;
    while (flag == 0) check(MPI_Win_test(win(call.words[0]), &flag), "MPI_Win_test");
    return true;
  }
  if (shape.completes == CallShape::Completes::kNone) return false;
  if (is_idle_poll(call, shape)) {
    poll_in_vain(call, shape);
  } else if (shape.completes == CallShape::Completes::kOne) {
    complete(call, shape);
  } else {
    complete_array(call, shape);
  }
  return true;
}

void Player::probe(const CallInstance& call, bool finds) {
  const CallShape& shape = shape_of(*call.function);
  const int source = finds ? rank(word_at(call, shape.source)) : 0;
  const int wanted_tag = finds ? tag(word_at(call, shape.tag)) : 0;
  const MPI_Comm where = finds ? comm(word_at(call, call.function->word_of("comm"))) : private_;
  // A receive is pending there: probes look for messages, of which there are none.
  if (finds) PMPI_Probe(source, wanted_tag, where, MPI_STATUS_IGNORE);
  int flag = 0;
  do {
    if (is(call, "MPI_Iprobe")) {
      check(MPI_Iprobe(source, wanted_tag, where, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
    } else {
      MPI_Message* const found = new_message(word_at(call, call.function->word_of("message")));
      check(MPI_Improbe(source, wanted_tag, where, &flag, found, MPI_STATUS_IGNORE), "MPI_Improbe");
    }
  } while (finds && flag == 0);
}

void Player::poll_in_vain(const CallInstance& call, const CallShape& shape) {
  int flag = 0;
  MPI_Request waiting = never_;
  if (is(call, "MPI_Test")) {
    check(MPI_Test(&waiting, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return;
  }
  if (is(call, "MPI_Request_get_status")) {
    check(MPI_Request_get_status(waiting, &flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
    return;
  }
  std::vector<MPI_Request> requests(elements(word_at(call, shape.requests)).size(),
                                    MPI_REQUEST_NULL);
  if (requests.empty()) return;
  requests.front() = waiting;
  const int n = static_cast<int>(requests.size());
  int index = 0;
  std::vector<int> indices(requests.size());
  if (is(call, "MPI_Testall")) {
    check(MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
  } else if (is(call, "MPI_Testany")) {
    check(MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE), "MPI_Testany");
  } else {
    check(MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
  }
}

void Player::complete(const CallInstance& call, const CallShape& shape) {
  MPI_Request* const own = request(word_at(call, shape.request));
  int flag = 0;
  if (is(call, "MPI_Wait")) {
    check(MPI_Wait(own, MPI_STATUS_IGNORE), "MPI_Wait");
    return;
  }
  wait_unseen(*own);
  while (flag == 0) {
    if (is(call, "MPI_Test")) {
      check(MPI_Test(own, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    } else {
      check(MPI_Request_get_status(*own, &flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
    }
  }
}

void Player::complete_array(const CallInstance& call, const CallShape& shape) {
  const auto& references = elements(word_at(call, shape.requests));
  std::vector<bool> takes_part(references.size(), shape.completes == CallShape::Completes::kAll);
  const auto choose = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < takes_part.size())
      takes_part[static_cast<std::size_t>(index)] = true;
  };
  if (shape.completes == CallShape::Completes::kAny) choose(word_at(call, shape.index));
  if (shape.completes == CallShape::Completes::kSome) {
    for (const std::int64_t index : elements(word_at(call, shape.indices))) choose(index);
  }
  std::vector<MPI_Request> requests(references.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!takes_part[i]) continue;
    requests[i] = *request(references[i]);
    if (!is(call, "MPI_Waitall")) wait_unseen(requests[i]);
  }
  const int n = static_cast<int>(requests.size());
  int flag = 0;
  int index = 0;
  std::vector<int> indices(requests.size());
  if (is(call, "MPI_Waitall")) {
    check(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  } else if (is(call, "MPI_Waitany")) {
    check(MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
  } else if (is(call, "MPI_Waitsome")) {
    check(MPI_Waitsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitsome");
  } else if (is(call, "MPI_Testall")) {
    while (flag == 0)
      check(MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
  } else if (is(call, "MPI_Testany")) {
    while (flag == 0)
      check(MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE), "MPI_Testany");
  } else {
    check(MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (takes_part[i]) *request(references[i]) = requests[i];
  }
}

} // namespace rondo::generate
