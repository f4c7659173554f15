// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_file.hpp"
#include "trace/mpi_names.hpp"

#include "rondo/base/budget.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/short_name.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

namespace rondo::patterns {
namespace {

constexpr std::int64_t kMostRanks = 1 << 26; // in a list: "ranks 0-67108863"

template <class Number> bool is_number(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// A comment stands at the begin of a line or behind a blank; "split#1" is a communicator.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

// The function whose name is this without MPI_, in small letters.
const trace::Function* any_function_of(std::string_view name) {
  for (const trace::Function& function : trace::all_functions()) {
    if (trace::short_name(function.name) == name) return &function;
  }
  return nullptr;
}

const trace::Function* function_of(std::string_view name) {
  const trace::Function* function = any_function_of(name);
  return function != nullptr && is_event(*function) ? function : nullptr;
}

// The function whose arguments are the envelope of an event.
const trace::Function& envelope_function(const GivenEvent& event) {
  return *trace::find_function(event.made_by != 0 ? event.made_by : event.function);
}

bool sends(const trace::CallMeaning& means) {
  return means.sends() || means.act == trace::Act::kOneSided;
}

bool parse_peer(std::string_view text, GivenPeer& peer) {
  const bool around = text.ends_with('%');
  if (around) text.remove_suffix(1);
  const bool is_step = text.starts_with('+') || text.starts_with('-');
  peer.kind = around    ? GivenPeer::Kind::kStepAround
              : is_step ? GivenPeer::Kind::kStep
                        : GivenPeer::Kind::kRank;
  if (text == "any" && !around) {
    peer.kind = GivenPeer::Kind::kAny;
    return true;
  }
  if (around && !is_step) return false;
  return is_number(text, peer.value);
}

class Parser {
public:
  Parser(std::string_view text, const std::string& file)
      : text_(text), file_(file), budget_(Budget::of_file(text.size())) {}

  Result<GivenPattern> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      ++line_;
      std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      line = trimmed(without_comment(line));
      if (line.empty()) continue;
      if (auto good = take(line); !good) return propagate(good);
    }
    const bool has_events =
        std::any_of(pattern_.sections.begin(), pattern_.sections.end(),
                    [](const GivenSection& section) { return !section.events.empty(); });
    if (!has_events) return wrong("the file has no events; write one on each line, as 'isend +1'");
    if (auto good = set_envelope(); !good) return propagate(good);
    return std::move(pattern_);
  }

private:
  tl::unexpected<Error> wrong(std::string message) const {
    return fail(ErrorCode::kFormat, std::move(message), {file_, {}, {}, line_});
  }

  Status take(std::string_view line) {
    if (line.starts_with("pattern ")) {
      pattern_.name = trimmed(line.substr(8));
      return {};
    }
    if (line.ends_with(':')) return take_section(trimmed(line.substr(0, line.size() - 1)));
    return take_event(line);
  }

  Status take_section(std::string_view head) {
    pattern_.sections.emplace_back();
    if (head == "every rank") return {};
    const std::size_t blank = head.find(' ');
    const std::string_view word = head.substr(0, blank);
    if ((word != "rank" && word != "ranks") || blank == std::string_view::npos)
      return wrong("a section begins with 'every rank:', 'rank 3:' or 'ranks 0-3,8:'");
    auto& ranks = pattern_.sections.back().ranks.emplace();
    std::string_view list = head.substr(blank + 1);
    while (!list.empty()) {
      const std::string_view part = trimmed(list.substr(0, list.find(',')));
      list.remove_prefix(std::min(list.size(), list.find(',') == std::string_view::npos
                                                   ? list.size()
                                                   : list.find(',') + 1));
      const std::size_t dash = part.find('-');
      std::int64_t first = 0;
      if (!is_number(part.substr(0, dash), first) || first < 0) return wrong_ranks(part);
      std::int64_t last = first;
      if (dash != std::string_view::npos && !is_number(part.substr(dash + 1), last))
        return wrong_ranks(part);
      if (last < first || last > kMostRanks) return wrong_ranks(part);
      // A few words name millions of ranks; the list is up to twice as long while it grows.
      if (!budget_.take_items(static_cast<std::uint64_t>(last - first + 1), 2 * sizeof(first)))
        return tl::unexpected(budget_.error(file_));
      for (std::int64_t rank = first; rank <= last; ++rank) ranks.push_back(rank);
    }
    return {};
  }

