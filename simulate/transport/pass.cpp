// SPDX-License-Identifier: Apache-2.0
// As CBOR, which keeps every bit of a number.
#include "simulate/transport/pass.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace rondo::simulate {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankPrediction, computing_s, communicating_s, waiting_s, end_s,
                                   calls)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallPlace, function, site)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitPair, rank, waits_for, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathShare, function, site, computing_s, communicating_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CriticalPath, last_rank, hops, computing_s, communicating_s,
                                   shares)

namespace internal {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Interval, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathParts, last_activity, hops, own, shares)

namespace {

using nlohmann::json;

template <class T> void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <class T> void take(const json& object, const char* key, std::optional<T>& value) {
  if (object.contains(key)) value = object[key].get<T>();
}

json error_json(const Error& error) {
  json object = {{"code", static_cast<int>(error.code)},
                 {"message", error.message},
                 {"file", error.place.file}};
  put(object, "rank", error.place.rank);
  put(object, "offset", error.place.offset);
  put(object, "line", error.place.line);
  return object;
}

Error error_of(const json& object) {
  Error error{static_cast<ErrorCode>(object["code"].get<int>()), object["message"], {}};
  object["file"].get_to(error.place.file);
  take(object, "rank", error.place.rank);
  take(object, "offset", error.place.offset);
  take(object, "line", error.place.line);
  return error;
}

} // namespace

std::string bytes_of(const Result<Pass>& pass) {
  json object;
  if (pass) {
    const Prediction& p = pass->prediction;
    object = {{"seconds", p.seconds}, {"ranks", p.ranks},       {"waits", p.waits},
              {"calls", p.calls},     {"messages", p.messages}, {"bytes", p.bytes},
              {"remarks", p.remarks}, {"parts", pass->path}};
    put(object, "path", p.path);
  } else {
    object["error"] = error_json(pass.error());
  }
  std::string bytes;
  json::to_cbor(object, bytes);
  return bytes;
}

Result<Pass> pass_of(std::string_view bytes) {
  const json object = json::from_cbor(bytes);
  if (object.contains("error")) return tl::unexpected<Error>(error_of(object["error"]));
  Pass pass;
  Prediction& p = pass.prediction;
  object["seconds"].get_to(p.seconds);
  object["ranks"].get_to(p.ranks);
  object["waits"].get_to(p.waits);
  object["calls"].get_to(p.calls);
  object["messages"].get_to(p.messages);
  object["bytes"].get_to(p.bytes);
  object["remarks"].get_to(p.remarks);
  object["parts"].get_to(pass.path);
  take(object, "path", p.path);
  return pass;
}

} // namespace internal
} // namespace rondo::simulate
