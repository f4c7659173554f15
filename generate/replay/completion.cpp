// SPDX-License-Identifier: Apache-2.0
// Calls whose outcome depends on timing. In the replay they must find what they found: a poll that
// found something waits for it first, unseen by a recorder; one that found nothing asks for what
// never comes; of an array only the requests that completed are passed.
#include "generate/replay/player.hpp"

#include <sched.h>
#include <string_view>

namespace rondo::generate {
namespace {

using trace::Act;
using trace::CallInstance;
using trace::CallMeaning;
using trace::Completes;

// By which a failing call is reported; a literal, so it ends in a zero.
const char* name_of(const CallInstance& call) { return call.function->name.data(); }

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
  const CallMeaning& means = trace::meaning_of(*call.function);
  const bool probes = means.act == Act::kProbe || means.act == Act::kMatchedProbe;
  if (probes && means.may_find_nothing) {
    probe(call, !is_idle_poll(call));
    return true;
  }
  if (means.act == Act::kEndExposure &&
      means.may_find_nothing) { // one that found nothing cannot be repeated without a wait's end
    int flag = is_idle_poll(call) ? 1 : 0;
    while (flag == 0) check(MPI_Win_test(win(call.words[0]), &flag), name_of(call));
    return true;
  }
  if (means.completes == Completes::kNone) return false;
  if (is_idle_poll(call)) {
    poll_in_vain(call, means);
  } else if (means.completes == Completes::kOne) {
    complete(call, means);
  } else {
    complete_array(call, means);
  }
  return true;
}

void Player::probe(const CallInstance& call, bool finds) {
  const CallMeaning& means = trace::meaning_of(*call.function);
  const int source = finds ? rank(word_at(call, means.source)) : 0;
  const int wanted_tag = finds ? tag(word_at(call, means.receive_tag)) : 0;
  const MPI_Comm where = finds ? comm(word_at(call, means.comm)) : private_;
  // A receive is pending there: probes look for messages, of which there are none.
  if (finds) PMPI_Probe(source, wanted_tag, where, MPI_STATUS_IGNORE);
  int flag = 0;
  do {
    if (means.act == Act::kProbe) {
      check(MPI_Iprobe(source, wanted_tag, where, &flag, MPI_STATUS_IGNORE), name_of(call));
    } else {
      MPI_Message* const found = new_message(word_at(call, means.message));
      check(MPI_Improbe(source, wanted_tag, where, &flag, found, MPI_STATUS_IGNORE), name_of(call));
    }
  } while (finds && flag == 0);
}

void Player::poll_in_vain(const CallInstance& call, const CallMeaning& means) {
  int flag = 0;
  MPI_Request waiting = never_;
  if (means.completes == Completes::kOne && !means.keeps_request) {
    check(MPI_Test(&waiting, &flag, MPI_STATUS_IGNORE), name_of(call));
    return;
  }
  if (means.completes == Completes::kOne) {
    check(MPI_Request_get_status(waiting, &flag, MPI_STATUS_IGNORE), name_of(call));
    return;
  }
  std::vector<MPI_Request> requests(elements(word_at(call, means.requests)).size(),
                                    MPI_REQUEST_NULL);
  if (requests.empty()) return;
  requests.front() = waiting;
  const int n = static_cast<int>(requests.size());
  int index = 0;
  std::vector<int> indices(requests.size());
  if (means.completes == Completes::kAll) {
    check(MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), name_of(call));
  } else if (means.completes == Completes::kAny) {
    check(MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE), name_of(call));
  } else {
    check(MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          name_of(call));
  }
}

void Player::complete(const CallInstance& call, const CallMeaning& means) {
  MPI_Request* const own = request(word_at(call, means.request));
  int flag = 0;
  if (means.waits()) {
    check(MPI_Wait(own, MPI_STATUS_IGNORE), name_of(call));
    return;
  }
  wait_unseen(*own);
  while (flag == 0) {
    if (!means.keeps_request) {
      check(MPI_Test(own, &flag, MPI_STATUS_IGNORE), name_of(call));
    } else {
      check(MPI_Request_get_status(*own, &flag, MPI_STATUS_IGNORE), name_of(call));
    }
  }
}

void Player::complete_array(const CallInstance& call, const CallMeaning& means) {
  const auto& references = elements(word_at(call, means.requests));
  std::vector<bool> takes_part(references.size(), means.completes == Completes::kAll);
  const auto choose = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < takes_part.size())
      takes_part[static_cast<std::size_t>(index)] = true;
  };
  if (means.completes == Completes::kAny) choose(word_at(call, means.index));
  if (means.completes == Completes::kSome) {
    for (const std::int64_t index : elements(word_at(call, means.indices))) choose(index);
  }
  const bool waits_for_all = means.waits() && means.completes == Completes::kAll;
  std::vector<MPI_Request> requests(references.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!takes_part[i]) continue;
    requests[i] = *request(references[i]);
    if (!waits_for_all) wait_unseen(requests[i]);
  }
  const int n = static_cast<int>(requests.size());
  int flag = 0;
  int index = 0;
  std::vector<int> indices(requests.size());
  if (waits_for_all) {
    check(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), name_of(call));
  } else if (means.waits() && means.completes == Completes::kAny) {
    check(MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE), name_of(call));
  } else if (means.waits()) {
    check(MPI_Waitsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          name_of(call));
  } else if (means.completes == Completes::kAll) {
    while (flag == 0)
      check(MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), name_of(call));
  } else if (means.completes == Completes::kAny) {
    while (flag == 0)
      check(MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE), name_of(call));
  } else {
    check(MPI_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE),
          name_of(call));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (takes_part[i]) *request(references[i]) = requests[i];
  }
}

} // namespace rondo::generate
