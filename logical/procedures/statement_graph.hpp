// SPDX-License-Identifier: Apache-2.0
// Statements in which equal ones are one, so that a list that stands in several places is searched
// once. A procedure is a list that nodes call.
#pragma once

#include "logical/procedures/value_slots.hpp"
#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

class StatementGraph {
public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // A statement without its body.
  struct Head {
    Statement statement;
    std::vector<std::uint32_t> values; // by their numbers
    std::vector<std::string> names; // of them
    std::uint32_t shape = kNone; // equal for heads that differ in values only
  };

  struct Node {
    const Head* head = nullptr;
    std::uint32_t list = kNone; // its body
    std::uint32_t procedure = kNone; // that it calls
  };

  /// Procedure::statements as a list.
  struct Body {
    std::uint32_t list = kNone;
    std::vector<std::string> parameters;
  };

  std::uint32_t add_list(const std::vector<Statement>& statements);
  /// All lists are there: what finds equal ones again is forgotten, so that copies are cheap.
  void end_lists();
  std::uint32_t add_procedure(std::vector<std::uint32_t> list, std::vector<std::string> parameters);
  /// A call of a procedure with these values of its parameters.
  std::uint32_t add_call(std::uint32_t procedure, const std::vector<std::string>& arguments);
  /// One node for several of one shape. What it stands for is counted afterwards: line_counts.hpp.
  /// @param node    any of them
  /// @param values  in place of theirs, in the order of add_values()
  std::uint32_t add_common(std::uint32_t node, std::span<const std::string>& values);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::uint32_t>& list(std::uint32_t index) const { return *lists_[index]; }
  void replace_list(std::uint32_t index, std::vector<std::uint32_t> list) {
    lists_[index] = kept(std::move(list));
  }
  std::size_t lists() const { return lists_.size(); }
  const std::vector<Body>& procedures() const { return procedures_; }

  /// Values of a node and of all that is below it, those above first; see value_slots.hpp.
  void add_values(std::uint32_t node, ValuesAt& values,
                  std::vector<std::string>* names = nullptr) const;

  const ValueTable& values() const { return shared_->values; }

  /// What is asked of nodes next is of the lists as they are now.
  void measure_anew();
  struct Measure {
    std::int64_t lines = 0;
    std::uint32_t shape = kNone; // equal for nodes that differ in values only
  };
  Measure measured(std::uint32_t node);
  void forget_measures(); // copies are cheap then

  /// Statements, and the procedures that they call, which come into the text when they are first
  /// called, behind those that they call.
  std::vector<Statement> statements_of(std::uint32_t list, LogicalText& text);

private:
  // What copies of the graph have in common: what one of them adds says the same in the others, and
  // stays where it is.
  struct Shared {
    std::deque<Head> heads;
    std::deque<std::vector<std::uint32_t>> lists;
    ValueTable values;
    std::unordered_map<std::string, std::uint32_t> shapes; // of heads
    std::unordered_map<std::string, const Head*> common; // by the head and the values put into it
  };

  std::uint32_t node_of(const Statement& statement);
  const Head* head_of(Statement statement, std::uint32_t procedure = kNone);
  const Head* with_values(const Head* head, std::span<const std::string>& values,
                          std::uint32_t procedure);
  std::uint32_t add_node(const Head* head, std::uint32_t list, std::uint32_t procedure = kNone);
  std::uint32_t add_new_list(std::vector<std::uint32_t> list);
  const std::vector<std::uint32_t>* kept(std::vector<std::uint32_t> list) {
    return &shared_->lists.emplace_back(std::move(list));
  }
  std::string name_of(std::uint32_t procedure, LogicalText& text);

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::vector<Node> nodes_;
  std::vector<const std::vector<std::uint32_t>*> lists_;
  std::vector<Body> procedures_;
  std::vector<std::uint32_t> numbers_; // of the procedures in the text
  std::vector<Measure> measures_; // of the nodes; no lines: not yet
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_shapes_; // of heads with bodies
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_lists_;
  std::unordered_map<std::string, std::uint32_t> known_nodes_;
};

} // namespace rondo::logical::internal
