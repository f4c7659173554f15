// SPDX-License-Identifier: Apache-2.0
// A value that nearly all who have one leave as it is made: these have no more than a pointer of
// it, so that tables of a million rows stay small.
//
//   facts.ending.edit().kind = Ending::kSignal;
//   if (facts.ending->kind == Ending::kSignal) use(*facts.ending);
#pragma once

#include <memory>
#include <utility>

namespace rondo {

/// There always is a value to read: Value() where none was given. A copy has a value of its own.
template <class Value> class Seldom {
public:
  Seldom() = default;
  Seldom(Value value)
      : own_(value == Value() ? nullptr : std::make_unique<Value>(std::move(value))) {}
  Seldom(const Seldom& other) : own_(other.own_ ? std::make_unique<Value>(*other.own_) : nullptr) {}
  Seldom(Seldom&& other) noexcept = default;
  Seldom& operator=(Seldom other) noexcept {
    own_.swap(other.own_);
    return *this;
  }
  ~Seldom() = default;

  const Value& operator*() const { return own_ ? *own_ : standard(); }
  const Value* operator->() const { return &**this; }
  /// To be changed; takes the room of a Value from now on.
  Value& edit() {
    if (!own_) own_ = std::make_unique<Value>();
    return *own_;
  }
  friend bool operator==(const Seldom& a, const Seldom& b) { return *a == *b; }

private:
  // Never destroyed: the recorder may be asked behind the end of its library.
  static const Value& standard() {
    static const Value* const value = new Value();
    return *value;
  }
  std::unique_ptr<Value> own_;
};

} // namespace rondo
