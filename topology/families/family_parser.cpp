// SPDX-License-Identifier: Apache-2.0
// Reads family files (docs/formats/topology-family.md) line by line: the first word of a line says
// what it is.
#include "rondo/base/budget.hpp"
#include "rondo/topology/family.hpp"
#include "topology/families/family_rule.hpp"

#include <algorithm>
#include <set>

namespace rondo::topology {
namespace internal {

bool is_family_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto allowed = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || std::string_view(" -_.+").find(c) < 5;
  };
  return !name.empty() && name.size() <= 60 && letter(name.front()) && name.back() != ' ' &&
         std::all_of(name.begin(), name.end(), allowed);
}

namespace {

using Shape = FamilyRule::Shape;

constexpr Vertex kMostFamilyRanks = 100'000'000;
constexpr std::size_t kMostFamilyDimensions = 8;
// Names are looked up one after the other; rules that people write have a few.
constexpr std::uint64_t kMostFamilyNames = 1000;
constexpr std::int64_t kMostStep = 1'000'000; // of an offset, in each dimension

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kFormat, std::move(message));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// Lines of one family. Errors are without a place; the caller knows it.
class RuleReader {
public:
  RuleReader() { rule_.names = {"n", "r"}; }

  Status line(Tokens tokens) {
    if (tokens.next().kind == Token::Kind::kNumber) return edge(tokens);
    const std::string word = tokens.take().text;
    if (word == "mesh") return mesh(tokens);
    if (word == "offsets") return offsets(tokens);
    if (word == "xor") return masks(tokens);
    if (word == "parameter") return parameter(tokens);
    if (word == "let") return let(tokens);
    if (word == "only") return only(tokens);
    if (word == "neighbour" || word == "neighbor") return neighbour(tokens);
    if (word == "ranks") return ranks(tokens);
    return wrong("'" + word +
                 "' begins no line of a family; lines begin with mesh, offsets, xor, "
                 "parameter, let, only if, neighbour, ranks, or are edges as two ranks");
  }

  Result<FamilyRule> finish() {
    switch (rule_.shape) {
    case Shape::kUnknown:
      return wrong("the family does not say who talks to whom; add a line that begins with mesh, "
                   "xor, neighbour or ranks");
    case Shape::kMesh:
      if (rule_.offsets.empty())
        return wrong("the mesh has no neighbours; add a line 'offsets (0,1) (1,0)'");
      break;
    case Shape::kEdges:
      if (rule_.edges.empty())
        return wrong("no two ranks talk to each other; add edges, each a line of two ranks");
      break;
    default:
      break;
    }
    if (rule_.shape != Shape::kNeighbours && !rule_.definitions.empty())
      return wrong("parameter, let and only if go with neighbour lines; this family has none");
    return std::move(rule_);
  }

private:
  Status take_shape(Shape shape) {
    if (rule_.shape != Shape::kUnknown && rule_.shape != shape)
      return wrong("a family is described in one way: mesh and offsets, xor, neighbour, or ranks "
                   "and edges; begin another family for a second one");
    rule_.shape = shape;
    return {};
  }

  static Status at_end(const Tokens& tokens) {
    if (tokens.at_end()) return {};
    return wrong(tokens.next_text() + " is too much here; end the line before it");
  }

  static Result<std::int64_t> number(Tokens& tokens, std::int64_t least, std::int64_t most,
                                     const std::string& what) {
    const bool negative = least < 0 && tokens.take("-");
    if (tokens.next().kind != Token::Kind::kNumber)
      return wrong(what + " is missing before " + tokens.next_text());
    const std::int64_t value = negative ? -tokens.take().number : tokens.take().number;
    if (value < least || value > most)
      return wrong(what + " is " + std::to_string(value) + "; it must be from " +
                   std::to_string(least) + " to " + std::to_string(most));
    return value;
  }

  Status mesh(Tokens& tokens) {
    if (rule_.shape == Shape::kMesh)
      return wrong("the family has a mesh already; begin another family");
    if (auto taken = take_shape(Shape::kMesh); !taken) return taken;
    do {
      MeshDimension d;
      if (!tokens.take("any")) {
        const auto size = number(tokens, 1, kMostFamilyRanks, "a size, or 'any',");
        if (!size) return propagate(size);
        d.size = static_cast<Vertex>(*size);
      }
      if (tokens.take("periodic")) {
        d.border = MeshDimension::Border::kPeriodic;
      } else if (tokens.take("either")) {
        d.border = MeshDimension::Border::kEither;
      } else if (!tokens.take("open")) {
        return wrong("'open', 'periodic' or 'either' is missing before " + tokens.next_text());
      }
      rule_.dimensions.push_back(d);
    } while (tokens.take(","));
    if (rule_.dimensions.size() > kMostFamilyDimensions)
      return wrong("a mesh has at most " + std::to_string(kMostFamilyDimensions) + " dimensions");
    return at_end(tokens);
  }

