// SPDX-License-Identifier: Apache-2.0
// The sockets of a live run: a Unix one for ranks of this host, a TCP one for those of others.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/simulate/timekeeper.hpp"
#include "rondo/trace/live_wire.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace rondo::simulate::internal {

/// A file descriptor that is closed in the end.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(Descriptor&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  int get() const { return file_; }
  bool is_open() const { return file_ >= 0; }
  void close();

private:
  int file_ = -1;
};

struct Listeners {
  Descriptor here;
  Descriptor there; // closed if only ranks of this host may come
  std::string address; // as the environment variable has it
  std::int64_t token[2] = {0, 0};
};

/// @param hosts  which ranks may come
/// @error kIo with the system's reason
Result<Listeners> listen_for_ranks(Hosts hosts);

/// A connection to a rank, which never blocks.
class RankSocket {
public:
  explicit RankSocket(Descriptor file) : file_(std::move(file)) {}
  int get() const { return file_.get(); }
  bool is_open() const { return file_.is_open(); }
  void close() { file_.close(); }
  /// Reads what is there; items are in inbox() then. Closed at the end of the connection.
  void receive();
  trace::live::Inbox& inbox() { return inbox_; }
  trace::live::Outbox& outbox() { return outbox_; }
  /// Writes as much as goes.
  void send();
  bool has_unsent() const { return unsent_.size() > sent_; }

private:
  Descriptor file_;
  trace::live::Inbox inbox_;
  trace::live::Outbox outbox_;
  std::string unsent_;
  std::size_t sent_ = 0;
};

} // namespace rondo::simulate::internal
