// SPDX-License-Identifier: Apache-2.0
// The text of docs/formats/logical.md, line by line, into the statements it was written from.
#include "logical/procedures/value_slots.hpp"
#include "logical/text/beyond_topology.hpp"
#include "logical/text/call_line.hpp"
#include "logical/text/local_calls.hpp"
#include "logical/text/phases.hpp"
#include "logical/text/rounds_text.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/logical/procedures.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace rondo::logical {
namespace {

using internal::kGap;
using internal::number;
using internal::split;

constexpr std::size_t kIndent = 2;
constexpr std::size_t kDeepest = 200; // far deeper than loops are; keeps recursion small
// Of a line in memory, besides its words; and of one that stands for itself where a procedure is
// called, for what is counted and compared.
constexpr std::uint64_t kBytesOfLine = 3 * sizeof(Statement);
constexpr std::uint64_t kBytesOfWord = 2 * sizeof(std::string); // two bytes of text at least

// A line without its indentation.
struct Line {
  std::uint64_t number = 0;
  std::size_t depth = 0;
  std::string_view text;
};

class Parser {
public:
  Parser(std::string_view text, const std::string& file)
      : file_(file), rest_(text), budget_(Budget::of_file(text.size())) {}

  Result<LogicalText> run() {
    if (auto done = header(); !done) return propagate(done);
    while (true) {
      auto line = next();
      if (!line) return propagate(line);
      if (!*line) return bad("ends without a last line '# off topology: ...': the text is cut");
      if (internal::is_beyond_head((*line)->text) || internal::is_beyond_line((*line)->text)) {
        if (auto done = beyond(**line); !done) return propagate(done);
        continue;
      }
      if (internal::is_local_line((*line)->text)) {
        if (auto done = local(**line); !done) return propagate(done);
        continue;
      }
      if ((*line)->text.starts_with("# ")) {
        if (auto done = summary(**line); !done) return propagate(done);
        break;
      }
      if (auto done = body_line(**line); !done) return propagate(done);
    }
    if (!rest_.empty()) {
      ++line_;
      return bad("goes on after its last line");
    }
    if (result_.parts.empty()) result_.parts.emplace_back();
    const std::uint64_t bytes = kBytesOfLine + most_references_ * longest_argument_;
    if (!budget_.take_items(lines_expanded(result_), bytes)) return too_much();
    if (auto done = check_beyond(); !done) return propagate(done);
    if (result_.records() == records_) return std::move(result_);
    line_ = 1;
    return bad("says " + std::to_string(records_) + " records, but there are " +
               std::to_string(result_.records()));
  }

private:
  tl::unexpected<Error> bad(std::string message) const {
    return fail(ErrorCode::kFormat, std::move(message),
                {file_, {}, {}, std::max<std::uint64_t>(line_, 1)});
  }

  tl::unexpected<Error> too_much() const { return tl::unexpected(budget_.error(file_)); }

  // Nothing at the end of the text.
  Result<std::optional<Line>> next() {
    if (rest_.empty()) return std::optional<Line>();
    ++line_;
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return bad("ends in the middle of a line");
    if (!budget_.take_bytes(kBytesOfLine + end * kBytesOfWord)) return too_much();
    Line line{line_, 0, rest_.substr(0, end)};
    rest_.remove_prefix(end + 1);
    const std::size_t blanks = std::min(line.text.find_first_not_of(' '), line.text.size());
    line.text.remove_prefix(blanks);
    line.depth = blanks / kIndent;
    if (line.text.empty()) return bad("is an empty line");
    if (blanks % kIndent != 0) return bad("is indented by an odd number of blanks");
    if (line.text.back() == ' ') return bad("ends in a blank");
    for (const char c : line.text) {
      if (static_cast<unsigned char>(c) < 0x20)
        return bad("has a tab or another control character");
    }
    return std::optional(line);
  }

  Status header() {
    constexpr std::string_view kProgram = "program ";
    constexpr std::string_view kHash = "  # ";
    constexpr const char* kNone =
        "is no logical program: the first line is 'program NAME  # N ranks, M records'";
    if (!rest_.starts_with(kProgram)) return bad(kNone);
    auto line = next();
    if (!line) return propagate(line);
    const std::string_view text = (*line)->text;
    const std::size_t hash = text.rfind(kHash);
    if (hash == std::string_view::npos || hash < kProgram.size()) return bad(kNone);
    result_.program = text.substr(kProgram.size(), hash - kProgram.size());
    const auto words = split(text.substr(hash + kHash.size()), " ");
    const auto ranks = number(words[0]);
    const auto records = words.size() == 4 ? number(words[2]) : std::nullopt;
    if (!ranks || !records || *ranks > kMostRanks ||
        words[1] != (*ranks == 1 ? "rank," : "ranks,") ||
        words[3] != (*records == 1 ? "record" : "records"))
      return bad("after '#', write 'N ranks, M records'");
    result_.ranks = static_cast<std::int64_t>(*ranks);
    records_ = *records;
    return {};
  }

