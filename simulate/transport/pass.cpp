// SPDX-License-Identifier: Apache-2.0
// Numbers go as they are in memory, since both processes are the same program.
#include "simulate/transport/pass.hpp"

#include <concepts>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {
namespace {

template <class Value, class Type>
concept Is = std::same_as<std::remove_const_t<Value>, Type>;
template <class Value>
concept Plain = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

// The fields of all that goes over, for writing and for reading.
template <Is<Error> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.code, v.message, v.place.file, v.place.rank, v.place.offset, v.place.line);
}
template <Is<RankPrediction> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.computing_s, v.communicating_s, v.waiting_s, v.end_s, v.calls, v.start_s);
}
template <Is<SpawnedRanks> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.first, v.ranks, v.parent, v.start_s);
}
template <Is<WaitPair> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.rank, v.waits_for, v.seconds);
}
template <Is<CallName> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.function, v.site);
}
template <Is<PathShare> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.function, v.site, v.computing_s, v.communicating_s);
}
template <Is<CriticalPath> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.last_rank, v.hops, v.computing_s, v.communicating_s, v.shares);
}
template <Is<Interval> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.from, v.to);
}
template <Is<PathParts> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.last_rank, v.hops, v.own, v.shares);
}
template <Is<Prediction> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.seconds, v.ranks, v.waits, v.path, v.calls, v.messages, v.bytes, v.remarks, v.spawned);
}
template <Is<Pass> Value, class Each> void with_fields(Value& v, Each each) {
  each(v.prediction, v.path);
}

class Writer {
public:
  template <class Value> void put(const Value& value) {
    with_fields(value, [this](const auto&... fields) { (this->put(fields), ...); });
  }
  template <Plain Value> void put(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class Value> void put(const std::vector<Value>& values) {
    put(values.size());
    for (const Value& value : values) put(value);
  }
  template <class Value> void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class Key, class Value> void put(const std::map<Key, Value>& values) {
    put(values.size());
    for (const auto& [key, value] : values) {
      put(key);
      put(value);
    }
  }
  std::string bytes() && { return std::move(bytes_); }

private:
  std::string bytes_;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class Value> void take(Value& value) {
    with_fields(value, [this](auto&... fields) { (this->take(fields), ...); });
  }
  template <Plain Value> void take(Value& value) {
    const std::string_view raw = next(sizeof value);
    if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof value);
  }
  void take(std::string& text) { text = next(taken<std::size_t>()); }
  template <class Value> void take(std::vector<Value>& values) {
    for (auto left = taken<std::size_t>(); left > 0 && !is_cut_; --left)
      values.push_back(taken<Value>());
  }
  template <class Value> void take(std::optional<Value>& value) {
    if (taken<bool>()) value = taken<Value>();
  }
  template <class Key, class Value> void take(std::map<Key, Value>& values) {
    for (auto left = taken<std::size_t>(); left > 0 && !is_cut_; --left) {
      const Key key = taken<Key>();
      values.emplace(key, taken<Value>());
    }
  }
  template <class Value> Value taken() {
    Value value{};
    take(value);
    return value;
  }
  bool is_cut() const { return is_cut_; }

private:
  std::string_view next(std::size_t size) {
    is_cut_ = is_cut_ || size > bytes_.size();
    if (is_cut_) return {};
    const std::string_view front = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return front;
  }

  std::string_view bytes_;
  bool is_cut_ = false;
};

} // namespace

std::string bytes_of(const Result<Pass>& pass) {
  Writer writer;
  writer.put(pass.has_value());
  pass ? writer.put(*pass) : writer.put(pass.error());
  return std::move(writer).bytes();
}

Result<Pass> pass_of(std::string_view bytes) {
  Reader reader(bytes);
  Result<Pass> pass;
  if (reader.taken<bool>()) {
    reader.take(*pass);
  } else {
    pass = tl::unexpected<Error>(reader.taken<Error>());
  }
  if (reader.is_cut()) return fail(ErrorCode::kIo, "what the simulation found is cut off");
  return pass;
}

} // namespace rondo::simulate::internal
