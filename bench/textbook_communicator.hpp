// SPDX-License-Identifier: Apache-2.0
// Communicators, requests and reductions as classes over MPI, as mini-apps in C++ have them. Each
// method is one MPI call, for textbook.py.
#pragma once

#include "textbook_driver.h"

#include <array>
#include <functional>
#include <type_traits>
#include <vector>

namespace mini {

template <class T> MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, long>) return MPI_LONG;
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  return MPI_CHAR;
}

// A request that is waited for at the end of its scope, if it was not before.
class Pending {
  MPI_Request request_ = MPI_REQUEST_NULL;

public:
  explicit Pending(MPI_Request request) : request_(request) {}
  Pending(Pending&& other) noexcept : request_(other.request_) {
    other.request_ = MPI_REQUEST_NULL;
  }
  Pending(const Pending&) = delete;
  ~Pending() {
    if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  void wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
};

class Communicator {
  MPI_Comm comm_;
  bool owned_ = false;

public:
  explicit Communicator(MPI_Comm comm, bool owned = false) : comm_(comm), owned_(owned) {}
  Communicator(const Communicator&) = delete;
  ~Communicator() {
    if (owned_) MPI_Comm_free(&comm_);
  }
  int rank() const {
    int mine;
    MPI_Comm_rank(comm_, &mine);
    return mine;
  }
  int size() const {
    int all;
    MPI_Comm_size(comm_, &all);
    return all;
  }
  Communicator split(int colour, int key) const {
    MPI_Comm part;
    MPI_Comm_split(comm_, colour, key, &part);
    return Communicator(part, true);
  }
  void barrier() const { MPI_Barrier(comm_); }
  template <class T> void send(const std::vector<T>& values, int to, int tag = 0) const {
    MPI_Send(values.data(), static_cast<int>(values.size()), type_of<T>(), to, tag, comm_);
  }
  template <class T> MPI_Status receive(std::vector<T>& values, int from, int tag = 0) const {
    MPI_Status status;
    MPI_Recv(values.data(), static_cast<int>(values.size()), type_of<T>(), from, tag, comm_,
             &status);
    return status;
  }
  template <class T> Pending start_send(const std::vector<T>& values, int to, int tag = 0) const {
    MPI_Request request;
    MPI_Isend(values.data(), static_cast<int>(values.size()), type_of<T>(), to, tag, comm_,
              &request);
    return Pending(request);
  }
  template <class T> Pending start_receive(std::vector<T>& values, int from, int tag = 0) const {
    MPI_Request request;
    MPI_Irecv(values.data(), static_cast<int>(values.size()), type_of<T>(), from, tag, comm_,
              &request);
    return Pending(request);
  }
  template <class T>
  void exchange(const std::vector<T>& out, int to, std::vector<T>& in, int from) const {
    MPI_Sendrecv(out.data(), static_cast<int>(out.size()), type_of<T>(), to, 0, in.data(),
                 static_cast<int>(in.size()), type_of<T>(), from, 0, comm_, MPI_STATUS_IGNORE);
  }
  template <class T> void broadcast(std::vector<T>& values, int root) const {
    MPI_Bcast(values.data(), static_cast<int>(values.size()), type_of<T>(), root, comm_);
  }
  template <class T> T all_reduce(T value, MPI_Op op = MPI_SUM) const {
    T result;
    MPI_Allreduce(&value, &result, 1, type_of<T>(), op, comm_);
    return result;
  }
  template <class T> std::vector<T> all_sum(const std::vector<T>& values) const {
    std::vector<T> result(values.size());
    MPI_Allreduce(values.data(), result.data(), static_cast<int>(values.size()), type_of<T>(),
                  MPI_SUM, comm_);
    return result;
  }
  template <class T> T reduce(T value, MPI_Op op, int root) const {
    T result = value;
    MPI_Reduce(&value, &result, 1, type_of<T>(), op, root, comm_);
    return result;
  }
  template <class T> T scan_before(T value) const {
    T before = 0;
    MPI_Exscan(&value, &before, 1, type_of<T>(), MPI_SUM, comm_);
    return before;
  }
  template <class T> std::vector<T> gather(const std::vector<T>& values, int root) const {
    std::vector<T> all(values.size() * static_cast<std::size_t>(this->size()));
    MPI_Gather(values.data(), static_cast<int>(values.size()), type_of<T>(), all.data(),
               static_cast<int>(values.size()), type_of<T>(), root, comm_);
    return all;
  }
  std::vector<int> swap_counts(const std::vector<int>& counts) const {
    std::vector<int> theirs(counts.size());
    MPI_Alltoall(counts.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, comm_);
    return theirs;
  }
  template <class T>
  std::vector<T> deal(const std::vector<T>& values, const std::vector<int>& counts,
                      const std::vector<int>& theirs) const {
    std::vector<int> from(counts.size()), to(counts.size());
    for (std::size_t i = 1; i < counts.size(); i++) {
      from[i] = from[i - 1] + counts[i - 1];
      to[i] = to[i - 1] + theirs[i - 1];
    }
    std::vector<T> result(static_cast<std::size_t>(to.back() + theirs.back() + 1));
    MPI_Alltoallv(values.data(), counts.data(), from.data(), type_of<T>(), result.data(),
                  theirs.data(), to.data(), type_of<T>(), comm_);
    return result;
  }
};

// A reduction of the program's own, freed at the end of its scope.
class Reduction {
  MPI_Op op_;

public:
  Reduction(MPI_User_function* combine, bool commutes) { MPI_Op_create(combine, commutes, &op_); }
  Reduction(const Reduction&) = delete;
  ~Reduction() { MPI_Op_free(&op_); }
  operator MPI_Op() const { return op_; }
};

} // namespace mini
