// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shuffled.hpp"

#include "logical/places/peer_words.hpp"
#include "rondo/fold/recast.hpp"

namespace rondo::support {
namespace {

using trace::CallInstance;
using trace::Field;

bool is_of_world(const CallInstance& call) {
  const int word = call.function->comm_word();
  return word < 0 || call.words[static_cast<std::size_t>(word)] == trace::kWorldSlot;
}

// A call with what its words refer to written out.
struct Written {
  std::string name;
  std::uint16_t error = 0;
  std::uint32_t site = 0;
  std::vector<std::vector<std::int64_t>> words;
  std::vector<std::string> texts;
  friend bool operator==(const Written&, const Written&) = default;
};

template <class ArrayOf>
Written written(const CallInstance& call, const std::vector<std::string>& texts, ArrayOf array) {
  Written result{std::string(call.function->name), call.error, call.site, {}, {}};
  std::size_t word = 0;
  for (const Field& field : call.function->fields) {
    const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
    const std::int64_t value = call.words[word];
    if (field.is_array && !trace::is_special(value)) {
      result.words.push_back(array(field, value));
    } else if (field.kind == trace::FieldKind::kText && !trace::is_special(value)) {
      result.texts.push_back(texts[static_cast<std::size_t>(value)]);
    } else {
      for (std::size_t i = 0; i < (is_status ? 3U : 1U); ++i)
        result.words.push_back({call.words[word + i]});
    }
    word += is_status ? 3 : 1;
  }
  return result;
}

std::string difference_of(const trace::Trace& trace, const logical::LogicalProgram& program,
                          const trace::RankClass& of, std::int64_t rank) {
  trace::CallReader recorded(trace, of, rank);
  logical::Expansion expansion(trace, program, rank, of.thread);
  for (std::size_t i = 0;; ++i) {
    const std::string place = "rank " + std::to_string(rank) + ", call " + std::to_string(i);
    const CallInstance* a = recorded.next();
    const CallInstance* b = expansion.next();
    if (a == nullptr && b == nullptr) return {};
    if (a == nullptr || b == nullptr) return place + ": one ends";
    const Written wanted =
        written(*a, recorded.program().texts, [&](const Field&, std::int64_t word) {
          return recorded.program().arrays[static_cast<std::size_t>(word)];
        });
    const Written got = written(*b, expansion.texts(), [&](const Field& field, std::int64_t word) {
      return expansion.array(field, word);
    });
    if (!(wanted == got)) return place + ": " + wanted.name + " became " + got.name;
  }
}

} // namespace

trace::Trace shuffled(const trace::Trace& trace, const std::vector<std::int64_t>& new_rank) {
  const auto renumbered = [&](std::int64_t rank) {
    const bool is_rank = rank >= 0 && rank < static_cast<std::int64_t>(new_rank.size());
    return is_rank ? new_rank[static_cast<std::size_t>(rank)] : rank;
  };
  fold::Recasting recasting;
  recasting.new_rank = new_rank;
  recasting.words = [&](const trace::RankClass&, std::int64_t, const CallInstance& call,
                        std::span<std::int64_t> words) {
    if (!is_of_world(call)) return; // the order in other communicators stays
    logical::internal::for_each_rank_word(*call.function, [&](std::size_t word, const Field&) {
      words[word] = renumbered(words[word]);
    });
  };
  recasting.array = [&](const trace::RankClass&, std::int64_t rank, const CallInstance& call,
                        const Field& field, std::span<std::int64_t> values) {
    const bool of_world = is_of_world(call);
    logical::internal::for_each_rank_in_array(field, values, [&](std::int64_t& value) {
      if (trace::is_special(value)) return;
      value = (of_world ? renumbered(value + rank) : value + rank) - renumbered(rank);
    });
  };
  return fold::recast(trace, recasting).trace;
}

std::string difference(const trace::Trace& trace, const logical::LogicalProgram& program) {
  for (const trace::RankClass& of : trace.classes) {
    for (const std::int64_t rank : of.ranks.ranks()) {
      std::string text = difference_of(trace, program, of, rank);
      if (!text.empty()) return text;
    }
  }
  return {};
}

} // namespace rondo::support
