// SPDX-License-Identifier: Apache-2.0
// A rank's nonblocking requests that are not yet completed. Traces name a request by sender,
// receiver and tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rondo::convert::internal {

class OpenRequests {
public:
  struct Name {
    std::int64_t source = 0; // or kAnySource
    std::int64_t dest = 0;
    std::int64_t tag = 0; // or kAnyTag
    friend bool operator==(const Name&, const Name&) = default;
  };

  void add(const Name& name) { open_.push_back({name, ++made_}); }

  /// The word for the oldest request of that name, or, if there is none, of the oldest receive that
  /// takes any source or tag and so could have that name; nothing if there is none either.
  /// @complexity O(open requests that are older)
  std::optional<std::int64_t> word_of(const Name& name) const;

  /// The same, and the request is open no longer.
  std::optional<std::int64_t> complete(const Name& name);

  /// Completes the `count` oldest. @return  their words, oldest first
  std::vector<std::int64_t> complete_oldest(std::size_t count);

  std::size_t size() const { return open_.size(); }

private:
  struct Request {
    Name name;
    std::uint64_t number;
  };
  std::deque<Request>::const_iterator find(const Name& name) const;
  std::int64_t word(const Request& request) const;

  std::deque<Request> open_; // oldest first
  std::uint64_t made_ = 0;
};

} // namespace rondo::convert::internal