  // "# left out of sight: local calls, 12 type_commit"
  Status local(const Line& line) {
    if (open_.size() > 1 && is_empty_body_) return bad(kNoBody);
    const bool is_first = result_.local.empty() && !is_beyond_ && line.depth == 0;
    if (is_first && internal::read_local_line(line.text, result_.local)) return {};
    return bad(
        "is not '# left out of sight: local calls, N NAME, N NAME', once, in front of what is "
        "beyond the topology");
  }

  // "# beyond the topology: ..." and the lines that belong to it.
  Status beyond(const Line& line) {
    if (open_.size() > 1 && is_empty_body_) return bad(kNoBody);
    if (line.depth != 0 || internal::is_beyond_head(line.text) == is_beyond_ ||
        !internal::read_beyond_line(line.text, result_.beyond))
      return bad("is neither '# beyond the topology: ...' nor a line of what is, '#   ranks A-B: N "
                 "records, M calls, X bytes'");
    if (!is_beyond_) set_bytes_of_all(line.text);
    is_beyond_ = true;
    return {};
  }

  // "0 of 192 bytes": of one-sided messages, where the summary has no others to say so.
  void set_bytes_of_all(std::string_view head) {
    const std::size_t of = head.rfind(" of ");
    const std::size_t end = head.rfind(" bytes");
    if (of == head.npos || end == head.npos || end < of + 4) return;
    result_.all.bytes = number(head.substr(of + 4, end - of - 4)).value_or(0);
  }

  // Guards that name ranks are in the text itself.
  Status check_beyond() {
    const auto records_in = [](const BeyondTopology& beyond) {
      std::uint64_t records = 0;
      for (const RankDifference& set : beyond.sets) records += set.records;
      return records;
    };
    const std::uint64_t said = records_in(result_.beyond);
    const std::uint64_t there = records_in(internal::beyond_of(expanded(result_).parts, 0));
    if (said == there) return {};
    return bad("comes after " + std::to_string(said) +
               " records beyond the topology, but guards that name ranks have " +
               std::to_string(there));
  }

  Status body_line(const Line& line) {
    if (is_beyond_ || !result_.local.empty())
      return bad("stands behind '# beyond the topology' or '# left out of sight'");
    const bool is_opener = line.text.back() == ':';
    if (line.depth == 0) {
      if (!is_opener || !line.text.starts_with("rank")) return bad("is not indented");
      if (open_.size() > 1 && is_empty_body_) return bad(kNoBody);
      if (!result_.parts.empty() && result_.parts.back().ranks.empty())
        return bad("begins a part behind statements of no part");
      start_part(std::string(line.text.substr(0, line.text.size() - 1)));
      return {};
    }
    if (result_.parts.empty() && line.depth == 1) {
      if (open_.size() > 1 && is_empty_body_) return bad(kNoBody);
      if (line.text.starts_with("on ") && result_.procedures.empty()) return peer_topology(line);
      if (line.text.starts_with(kLed) && result_.procedures.empty()) {
        result_.led_by = line.text.substr(kLed.size());
        return {};
      }
      if (line.text.starts_with(kProcedure)) return procedure(line);
      start_part("");
    }
    if (result_.parts.empty() && result_.procedures.empty()) start_part("");
    return statement(line);
  }

  // "procedure part_1:", "procedure part_1(tag, count):"
  Status procedure(const Line& line) {
    if (line.text.back() != ':') return bad("does not open a procedure: write 'procedure NAME:'");
    std::string name(line.text.substr(kProcedure.size()));
    name.pop_back();
    std::vector<std::string> parameters;
    if (const std::size_t open = name.find('('); open != std::string::npos && name.back() == ')') {
      parameters = split(name.substr(open + 1, name.size() - open - 2), ", ");
      name.resize(open);
    }
    if (name.empty() || name.back() == ':' || name.find_first_of(" $()") != std::string::npos)
      return bad("has no name of a procedure: write 'procedure NAME:'");
    for (const std::string& parameter : parameters) {
      if (internal::unknown_parameter("$" + parameter, {parameter}) ||
          std::count(parameters.begin(), parameters.end(), parameter) > 1)
        return bad("has parameters with no names of their own, in small letters");
    }
    if (!result_.procedures.empty()) finish_procedure();
    if (levels_.contains(name)) return bad("names a second procedure '" + name + "'");
    procedures_.emplace(name, result_.procedures.size());
    result_.procedures.push_back({std::move(name), std::move(parameters), {}});
    open_.assign(2, &result_.procedures.back().statements);
    is_empty_body_ = true;
    deepest_ = 0;
    return {};
  }

