// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/call_traffic.hpp"

#include <algorithm>

namespace rondo::matrix::internal {

using trace::Act;
using trace::CallMeaning;
using trace::Collective;

Traffic traffic_of(const trace::Function& function) {
  const CallMeaning& means = trace::meaning_of(function);
  switch (means.act) {
  case Act::kTransfer:
    return means.sends() ? Traffic::kMessage : Traffic::kNone;
  case Act::kOneSided:
    return Traffic::kOneSided;
  case Act::kCollective:
    return Traffic::kCollective;
  case Act::kFileAccess:
    return Traffic::kFile;
  case Act::kLocal:
  case Act::kInit:
  case Act::kFinalize:
  case Act::kAbort:
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kTakeMatched:
  case Act::kProbe:
  case Act::kMatchedProbe:
  case Act::kComplete:
  case Act::kAskPartition:
  case Act::kStart: // counts for the call that made the request
  case Act::kReady:
  case Act::kCancel:
  case Act::kFreeRequest:
  case Act::kOwnRequest:
  case Act::kMakeComm:
  case Act::kFreeComm:
  case Act::kDisconnect:
  case Act::kProcess:
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kAttach:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kFile:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kNameObject:
  case Act::kFreeObject:
    return Traffic::kNone;
  }
  return Traffic::kNone;
}

Amount amount_of(Collective operation) {
  switch (operation) {
  case Collective::kNone:
  case Collective::kBarrier:
    return Amount::kNothing;
  case Collective::kBcast:
    return Amount::kRootsBlock;
  case Collective::kGather:
  case Collective::kAllgather:
  case Collective::kAllreduce:
  case Collective::kScan:
  case Collective::kExscan:
  case Collective::kNeighborAllgather:
  case Collective::kNeighborAllgatherv:
    return Amount::kOwnBlock;
  case Collective::kGatherv:
  case Collective::kAllgatherv:
    return Amount::kOwnBlockOfMany;
  case Collective::kReduce:
    return Amount::kReduceBlock;
  case Collective::kScatter:
  case Collective::kAlltoall:
    return Amount::kBlockForEachRank;
  case Collective::kReduceScatterBlock:
    return Amount::kBlockForEachMember;
  case Collective::kNeighborAlltoall:
    return Amount::kBlockForEachNeighbor;
  case Collective::kScatterv:
  case Collective::kAlltoallv:
  case Collective::kAlltoallw:
  case Collective::kNeighborAlltoallv:
  case Collective::kNeighborAlltoallw:
    return Amount::kListedBlocks;
  case Collective::kReduceScatter:
    return Amount::kReceivedBlocks;
  }
  return Amount::kNothing;
}

int peer_word_of(const CallMeaning& means) { return std::max(means.dest, means.target); }

std::vector<int> traffic_words_of(const trace::Function& function, bool with_tags) {
  const CallMeaning& m = trace::meaning_of(function);
  std::vector<int> words;
  switch (traffic_of(function)) {
  case Traffic::kNone:
    return {};
  case Traffic::kMessage:
  case Traffic::kFile:
    words = {m.comm, m.dest, m.partitions, m.send_count, m.send_type};
    break;
  case Traffic::kOneSided:
    words = {m.target, m.window, m.op, m.send_count, m.send_type, m.receive_count, m.receive_type};
    break;
  case Traffic::kCollective:
    words = {m.comm,      m.root,          m.send_buffer, m.send_count,
             m.send_type, m.receive_count, m.receive_type};
    break;
  }
  if (with_tags) words.push_back(m.send_tag);
  std::erase(words, CallMeaning::kNoWord);
  return words;
}

} // namespace rondo::matrix::internal
