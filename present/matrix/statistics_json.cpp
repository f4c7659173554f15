// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/statistics_text.hpp"

#include "present/matrix/matrix_json.hpp"
#include "present/matrix/other_table.hpp"
#include "rondo/base/escape.hpp"

#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const matrix::Spread& spread) {
  return {{"minimum", spread.minimum}, {"maximum", spread.maximum}, {"mean", spread.mean}};
}

Json density_json(const matrix::Density& density, const std::string& unit) {
  Json json;
  json["total_" + unit] = density.total;
  json[unit + "_per_pair"] = spread_json(density.per_pair);
  json[unit + "_per_rank"] = spread_json(density.per_rank);
  json["heaviest_pair"] = nullptr;
  if (density.heaviest_source >= 0) {
    json["heaviest_pair"] = {{"source", density.heaviest_source},
                             {"destination", density.heaviest_destination}};
  }
  return json;
}

Json ratio_json(const matrix::Statistics& statistics) {
  return {{"point_to_point_messages", statistics.point_to_point_messages},
          {"point_to_point_bytes", statistics.point_to_point_bytes},
          {"one_sided_messages", statistics.one_sided_messages},
          {"one_sided_bytes", statistics.one_sided_bytes},
          {"point_to_point_messages_per_rank", statistics.point_to_point_per_rank()},
          {"one_sided_messages_per_rank", statistics.one_sided_per_rank()},
          {"collective_calls", statistics.collective_calls},
          {"collective_bytes", statistics.collective_bytes},
          {"collective_calls_per_rank", statistics.collectives_per_rank()},
          {"collective_share_of_calls", statistics.collective_share_of_calls()},
          {"collective_share_of_bytes", statistics.collective_share_of_bytes()}};
}

Json collectives_json(const matrix::Statistics& statistics) {
  Json json = Json::array();
  for (const matrix::CollectiveCount& count : statistics.collectives) {
    json.push_back({{"function", count.function}, {"calls", count.calls}, {"bytes", count.bytes}});
  }
  return json;
}

Json sizes_json(const matrix::Statistics& statistics) {
  Json json = Json::array();
  for (std::size_t i = 0; i < matrix::kSizeBuckets; ++i) {
    const matrix::SizeBucket& bucket = statistics.sizes[i];
    Json item;
    item["above_bytes"] = i == 0 ? Json(nullptr) : Json(matrix::bucket_limit_bytes(i - 1));
    item["up_to_bytes"] =
        i + 1 == matrix::kSizeBuckets ? Json(nullptr) : Json(matrix::bucket_limit_bytes(i));
    item["point_to_point_messages"] = bucket.point_to_point_messages;
    item["point_to_point_bytes"] = bucket.point_to_point_bytes;
    item["one_sided_messages"] = bucket.one_sided_messages;
    item["one_sided_bytes"] = bucket.one_sided_bytes;
    item["collective_calls"] = bucket.collective_calls;
    item["collective_bytes"] = bucket.collective_bytes;
    item["collective_messages"] = bucket.collective_messages;
    item["collective_message_bytes"] = bucket.collective_message_bytes;
    json.push_back(std::move(item));
  }
  return json;
}

} // namespace

// A file's accesses of one direction and kind stand together.
Json files_json(const matrix::FileTraffic& traffic) {
  Json json = Json::array();
  for (const matrix::FileUse& file : traffic.files) {
    Json item = {{"name", file.name}, {"opens", file.opens}, {"bytes", file.bytes()}};
    item["accesses"] = Json::array();
    for (const matrix::FileAccess& access : file.accesses) {
      const std::string what = "rank " + std::to_string(access.rank) + ", " +
                               std::string(name_of(access.kind)) +
                               (access.is_write ? " write" : " read");
      item["accesses"].push_back({{"access", what}, // what makes it one of its own
                                  {"rank", access.rank},
                                  {"direction", access.is_write ? "write" : "read"},
                                  {"kind", name_of(access.kind)},
                                  {"calls", access.calls},
                                  {"bytes", access.bytes}});
    }
    json.push_back(std::move(item));
  }
  return json;
}

std::string statistics_json(const matrix::Statistics& statistics, Pairs pairs) {
  Json json;
  json["schema"] = 1;
  json["ranks"] = statistics.ranks;
  json["collectives_counted_as"] = statistics.collectives_as;
  json["pairs"] = statistics.pairs();
  json["share_of_pairs"] = statistics.share_of_pairs();
  json["message_density"] = density_json(statistics.messages, "messages");
  json["data_density"] = density_json(statistics.bytes, "bytes");
  json["collectives_against_point_to_point"] = ratio_json(statistics);
  json["collectives"] = collectives_json(statistics);
  json["message_sizes"] = sizes_json(statistics);
  json["zero_byte_messages"] = statistics.zero_byte_messages;
  json["messages_outside"] = statistics.messages_outside;
  json["messages_to_other_processes"] = statistics.messages_to_others;
  json["bytes_to_other_processes"] = statistics.bytes_to_others;
  json["other_processes"] = others_json(statistics.others);
  json["files"] = files_json(statistics.files);
  std::string text = escape::json_text(json);
  if (pairs == Pairs::kInclude) {
    text.erase(text.rfind('\n')); // and the closing brace behind it
    text += ",\n  \"entries\": ";
    append_entries(text, statistics.matrix);
    text += "\n}";
  }
  return text + "\n";
}

} // namespace rondo::present
