// SPDX-License-Identifier: Apache-2.0
// What has to wait for what in a run that was played, so that it can be played again with other
// computation in a small part of the time.
//
//   RunGraph graph(8'000'000);
//   options.graph = &graph;
//   simulate(trace, network, options);
//   if (graph.is_whole()) use(graph.seconds(factor_of));
//
// A point is a moment of a rank, or of an operation behind it: after a computation, after a call's
// own time, or when it could go on. On a network that takes no time and has sends that do not wait,
// each is the latest of its rank's point before and of one other's, plus what passes. Points stand
// in the order in which they were played, behind those that they hang on.
#pragma once

#include "rondo/base/chunked.hpp"
#include "rondo/simulate/observer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rondo::simulate {

class RunGraph {
public:
  using Point = std::uint32_t; // 0: the start of the run
  struct Spot {
    std::int64_t rank = 0;
    CallPlace place;
    std::int64_t actor = 0; // the rank, or a further thread of it, as observers number them
  };
  using Scale = std::function<double(const Spot&)>; // or seconds

  /// @param most_points  with more it is not whole
  explicit RunGraph(std::uint32_t most_points) : most_(std::min(most_points, kMost)) {}

  /// What simulate() does with it. @return the new point
  Point compute(Point before, const Spot& spot, double seconds) {
    return add(before, number_of(spot), Kind::kCompute, seconds);
  }
  Point call(Point before, const Spot& spot) { return add(before, number_of(spot), Kind::kCall); }
  Point join(Point before, Point other) {
    return other == 0 || before == other ? before : add(before, other, Kind::kJoin);
  }
  void end(Point last) { ends_.push_back(last); }
  /// Something was counted and not played, or is not known by points.
  void give_up() {
    is_whole_ = false;
    steps_.clear();
  }

  bool is_whole() const { return is_whole_; }
  /// The run's end.
  /// @param scale     of computation at a spot
  /// @param inside_s  what each call takes besides; unset: nothing
  /// @complexity      O(points)
  double seconds(const Scale& scale, const Scale& inside_s = {}) const;
  /// The same for several scales, which are played side by side: by scale.
  /// @complexity O(points * scales), with the points read once for four scales
  std::vector<double> seconds_of_each(const std::vector<Scale>& scales,
                                      const Scale& inside_s = {}) const;
  /// The same if the n-th computation at a place took all ranks their mean, for each n; threads of
  /// a rank count as ranks.
  /// @complexity O(points)
  double seconds_if_even(const CallPlace& place, const Scale& inside_s = {}) const;
  /// The same if ranks that exchange messages at a place had waited only behind what they compute
  /// next: for what the other side has sent before its own wait there, in the same pass. Who waits
  /// for what hangs on that, as in a pipeline, waits as before. The graph must have calls.
  /// @complexity O(points); 4 bytes a point more
  double seconds_if_waited_later(const CallPlace& place, const Scale& inside_s = {}) const;
  /// Who is the slowest at a place, pass by pass.
  struct Slowest {
    std::int64_t rank = -1;
    /// What it alone makes passes longer by, of what they are longer than their means: nothing
    /// where another one is as slow.
    double share = 0;
  };
  /// The one with the largest share. @complexity O(points)
  Slowest slowest_at(const CallPlace& place) const;

private:
  enum class Kind : std::uint8_t { kCompute, kCall, kJoin };
  struct Step {
    Point before;
    std::uint32_t of : 30; // the spot's number, or the other point
    Kind kind : 2;
    double seconds; // of a computation
  };

  struct Pass { // the n-th computation of all ranks at a place
    double sum_s = 0;
    double ranks = 0;
    double most_s = 0;
    double next_s = 0; // the most but one
    std::int64_t slowest = -1;
    double mean_s() const { return sum_s / ranks; }
  };
  std::vector<Pass> passes_at(const CallPlace& place) const;

  static constexpr std::size_t kLanes = 4; // scales that are played side by side
  // Calls compute(step, lane) for the seconds of each computation.
  template <std::size_t kCount, class Compute>
  std::array<double, kCount> played(const Scale& inside_s, Compute compute) const;
  std::vector<double> call_costs(const Scale& inside_s) const;
  double end_of(const double* at_s) const;
  std::vector<bool> exchanges_at(const CallPlace& place) const;

  static constexpr std::uint32_t kMost = (std::uint32_t{1} << 30) - 1;
  std::uint32_t number_of(const Spot& spot);
  Point add(Point before, std::uint32_t of, Kind kind, double seconds = 0) {
    if (size() >= most_) give_up();
    if (!is_whole_) return 0;
    Step& step = steps_.add();
    step.before = before;
    step.of = of;
    step.kind = kind;
    step.seconds = seconds;
    const Point earliest = kind == Kind::kJoin ? std::min(before, of) : before;
    reach_ = std::max(reach_, size() - earliest);
    return size();
  }
  Point size() const { return static_cast<Point>(steps_.size()); }
  template <class Visit> void for_each_step(Visit visit) const { steps_.for_each(visit); }

  std::uint32_t most_;
  bool is_whole_ = true;
  Chunked<Step, std::size_t{1} << 14> steps_; // by point less 1
  Point reach_ = 0; // how far before a point those are that it hangs on, at most
  std::vector<Point> ends_; // of ranks
  std::vector<Spot> spots_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> numbers_; // by actor and place
  static constexpr std::size_t kKnown = 8; // a power of two
  using Known = std::array<std::pair<CallPlace, std::uint32_t>, kKnown>;
  std::vector<Known> known_; // by actor: places looked up last, and their numbers and 1
};

} // namespace rondo::simulate
