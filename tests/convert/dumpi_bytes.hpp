// SPDX-License-Identifier: Apache-2.0
// Words for tests of the reader of DUMPI traces: a rank's file, record by record.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::convert {

class DumpiBytes {
public:
  DumpiBytes() {
    number(0xffaadd44554d5049U, 8);
    number(0, 4); // seconds that CPU and wall times begin at
    number(1000, 4);
  }

  DumpiBytes& number(std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  DumpiBytes& i(std::int64_t value) { return number(static_cast<std::uint64_t>(value), 4); }
  DumpiBytes& h(std::uint64_t value) { return number(value, 2); }
  DumpiBytes& b(std::uint64_t value) { return number(value, 1); }
  DumpiBytes& list(std::initializer_list<std::int64_t> values) {
    i(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) i(value);
    return *this;
  }
  DumpiBytes& text(const std::string& text) {
    i(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
    return *this;
  }
  DumpiBytes& status(std::int64_t bytes, std::int64_t source, std::int64_t tag) {
    return i(bytes).i(source).b(0).b(0).i(tag);
  }
  /// A call from `begin_us` to `end_us`, whose arguments follow.
  DumpiBytes& call(std::uint16_t function, std::uint64_t begin_us, std::uint64_t end_us) {
    h(function).b(0x4f).h(0);
    for (int clock = 0; clock < 2; ++clock)
      h(0).number(begin_us * 1000, 4).h(0).number(end_us * 1000, 4);
    return *this;
  }
  DumpiBytes& init() { return call(124, 0, 1).i(1).text("app"); }
  DumpiBytes& finalize(std::uint64_t us) { return call(125, us, us + 1); }

  /// The file, with the sizes of datatypes by number.
  std::string file(std::initializer_list<std::int64_t> sizes = {}) const {
    DumpiBytes whole = *this;
    whole.h(293);
    const std::size_t head = whole.bytes_.size();
    whole.b(1).b(0).b(0).number(1, 8).h(2).b('n').b('1').h(0).i(0).i(0);
    const std::size_t sized = whole.bytes_.size();
    whole.list(sizes);
    whole.number(0xffaadd44554d5049U, 8).number(sized, 8).number(0, 8).number(0, 8);
    whole.number(head, 8).number(8, 8).number(0, 8).number(0, 8);
    return whole.bytes_;
  }

private:
  std::string bytes_;
};

} // namespace rondo::convert
