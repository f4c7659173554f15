// SPDX-License-Identifier: Apache-2.0
#include "generate/compare/loop_place.hpp"

#include <vector>

namespace rondo::generate {
namespace {

struct Frame {
  const std::vector<trace::Term>* body;
  std::size_t index = 0;
  std::uint64_t iteration = 0;
  std::uint64_t count = 1;
};

std::string text_of(const std::vector<Frame>& frames) {
  std::string text;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (!text.empty()) text += ": ";
    text += "loop " + std::to_string(frames[i].count) + ", iteration " +
            std::to_string(frames[i].iteration);
  }
  return text;
}

} // namespace

std::string loops_around(const trace::Nest& nest, std::uint64_t call) {
  std::vector<trace::ColumnReader> counts;
  for (const trace::Loop& loop : nest.loops()) counts.emplace_back(loop.trip_counts);
  std::vector<Frame> frames{{&nest.top()}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.index == frame.body->size()) {
      frame.index = 0;
      if (++frame.iteration == frame.count) frames.pop_back();
      continue;
    }
    const trace::Term term = (*frame.body)[frame.index++];
    if (!term.is_loop()) {
      if (call-- == 0) return text_of(frames);
      continue;
    }
    const std::int64_t count = counts[term.index()].next().value_or(0);
    if (count > 0)
      frames.push_back({&nest.loops()[term.index()].body, 0, 0, static_cast<std::uint64_t>(count)});
  }
  return "";
}

} // namespace rondo::generate