  tl::unexpected<Error> wrong_ranks(std::string_view part) const {
    return wrong("'" + std::string(part) + "' are no ranks; write '3' or '0-3'");
  }

  Status take_event(std::string_view line) {
    GivenEvent event;
    const std::size_t open = line.find('(');
    if (open != std::string_view::npos) {
      if (!line.ends_with(')')) return wrong("a bracket is not closed");
      if (auto good = take_attributes(line.substr(open + 1, line.size() - open - 2), event); !good)
        return good;
    }
    std::istringstream words{std::string(line.substr(0, open))};
    std::string word;
    words >> word;
    const trace::Function* function = function_of(word);
    if (function == nullptr)
      return wrong("'" + word +
                   "' is no send, receive, collective or one-sided transfer; write it as 'isend', "
                   "'allreduce'");
    event.function = function->id;
    if (function->role == trace::Role::kRequest) {
      if (auto good = take_started(words, event); !good) return good;
    }
    if (auto good = take_peers(words, event); !good) return good;
    if (pattern_.sections.empty()) pattern_.sections.emplace_back();
    pattern_.sections.back().events.push_back(event);
    lines_.push_back(line_);
    return {};
  }

  // "start send 3": of a request that MPI_Send_init made.
  Status take_started(std::istringstream& words, GivenEvent& event) const {
    if (trace::find_function(event.function)->name != mpi::Start)
      return wrong("what MPI_Startall starts cannot be written in a file; --match takes the number "
                   "of a pattern that was found, too");
    std::string word;
    words >> word;
    const trace::Function* made = any_function_of(word + "_init");
    if (made == nullptr || !made->makes_request)
      return wrong("'start " + word + "' is not understood; write 'start send 3', 'start recv 3'");
    event.made_by = made->id;
    return {};
  }

  Status take_peers(std::istringstream& words, GivenEvent& event) const {
    const trace::CallMeaning& means = trace::meaning_of(envelope_function(event));
    const bool receives = means.source >= 0;
    GivenPeer* next = sends(means) ? &event.destination : receives ? &event.source : nullptr;
    std::string word;
    while (words >> word) {
      if (word == "from" && sends(means) && receives) {
        next = &event.source;
      } else if (word == "root" && means.root >= 0) {
        next = &event.root;
      } else if (next == nullptr || !parse_peer(word, *next)) {
        return wrong("'" + word +
                     "' is not understood; a peer is a rank, a step such as +1 or "
                     "-1%, or any");
      } else {
        next = nullptr;
      }
    }
    return {};
  }

  Status take_attributes(std::string_view text, GivenEvent& event) {
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const std::string_view part = trimmed(text.substr(0, comma));
      text.remove_prefix(std::min(text.size(), comma + 1));
      std::int64_t value = 0;
      if (part.ends_with(" B") && is_number(part.substr(0, part.size() - 2), value)) {
        event.bytes = value;
      } else if (part.starts_with("tag ") && is_number(part.substr(4), value)) {
        event.tag = value;
      } else if (part.starts_with("on ") && !trimmed(part.substr(3)).empty()) {
        event.comm = trimmed(part.substr(3));
      } else {
        return wrong("'" + std::string(part) +
                     "' is not understood; write '24 B', 'tag 5' or "
                     "'on split#1'");
      }
    }
    return {};
  }

  static bool has_peer(const GivenEvent& event) {
    return event.destination.kind != GivenPeer::Kind::kNone ||
           event.source.kind != GivenPeer::Kind::kNone || event.root.kind != GivenPeer::Kind::kNone;
  }