  // From here on it can be called.
  void finish_procedure() { levels_.emplace(result_.procedures.back().name, deepest_); }

  // "tag=12, count=800" for the parameters in their order. What a value is made of is one parameter
  // of the procedure around it, or none, so that values do not grow from call to call.
  Status arguments(std::string_view text, const std::vector<std::string>& parameters,
                   InvokeStatement& invoke) {
    constexpr std::size_t kLongest = 1000;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string begin = parameters[i] + "=";
      const std::size_t end =
          i + 1 < parameters.size() ? text.find(", " + parameters[i + 1] + "=") : text.size();
      if (!text.starts_with(begin) || end == std::string_view::npos) break;
      std::string value(text.substr(begin.size(), end - begin.size()));
      const bool is_list = value.find(", ") != std::string::npos && !value.starts_with('[');
      const bool is_in_parentheses = value.starts_with('(') && value.ends_with(')');
      if (is_list != is_in_parentheses) break;
      if (is_list) value = value.substr(1, value.size() - 2);
      if (value.empty() || value.size() > kLongest || value.rfind('$') + 1 > 1) break;
      longest_argument_ = std::max<std::uint64_t>(longest_argument_, value.size());
      invoke.arguments.push_back({parameters[i], value});
      text.remove_prefix(std::min(end + 2, text.size()));
    }
    if (invoke.arguments.size() == parameters.size() && text.empty()) return {};
    return bad("does not call '" + invoke.name + "' with a value for each of its parameters");
  }

  // "call part_1", "call part_1(tag=12)"
  Status invocation(std::string name, std::size_t depth) {
    std::string_view rest;
    const std::string whole = name;
    if (const std::size_t open = name.find('('); open != std::string::npos && name.back() == ')') {
      rest = std::string_view(whole).substr(open + 1, whole.size() - open - 2);
      name.resize(open);
    }
    const auto found = levels_.find(name);
    if (found == levels_.end())
      return bad("calls '" + name + "', but no procedure of this name stands before");
    deepest_ = std::max(deepest_, depth + found->second);
    if (deepest_ > kDeepest) return bad("is nested more than 200 levels deep");
    InvokeStatement invoke{std::move(name)};
    const std::vector<std::string>& parameters =
        result_.procedures[procedures_.at(invoke.name)].parameters;
    if (auto done = arguments(rest, parameters, invoke); !done) return done;
    open_.back()->push_back({std::move(invoke)});
    is_empty_body_ = false;
    return {};
  }

  void start_part(std::string ranks) {
    if (result_.parts.empty() && !result_.procedures.empty()) finish_procedure();
    result_.parts.push_back({std::move(ranks), {}});
    open_.assign(1, &result_.parts.back().statements);
    is_empty_body_ = false;
  }

  // "on 4x4 grid: north, west"
  Status peer_topology(const Line& line) {
    const std::size_t colon = line.text.rfind(": ");
    if (line.depth != 1 || colon == std::string_view::npos)
      return bad("is no topology: write 'on NAME: direction, direction' with one level");
    result_.peer_topologies.push_back(
        {std::string(line.text.substr(3, colon - 3)), split(line.text.substr(colon + 2), ", ")});
    return {};
  }

