// SPDX-License-Identifier: Apache-2.0
// Arrays of handles that MPI writes: copies, written back where they belong when they go.
#pragma once

#include "generate/replay/player.hpp"

#include <vector>

namespace rondo::generate {

/// Requests that a call takes and may change.
class RequestArray {
public:
  RequestArray(Player& player, const std::vector<std::int64_t>& references)
      : player_(player), references_(references) {
    for (const std::int64_t reference : references) values_.push_back(*player.request(reference));
  }
  ~RequestArray() {
    for (std::size_t i = 0; i < values_.size(); ++i) *player_.request(references_[i]) = values_[i];
  }
  RequestArray(const RequestArray&) = delete;
  RequestArray& operator=(const RequestArray&) = delete;
  MPI_Request* data() { return values_.data(); }

private:
  Player& player_;
  const std::vector<std::int64_t>& references_;
  std::vector<MPI_Request> values_;
};

/// Datatypes that a call gives back.
class DatatypeArray {
public:
  DatatypeArray(Player& player, const std::vector<std::int64_t>& words)
      : player_(player), words_(words), values_(words.size() + 1, MPI_DATATYPE_NULL) {}
  ~DatatypeArray() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] >= 0) *player_.new_datatype(words_[i]) = values_[i];
    }
  }
  DatatypeArray(const DatatypeArray&) = delete;
  DatatypeArray& operator=(const DatatypeArray&) = delete;
  MPI_Datatype* data() { return values_.data(); }

private:
  Player& player_;
  const std::vector<std::int64_t>& words_;
  std::vector<MPI_Datatype> values_;
};

} // namespace rondo::generate
