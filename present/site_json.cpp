// SPDX-License-Identifier: Apache-2.0
#include "present/site_json.hpp"

namespace rondo::present {
namespace {

nlohmann::json place_json(const sites::SourcePlace& place) {
  nlohmann::json json;
  const auto put = [&](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  put("function", place.function);
  put("inlined_in", place.inlined_in);
  put("file", place.file);
  if (place.has_line()) json["line"] = place.line;
  put("module", place.module);
  if (!place.module.empty()) json["offset"] = place.offset;
  put("text", sites::text(place));
  return json;
}

} // namespace

nlohmann::json site_json(sites::Resolver& resolver, std::uint32_t site) {
  nlohmann::json json = place_json(resolver.place(site));
  const std::vector<std::uint32_t> stack = resolver.stack(site);
  for (std::size_t i = 1; i < stack.size(); ++i)
    json["callers"].push_back(place_json(resolver.place(stack[i])));
  if (stack.size() > 1) json["text"] = resolver.short_text(site);
  return json;
}

} // namespace rondo::present