  Status statement(const Line& line) {
    if (line.depth > open_.size()) return bad("is indented deeper than the line above allows");
    if (is_empty_body_ && line.depth < open_.size()) return bad(kNoBody);
    if (line.depth > kDeepest) return bad("is nested more than 200 levels deep");
    open_.resize(line.depth);
    deepest_ = std::max(deepest_, line.depth);
    const std::string_view text = line.text;
    if (result_.parts.empty()) {
      const auto references = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '$'));
      most_references_ = std::max(most_references_, references);
      const auto unknown =
          internal::unknown_parameter(std::string(text), result_.procedures.back().parameters);
      if (unknown) return bad("has '$" + *unknown + "', which is no parameter of the procedure");
    }
    if (text.starts_with(kCall))
      return invocation(std::string(text.substr(kCall.size())), line.depth);
    if (text.back() == ':') return opener(text.substr(0, text.size() - 1));
    if (text.starts_with("phase ")) return phase(text);
    auto call = internal::call_of(text);
    if (!call) return bad(std::move(call).error());
    open_.back()->push_back({std::move(*call)});
    is_empty_body_ = false;
    return {};
  }

  // "phase 2: on 4x4 grid, in rows"
  Status phase(std::string_view text) {
    const std::uint64_t names = text.size() / kGap.size(); // each is looked for among all
    if (!budget_.take_steps(names * (result_.peer_topologies.size() + 1))) return too_much();
    auto read = internal::phase_of(text, result_.peer_topologies);
    if (!read) return bad("is no phase: write 'phase N: on TOPOLOGY', one of those at the top");
    if (read->number != ++phases_)
      return bad("should be phase " + std::to_string(phases_) + ": they are numbered as they come");
    open_.back()->push_back({std::move(*read)});
    return {};
  }

  Status opener(std::string_view text) {
    constexpr std::string_view kIf = "if ";
    std::vector<Statement>& around = *open_.back();
    if (auto count = internal::count_of_head(text)) {
      around.push_back({LoopStatement{std::move(*count), {}}});
      open_.push_back(&std::get<LoopStatement>(around.back().is).body);
    } else if (text.starts_with(kIf) && !text.substr(kIf.size()).starts_with("rank")) {
      around.push_back({GuardStatement{std::string(text.substr(kIf.size())), {}}});
      open_.push_back(&std::get<GuardStatement>(around.back().is).body);
    } else if (text.starts_with("rank ") || text.starts_with("ranks ")) {
      around.push_back({GuardStatement{std::string(text), {}}});
      open_.push_back(&std::get<GuardStatement>(around.back().is).body);
    } else {
      return bad("opens neither 'loop N:' nor 'in rounds A-B of N:' nor 'if DIRECTION:' nor "
                 "'ranks A-B:'");
    }
    is_empty_body_ = true;
    return {};
  }

  // "# off topology: 12 of 340 point-to-point calls, 96 of 12000 bytes; left out"
  Status summary(const Line& line) {
    if (open_.size() > 1 && is_empty_body_) return bad(kNoBody);
    const auto words = split(line.text, " ");
    if (line.depth == 0 && line.text == "# off topology: no point-to-point calls") return {};
    constexpr std::string_view kForm =
        "the last line is '# off topology: N of M point-to-point calls, X of Y bytes'";
    constexpr std::array<std::string_view, 11> kWords = {
        "#", "off", "topology:", "", "of", "", "point-to-point", "calls,", "", "of", ""};
    if (words.size() < kWords.size() + 1 || line.depth != 0) return bad(std::string(kForm));
    std::array<std::uint64_t, 4> numbers{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      const auto value = kWords[i].empty() ? number(words[i]) : std::nullopt;
      if (value) numbers[found++] = *value;
      if (!value && (kWords[i].empty() || words[i] != kWords[i])) return bad(std::string(kForm));
    }
    result_.outside = {numbers[0], numbers[2]};
    result_.all = {numbers[1], numbers[3]};
    std::string end;
    for (std::size_t i = kWords.size(); i < words.size(); ++i)
      end += (end.empty() ? "" : " ") + words[i];
    const bool is_none = numbers[0] == 0 && numbers[2] == 0;
    const std::string irregular = result_.peer_topologies.empty() ? "irregular, " : "";
    result_.is_lossless = end == "bytes; " + irregular + "in the text as rank+distance";
    if (is_none ? end == "bytes" : result_.is_lossless || end == "bytes; left out") return {};
    return bad(std::string(kForm) + ", and '; left out' or '; " + irregular +
               "in the text as rank+distance' behind it if N or X is not 0");
  }

  static constexpr std::string_view kProcedure = "procedure ";
  static constexpr std::string_view kLed = "led ";
  static constexpr std::string_view kCall = "call ";
  static constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 40;
  static constexpr const char* kNoBody = "stands where the line above wants something inside it";

  const std::string& file_;
  std::string_view rest_;
  Budget budget_;
  std::uint64_t line_ = 0;
  LogicalText result_;
  std::uint64_t records_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t most_references_ = 0; // to parameters, in one line
  std::uint64_t longest_argument_ = 0; // in bytes
  std::map<std::string, std::size_t> procedures_; // by name, into those of the result
  std::map<std::string, std::size_t> levels_; // procedure -> levels of its text
  std::size_t deepest_ = 0; // level of the procedure that is being read, with those it calls
  bool is_beyond_ = false; // in the lines of what is beyond the topology
  /// Bodies that the next line may continue, outermost first. A body is not touched while one
  /// inside it is open, so these stay where they are.
  std::vector<std::vector<Statement>*> open_;
  bool is_empty_body_ = false; // the last line opened a body
};

} // namespace

Result<LogicalText> parse_logical_text(std::string_view text, const std::string& file) {
  auto read = Parser(text, file).run();
  if (!read) return read;
  const std::string again = logical_text(*read);
  if (again == text) return read;
  const auto differs = std::mismatch(text.begin(), text.end(), again.begin(), again.end()).first;
  const auto line = static_cast<std::uint64_t>(std::count(text.begin(), differs, '\n')) + 1;
  return fail(ErrorCode::kFormat, "has blanks or words that rondo logical does not write",
              {file, {}, {}, line});
}

} // namespace rondo::logical
