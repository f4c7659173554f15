// SPDX-License-Identifier: Apache-2.0
// How often are damaged graphs named rightly? Counts over a labelled corpus, as the command line
// does it: the exact name, or the nearest family. A graph that is left with fewer edits from
// another family than from its label (a ring without a link is a chain) has no right answer; it is
// left out, and counted. A test run looks at a part of the corpus (chosen_cases.hpp).
#include "rondo/topology/near.hpp"
#include "rondo/topology/recognize.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/topology/corpus.hpp"
#include "tests/topology/graphs.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace rondo::topology {
namespace {

using testing::Labelled;

const std::string kNone = "none of these";
const std::string kUnknown = "another"; // a family that the corpus does not have

struct Answer {
  Topology topology; // kIrregular if none
  std::vector<Vertex> hubs;
  std::size_t edits = 0; // missing and extra edges
  bool whole = true; // one copy, no silent ranks
};

Answer answer_to(const Adjacency& adjacency) {
  const Graph graph = Graph::from_matrix(testing::matrix_of(adjacency));
  const Recognition found = recognize(graph, {});
  if (found.recognized() && found.topology.kind != TopologyKind::kTree)
    return {found.topology, {}, 0, found.copies == 1 && found.silent_ranks == 0};
  if (const auto near = nearest(graph, {}))
    return {near->topology, near->hubs, near->missing.size() + near->extra.size(), true};
  return {{.kind = TopologyKind::kIrregular, .ranks = graph.ranks()}, {}, 0, true};
}

// All names of the same graph.
std::set<std::string> names_of(const Topology& topology) {
  const auto list = testing::all_names(testing::recognized(reference_graph(topology)));
  std::set<std::string> names(list.begin(), list.end());
  names.insert(name(topology));
  return names;
}

class Measurement {
public:
  Measurement() {
    for (const Labelled& one : testing::undamaged()) {
      if (!names_.count(name(one.topology))) names_[name(one.topology)] = names_of(one.topology);
      for (const std::string& alias : names_[name(one.topology)]) family_of_[alias] = one.family;
    }
  }

  void add(const Labelled& one) {
    const Answer answer = answer_to(one.graph);
    const bool named = answer.topology.kind != TopologyKind::kIrregular;
    const bool right = is_right(one, answer);
    if (!right && named && one.family != kNone && answer.edits <= one.missing + one.extra) {
      ++(answer.edits < one.missing + one.extra ? nearer_ : as_near_);
      ++left_out_[one.family];
      fmt::print("  {}, {}: left out, for it is nearer to {} ({} edits, not {})\n",
                 name(one.topology), one.how, name(answer.topology), answer.edits,
                 one.missing + one.extra);
      return;
    }
    const std::string family = right ? one.family : family_of(answer);
    ++answers_[one.family][family];
    if (right) {
      ++right_[one.family];
    } else {
      fmt::print("  {}, {}: {}\n", one.family == kNone ? kNone : name(one.topology), one.how,
                 named ? fmt::format("{} ({} edits, not {})", name(answer.topology), answer.edits,
                                     one.missing + one.extra)
                       : "no name");
    }
  }

  double f1(const std::string& family) const {
    double asked = 0;
    double given = 0;
    for (const auto& [label, row] : answers_) {
      for (const auto& [answer, count] : row) {
        asked += label == family ? count : 0;
        given += answer == family ? count : 0;
      }
    }
    return asked + given == 0 ? 1 : 2 * right(family) / (asked + given);
  }

  double macro_f1() const {
    double sum = 0;
    for (const auto& entry : answers_) sum += f1(entry.first);
    return sum / static_cast<double>(answers_.size());
  }

  // Every graph has one label and one answer, so this is the share of right answers.
  double micro_f1(int wrong_beside) const {
    double all = wrong_beside;
    double good = 0;
    for (const auto& [label, row] : answers_) {
      good += right(label);
      for (const auto& entry : row) all += entry.second;
    }
    return good / all;
  }

  // Graphs that are none of the families, but got a name.
  int falsely_named() const {
    int count = 0;
    for (const auto& [answer, times] : answers_.at(kNone)) count += answer == kNone ? 0 : times;
    return count;
  }

  int dropped() const { return nearer_ + as_near_; }

  void print() const {
    fmt::print("{:<20} {:>8} {:>6} {:>6} {:>6}  answers that were wrong\n", "label", "left out",
               "graphs", "right", "F1");
    for (const auto& [label, row] : answers_) {
      int all = 0;
      std::string wrong;
      for (const auto& [answer, count] : row) {
        all += count;
        const int bad = answer == label ? count - static_cast<int>(right(label)) : count;
        if (bad == 0) continue;
        wrong += fmt::format("  {} {}{}", bad, answer, answer == label ? " of another size" : "");
      }
      const auto out = left_out_.find(label);
      fmt::print("{:<20} {:>8} {:>6} {:>6} {:>6.3f}{}\n", label,
                 out == left_out_.end() ? 0 : out->second, all, right(label), f1(label), wrong);
    }
    fmt::print("F1: macro {:.4f}, micro {:.4f}; micro {:.4f} if what is left out is wrong\n",
               macro_f1(), micro_f1(0), micro_f1(dropped()));
    fmt::print("left out: {} graphs that are nearer to another family than to their label, {} that "
               "are as near\n",
               nearer_, as_near_);
  }

private:
  bool is_right(const Labelled& one, const Answer& answer) {
    if (one.family == kNone) return answer.topology.kind == TopologyKind::kIrregular;
    const std::vector<Vertex> hubs =
        one.hub < 0 ? std::vector<Vertex>{} : std::vector<Vertex>{one.hub};
    if (!answer.whole || answer.hubs != hubs) return false;
    const std::string label = name(one.topology);
    if (!names_.count(label)) names_[label] = names_of(one.topology);
    return names_[label].count(name(answer.topology)) > 0;
  }

  std::string family_of(const Answer& answer) const {
    if (answer.topology.kind == TopologyKind::kIrregular) return kNone;
    if (!answer.hubs.empty()) return "with a hub";
    const auto found = family_of_.find(name(answer.topology));
    return found == family_of_.end() ? kUnknown : found->second;
  }

  double right(const std::string& family) const {
    const auto found = right_.find(family);
    return found == right_.end() ? 0 : found->second;
  }

  std::map<std::string, std::set<std::string>> names_;
  std::map<std::string, std::string> family_of_; // by name
  std::map<std::string, std::map<std::string, int>> answers_; // label, answer
  std::map<std::string, int> right_;
  std::map<std::string, int> left_out_;
  int nearer_ = 0;
  int as_near_ = 0;
};

TEST(NearCorpus, IsNamedRightly) {
  Measurement measurement;
  std::uint64_t index =
      0; // of five in a row all damages and both numberings come for each topology in turn
  for (const auto& part :
       {testing::damaged_corpus(), testing::hub_corpus(), testing::irregular_corpus()}) {
    for (const Labelled& one : part)
      if (support::is_chosen(index++, false, 5)) measurement.add(one);
  }
  measurement.print();
  EXPECT_GE(measurement.macro_f1(), 0.97);
  EXPECT_GE(measurement.micro_f1(0), 0.97);
  EXPECT_EQ(measurement.falsely_named(), 0);
  EXPECT_LE(measurement.dropped(), support::looks_at_all_cases() ? 100 : 25);
}

} // namespace
} // namespace rondo::topology