  Status offsets(Tokens& tokens) {
    if (rule_.dimensions.empty())
      return wrong("offsets need a mesh; put a line 'mesh any open, any open' before");
    do {
      if (!tokens.take("(")) return wrong("'(' is missing before " + tokens.next_text());
      std::vector<Vertex> offset;
      do {
        const auto step = number(tokens, -kMostStep, kMostStep, "a step");
        if (!step) return propagate(step);
        offset.push_back(static_cast<Vertex>(*step));
      } while (tokens.take(","));
      if (!tokens.take(")")) return wrong("')' is missing before " + tokens.next_text());
      if (offset.size() != rule_.dimensions.size())
        return wrong("an offset has " + std::to_string(offset.size()) + " steps, the mesh has " +
                     std::to_string(rule_.dimensions.size()) +
                     " dimensions; give one step for each");
      rule_.offsets.push_back(std::move(offset));
    } while (!tokens.at_end());
    return {};
  }

  Status masks(Tokens& tokens) {
    if (auto taken = take_shape(Shape::kMasks); !taken) return taken;
    do {
      const auto mask = number(tokens, 1, kMostFamilyRanks, "a mask");
      if (!mask) return propagate(mask);
      rule_.masks.push_back(static_cast<Vertex>(*mask));
    } while (!tokens.at_end());
    return {};
  }

  Status ranks(Tokens& tokens) {
    if (rule_.ranks > 0)
      return wrong("the number of ranks has been given already; remove one of both lines");
    if (auto taken = take_shape(Shape::kEdges); !taken) return taken;
    const auto count = number(tokens, 2, kMostFamilyRanks, "the number of ranks");
    if (!count) return propagate(count);
    rule_.ranks = static_cast<Vertex>(*count);
    return at_end(tokens);
  }

  Status edge(Tokens& tokens) {
    if (rule_.ranks == 0)
      return wrong("an edge needs the number of ranks; put a line 'ranks 16' before");
    const auto u = number(tokens, 0, rule_.ranks - 1, "a rank");
    if (!u) return propagate(u);
    const auto v = number(tokens, 0, rule_.ranks - 1, "the second rank of the edge");
    if (!v) return propagate(v);
    if (*u == *v)
      return wrong("rank " + std::to_string(*u) + " needs no edge to itself; remove the line");
    rule_.edges.emplace_back(static_cast<Vertex>(*u), static_cast<Vertex>(*v));
    return at_end(tokens);
  }

  Result<std::size_t> new_name(Tokens& tokens) {
    if (tokens.next().kind != Token::Kind::kWord)
      return wrong("a name is missing before " + tokens.next_text());
    const std::string name = tokens.take().text;
    if (is_reserved(name))
      return wrong("'" + name + "' means something else in expressions; take another name");
    if (std::find(rule_.names.begin(), rule_.names.end(), name) != rule_.names.end())
      return wrong("'" + name + "' has a meaning already; take another name");
    if (rule_.names.size() >= limited(kMostFamilyNames))
      return wrong("a family has at most " + std::to_string(limited(kMostFamilyNames)) +
                   " names; if you trust the file, add " + limit_advice(10 * limit_factor(), 1));
    rule_.names.push_back(name);
    return rule_.names.size() - 1;
  }

  bool of_each_rank(const Expression& expression) const {
    return std::any_of(rank_slots_.begin(), rank_slots_.end(),
                       [&](std::size_t slot) { return expression.uses(slot); });
  }

  Result<Expression> for_all_ranks(Tokens& tokens) {
    auto expression = Expression::parse(tokens, rule_.names);
    if (expression && of_each_rank(*expression))
      return wrong("the rank r has no meaning here, as the line holds for all ranks; use n");
    return expression;
  }

  // "EXPRESSION .. EXPRESSION"
  Status range(Tokens& tokens, Range& result, bool for_all) {
    for (Expression* border : {&result.first, &result.last}) {
      if (border == &result.last && !tokens.take(".."))
        return wrong("'..' is missing before " + tokens.next_text());
      auto expression = for_all ? for_all_ranks(tokens) : Expression::parse(tokens, rule_.names);
      if (!expression) return propagate(expression);
      *border = std::move(*expression);
    }
    return {};
  }

  // The name is known behind its own line only.
  Status parameter(Tokens& tokens) {
    Definition definition{.kind = Definition::Kind::kParameter};
    const auto slot = new_name(tokens);
    if (!slot) return propagate(slot);
    definition.range.slot = *slot;
    if (!tokens.take("in")) return wrong("'in' is missing before " + tokens.next_text());
    if (auto read = range(tokens, definition.range, true); !read) return read;
    if (definition.range.first.uses(*slot) || definition.range.last.uses(*slot))
      return wrong("the values of '" + rule_.names[*slot] + "' depend on itself");
    rule_.definitions.push_back(std::move(definition));
    return at_end(tokens);
  }

  Status let(Tokens& tokens) {
    Definition definition{.kind = Definition::Kind::kLet};
    const auto slot = new_name(tokens);
    if (!slot) return propagate(slot);
    definition.range.slot = *slot;
    if (!tokens.take("=")) return wrong("'=' is missing before " + tokens.next_text());
    auto value = Expression::parse(tokens, rule_.names);
    if (!value) return propagate(value);
    if (value->uses(*slot)) return wrong("'" + rule_.names[*slot] + "' depends on itself");
    definition.of_each_rank = of_each_rank(*value);
    if (definition.of_each_rank) rank_slots_.push_back(*slot);
    definition.range.first = std::move(*value);
    rule_.definitions.push_back(std::move(definition));
    return at_end(tokens);
  }

