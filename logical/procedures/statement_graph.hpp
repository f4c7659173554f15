// SPDX-License-Identifier: Apache-2.0
// Statements in which equal ones are one, so that a list that stands in several places is searched
// once. A procedure is a list that nodes call.
#pragma once

#include "logical/procedures/value_slots.hpp"
#include "rondo/logical/logical_text.hpp"

#include <cstdint>
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

  // A statement without its body. Copies of the graph share it.
  struct Head {
    Statement statement;
    std::vector<Value> values;
    std::vector<std::string> names; // of them
  };

  struct Node {
    std::shared_ptr<const Head> head;
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
  /// @param values  in place of theirs, in the order of add_values()
  std::uint32_t add_common(const std::vector<std::uint32_t>& nodes,
                           std::span<const std::string>& values);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::uint32_t>& list(std::uint32_t index) const { return lists_[index]; }
  std::vector<std::uint32_t>& list(std::uint32_t index) { return lists_[index]; }
  std::size_t lists() const { return lists_.size(); }
  const std::vector<Body>& procedures() const { return procedures_; }

  /// Values of a node and of all that is below it, those above first; see value_slots.hpp.
  void add_values(std::uint32_t node, ValuesAt& values,
                  std::vector<std::string>* names = nullptr) const;

  /// Anew for the lists as they are now.
  void measure();
  /// Equal for nodes that differ in values only.
  std::uint32_t shape(std::uint32_t node) const { return shapes_[node]; }
  std::int64_t lines(std::uint32_t node) const { return lines_[node]; }

  /// Statements, and the procedures that they call, which come into the text when they are first
  /// called, behind those that they call.
  std::vector<Statement> statements_of(std::uint32_t list, LogicalText& text);

private:
  std::uint32_t node_of(const Statement& statement);
  std::uint32_t add_node(Statement head, std::uint32_t list, std::uint32_t procedure = kNone);
  void measure(std::uint32_t node);
  std::string name_of(std::uint32_t procedure, LogicalText& text);

  std::vector<Node> nodes_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<Body> procedures_;
  std::vector<std::uint32_t> numbers_; // of the procedures in the text
  std::vector<std::int64_t> lines_; // of the nodes
  std::vector<std::uint32_t> shapes_;
  std::vector<std::uint32_t> head_shapes_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_shapes_; // of heads with bodies
  // Copies share it: what one of them adds says the same in the others.
  std::shared_ptr<std::unordered_map<std::string, std::uint32_t>> known_head_shapes_ =
      std::make_shared<std::unordered_map<std::string, std::uint32_t>>();
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_lists_;
  std::unordered_map<std::string, std::uint32_t> known_nodes_;
};

} // namespace rondo::logical::internal
