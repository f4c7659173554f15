// SPDX-License-Identifier: Apache-2.0
// Small graphs are members of many families by chance. A name is plain if somebody who looks at
// the program would give it.
#pragma once

#include "rondo/topology/graph.hpp"
#include "rondo/topology/recognize.hpp"

namespace rondo::topology::internal {

/// What a name asks of a reader: 1 for what everybody knows, more for what has to be looked up, is
/// shared by few ranks, or leaves ranks out.
double effort(const Recognition& recognition);
/// The same, whether ranks are left out or not.
double effort_within(const Recognition& recognition);

/// Whether somebody who sees the graph would call it so.
bool is_plain(const Adjacency& graph, const Topology& topology);

/// Leaves out other names that nobody would give.
void keep_plain_aliases(const Adjacency& graph, Recognition& recognition);

/// Trees have many names: first stands that of which the ranks' own numbers are the cells.
void prefer_tree_in_rank_order(const Adjacency& graph, Recognition& recognition);

/// Of 6, 12, 24, 48, ... ranks an incomplete hypercube is also a grid, but not by the ranks'
/// numbers.
void prefer_bits_of_ranks(const Adjacency& graph, Recognition& recognition);

/// Three ranks of which one talks to the other two: a chain if its number is between theirs, else a
/// star.
void name_three_in_a_row(const Adjacency& graph, Recognition& recognition);

/// Dissemination is told by its directions, where its pairs are also those of other families.
void prefer_what_directions_say(const Graph& graph, Recognition& recognition);

/// An all-to-all in which some go one way only is none, unless that is so for most: near ones are
/// looked for then.
void refuse_damaged_all_to_all(const Graph& graph, Recognition& recognition);

/// A tree beside a chain easily is a second level, but no third one, which has ranks whose way to
/// each other no tree goes; of five ranks a star is.
bool is_multigrid_by_chance(const Topology& topology);

/// Levels that may be there by chance are none where some pairs talk one way only, pairs of a level
/// not about as often, or a level neither more often than all below it nor less; and levels of five
/// ranks in an odd order.
void refuse_levels_by_chance(const Graph& graph, Recognition& recognition);

/// Takes a name back.
void make_irregular(Recognition& recognition);

/// Pairs of which only one side sends, lower rank first.
std::vector<Edge> one_way_pairs(const Graph& graph);

} // namespace rondo::topology::internal