  // What one event says of its envelope all must say, or there would be nothing to compare.
  Status set_envelope() {
    Envelope& envelope = pattern_.envelope;
    envelope = {false, false, false};
    const auto each = [&](auto visit) {
      for (const GivenSection& section : pattern_.sections) {
        for (const GivenEvent& event : section.events) visit(event);
      }
    };
    each([&](const GivenEvent& event) {
      envelope.peer = envelope.peer || has_peer(event);
      envelope.size = envelope.size || event.bytes.has_value();
      envelope.tag = envelope.tag || event.tag.has_value();
    });
    std::size_t index = 0;
    Status status;
    each([&](const GivenEvent& event) {
      const trace::CallMeaning& means = trace::meaning_of(envelope_function(event));
      line_ = lines_[index++];
      if (!status) return;
      const auto lacks = [](bool has_peer, const GivenPeer& peer) {
        return has_peer && peer.kind == GivenPeer::Kind::kNone;
      };
      const bool lacks_peer = lacks(sends(means), event.destination) ||
                              lacks(means.source >= 0, event.source) ||
                              lacks(means.root >= 0, event.root);
      const bool is_message = means.dest >= 0 || means.source >= 0;
      if (envelope.peer && lacks_peer)
        status =
            wrong("this event has no peer or root, but others have: give all of them, or none");
      else if (envelope.size && !event.bytes && means.message < 0)
        status = wrong("this event has no size, but others have: give all of them, or none");
      else if (envelope.tag && !event.tag && is_message)
        status = wrong("this event has no tag, but others have: give all of them, or none");
    });
    return status;
  }

  std::string_view text_;
  const std::string& file_;
  Budget budget_;
  std::uint64_t line_ = 0;
  std::vector<std::uint64_t> lines_; // of the events
  GivenPattern pattern_;
};

/// False if there is no such rank.
bool place(const GivenPeer& peer, std::int64_t rank, std::int64_t ranks, std::int64_t& result) {
  switch (peer.kind) {
  case GivenPeer::Kind::kNone:
    return true;
  case GivenPeer::Kind::kAny:
    result = trace::kAnySource;
    return true;
  case GivenPeer::Kind::kRank:
    result = peer.value;
    break;
  case GivenPeer::Kind::kStep:
    result = trace::wrapping_sum(rank, peer.value);
    break;
  case GivenPeer::Kind::kStepAround:
    result = ((rank + peer.value % ranks) % ranks + ranks) % ranks;
    break;
  }
  return result >= 0 && result < ranks;
}

} // namespace

std::optional<std::vector<Event>> GivenPattern::events_of(std::int64_t rank, std::int64_t ranks,
                                                          const CommOf& comm_of) const {
  const GivenSection* own = nullptr;
  for (const GivenSection& section : sections) {
    if (!section.ranks && own == nullptr) own = &section;
    if (section.ranks &&
        std::find(section.ranks->begin(), section.ranks->end(), rank) != section.ranks->end()) {
      own = &section;
      break;
    }
  }
  if (own == nullptr) return std::nullopt;
  std::vector<Event> events;
  for (const GivenEvent& given : own->events) {
    const trace::CallMeaning& means = trace::meaning_of(envelope_function(given));
    Event event;
    event.function = given.function;
    event.made_by = given.made_by;
    if (!given.comm.empty() && comm_of) event.comm = comm_of(given.comm);
    if (!place(given.destination, rank, ranks, event.destination) ||
        !place(given.source, rank, ranks, event.source) ||
        !place(given.root, rank, ranks, event.root))
      continue;
    if (given.bytes) event.bytes = *given.bytes;
    if (given.tag && means.dest >= 0) event.send_tag = *given.tag;
    if (given.tag && means.source >= 0) event.receive_tag = *given.tag;
    events.push_back(event);
  }
  return events;
}

std::string GivenPattern::unknown_comm(const trace::CommunicatorNames& names) const {
  for (const GivenSection& section : sections) {
    for (const GivenEvent& event : section.events) {
      if (!event.comm.empty() && !names.slot_of(event.comm)) return event.comm;
    }
  }
  return "";
}

Result<GivenPattern> parse_pattern(std::string_view text, const std::string& file) {
  return Parser(text, file).run();
}

} // namespace rondo::patterns