  Status only(Tokens& tokens) {
    if (!tokens.take("if"))
      return wrong("'if' is missing before " + tokens.next_text() + "; write 'only if n > 3'");
    auto condition = for_all_ranks(tokens);
    if (!condition) return propagate(condition);
    Definition definition{.kind = Definition::Kind::kCondition};
    definition.condition = std::move(*condition);
    rule_.definitions.push_back(std::move(definition));
    return at_end(tokens);
  }

  // The partner is written before the loops whose variables it uses, so it is read last.
  Status neighbour(Tokens& tokens) {
    if (auto taken = take_shape(Shape::kNeighbours); !taken) return taken;
    const std::size_t names = rule_.names.size();
    NeighbourRule rule;
    Tokens ahead = tokens;
    while (!ahead.at_end() && ahead.next().text != "for" && ahead.next().text != "if") ahead.take();
    while (ahead.take("for")) {
      const auto slot = new_name(ahead);
      if (!slot) return propagate(slot);
      Range loop{.slot = *slot};
      if (!ahead.take("in")) return wrong("'in' is missing before " + ahead.next_text());
      if (auto read = range(ahead, loop, false); !read) return read;
      if (loop.first.uses(*slot) || loop.last.uses(*slot))
        return wrong("the values of '" + rule_.names[*slot] + "' depend on itself");
      rule.loops.push_back(std::move(loop));
    }
    if (ahead.take("if")) {
      auto condition = Expression::parse(ahead, rule_.names);
      if (!condition) return propagate(condition);
      rule.condition = std::move(*condition);
    }
    if (auto end = at_end(ahead); !end) return end;
    auto rank = Expression::parse(tokens, rule_.names);
    if (!rank) return propagate(rank);
    if (!tokens.at_end() && tokens.next().text != "for" && tokens.next().text != "if")
      return at_end(tokens);
    rule.rank = std::move(*rank);
    rule_.neighbours.push_back(std::move(rule));
    for (std::size_t slot = names; slot < rule_.names.size(); ++slot)
      rule_.names[slot].clear(); // the slot stays its own
    return {};
  }

  FamilyRule rule_;
  std::vector<std::size_t> rank_slots_ = {FamilyRule::kRankSlot}; // that differ from rank to rank
};

class FileReader {
public:
  explicit FileReader(const std::string& file) : file_(file) {}

  Result<std::vector<Family>> run(std::string_view text) {
    for (std::uint64_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (auto read = line(trimmed(text.substr(0, end)), number); !read)
        return placed(read.error(), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (auto ended = end_family(); !ended) return placed(ended.error(), family_line_);
    if (families_.empty())
      return placed({ErrorCode::kFormat, "no family here; begin with a line 'family NAME'", {}}, 1);
    return std::move(families_);
  }

private:
  tl::unexpected<Error> placed(Error error, std::uint64_t line) const {
    error.place.file = file_;
    if (!error.place.line) error.place.line = line;
    return tl::unexpected<Error>(std::move(error));
  }

  Status line(std::string_view text, std::uint64_t number) {
    if (text.empty() || text.front() == '#') return {};
    auto tokens = Tokens::of(text);
    if (text.substr(0, 6) == "family" && (text.size() == 6 || text[6] == ' ' || text[6] == '\t')) {
      if (auto ended = end_family(); !ended) return placed(ended.error(), family_line_);
      family_line_ = number;
      return begin_family(trimmed(text.substr(6, text.find('#') - 6)));
    }
    if (!tokens) return propagate(tokens);
    if (family_line_ == 0)
      return wrong("a family begins with its name; put a line 'family NAME' before");
    return rule_.line(std::move(*tokens));
  }

  Status begin_family(std::string_view name) {
    if (!is_family_name(name))
      return wrong("a name has letters, digits, spaces and -_.+ after a letter, at most 60 of "
                   "them; write 'family "
                   "my-stencil'");
    if (!known_.emplace(name).second)
      return wrong("the family '" + std::string(name) +
                   "' stands in this file already; take another name");
    name_ = name;
    rule_ = RuleReader();
    return {};
  }

  Status end_family() {
    if (family_line_ == 0) return {};
    auto rule = rule_.finish();
    if (!rule) return propagate(rule);
    families_.emplace_back(name_, std::make_shared<const FamilyRule>(std::move(*rule)));
    return {};
  }

  const std::string& file_;
  std::vector<Family> families_;
  std::set<std::string, std::less<>> known_; // their names
  RuleReader rule_;
  std::string name_;
  std::uint64_t family_line_ = 0; // 0: none has begun
};

} // namespace
} // namespace internal

Result<std::vector<Family>> parse_families(std::string_view text, const std::string& file) {
  return internal::FileReader(file).run(text);
}

} // namespace rondo::topology
