// SPDX-License-Identifier: Apache-2.0
// A constant that many values share and that compares as a value, so that what holds it may keep
// the comparison the compiler writes. Unset until it is given one.
#pragma once

#include <memory>
#include <utility>

namespace rondo::topology {

template <class T> class Shared {
public:
  Shared() = default;
  explicit Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || (a && b && *a == *b);
  }

private:
  std::shared_ptr<const T> value_;
};

} // namespace rondo::topology
