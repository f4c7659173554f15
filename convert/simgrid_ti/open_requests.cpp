// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/open_requests.hpp"

#include "rondo/trace/program.hpp"

#include <algorithm>

namespace rondo::convert::internal {
namespace {

bool takes(const OpenRequests::Name& open, const OpenRequests::Name& name) {
  const bool source = open.source == name.source || open.source == trace::kAnySource;
  return source && open.dest == name.dest && (open.tag == name.tag || open.tag == trace::kAnyTag);
}

} // namespace

std::deque<OpenRequests::Request>::const_iterator OpenRequests::find(const Name& name) const {
  const auto exact =
      std::find_if(open_.begin(), open_.end(), [&](const Request& r) { return r.name == name; });
  if (exact != open_.end()) return exact;
  return std::find_if(open_.begin(), open_.end(),
                      [&](const Request& r) { return takes(r.name, name); });
}

std::int64_t OpenRequests::word(const Request& request) const {
  return trace::request_by_age(made_ - request.number);
}

std::optional<std::int64_t> OpenRequests::word_of(const Name& name) const {
  const auto found = find(name);
  return found == open_.end() ? std::nullopt : std::optional(word(*found));
}

std::optional<std::int64_t> OpenRequests::complete(const Name& name) {
  const auto found = find(name);
  if (found == open_.end()) return std::nullopt;
  const std::int64_t result = word(*found);
  open_.erase(found);
  return result;
}

std::vector<std::int64_t> OpenRequests::complete_oldest(std::size_t count) {
  std::vector<std::int64_t> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(word(open_[i]));
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(count));
  return words;
}

} // namespace rondo::convert::internal
