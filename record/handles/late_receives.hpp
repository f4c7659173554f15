// SPDX-License-Identifier: Apache-2.0
// MPI_Irecv from any source in a live run that asks which message receives are to take: MPI gets
// the receive once that is known, which is when the program asks for it to be complete. Until then
// the program's request is a persistent one that was not started.
//
// Who sends to the rank may be held up until MPI has the receive, and the rank may wait for him:
// before a call that could wait for something else, the receives are given to MPI as the program
// made them, and MPI chooses. Only sends and completions are tried for a while first.
#pragma once

#include <cstdint>
#include <deque>
#include <mpi.h>
#include <span>
#include <vector>

namespace rondo::record {

class LiveLink;

class LateReceives {
public:
  struct Envelope { // as the timekeeper knows it
    std::int64_t comm = 0, source = 0, tag = 0;
  };

  explicit LateReceives(LiveLink& link) : link_(link) {}

  /// Some are there whose messages the program has not got.
  bool are_open() const { return !receives_.empty(); }
  bool are_held() const;

  /// In the place of MPI_Irecv.
  int hold(const Envelope& envelope, void* buffer, int count, MPI_Datatype datatype, int tag,
           MPI_Comm comm, MPI_Request* request);
  /// In the place of MPI_Send, or MPI_Ssend.
  int send(bool is_synchronous, const void* buffer, int count, MPI_Datatype datatype, int dest,
           int tag, MPI_Comm comm);
  /// MPI gets all that are held as they are.
  void give_up();
  /// The program has freed the request.
  void forget(std::uint64_t request); // by its handle
  /// A call is about to be made with this function; receives from a given source have words of it.
  void before(std::uint16_t function, const Envelope& envelope);

  enum class Wants : std::uint8_t { kAll, kOne }; // of the requests
  /// Before the program waits for these requests, or tests them: chooses for what is held.
  void ask(std::span<const MPI_Request> requests, Wants wants, bool waits);
  /// The requests as MPI has them; those that it has not got are null.
  MPI_Request* in_place_of(const MPI_Request* requests, int n);
  /// MPI can be asked whether all of them are complete, or one.
  bool can_complete(std::span<const MPI_Request> requests, Wants wants) const;
  /// What in_place_of() gave goes back to where it came from after MPI's call.
  /// @param done  so many are complete: those with these indices, or the first ones
  void put_back(MPI_Request* requests, int n, int done, const int* indices);

private:
  struct Receive {
    MPI_Request request = MPI_REQUEST_NULL; // the program's
    MPI_Request posted = MPI_REQUEST_NULL; // MPI's: null while it is held
    Envelope envelope;
    void* buffer = nullptr;
    int count = 0;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    MPI_Comm comm = MPI_COMM_NULL;

    bool is_held() const { return posted == MPI_REQUEST_NULL; }
  };
  using Receives = std::deque<Receive>;

  Receive* find(MPI_Request request);
  const Receive* find(MPI_Request request) const;
  std::vector<Receive*> first_of(std::span<const MPI_Request> requests);
  bool choose(const std::vector<Receive*>& among, bool waits);
  bool post(Receive& receive, int source, int tag);
  void settle(std::span<const MPI_Request> requests, Wants wants);
  bool are_there(std::span<const MPI_Request> requests, Wants wants) const;

  LiveLink& link_;
  Receives receives_; // in the order in which they were made
  std::vector<MPI_Request> stand_ins_;
  std::int64_t tests_ = 0; // in a row that found nothing
};

} // namespace rondo::record
