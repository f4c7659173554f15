// SPDX-License-Identifier: Apache-2.0
#include "fold/flow/flow_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::fold {
namespace {

using Places = std::vector<std::uint32_t>;
using Steps = std::vector<std::set<std::uint32_t>>;

// Strongly connected components of some of the places [tarjan1972].
class Components {
public:
  Components(const Steps& next, const Places& among) : next_(next) {
    for (const std::uint32_t place : among) states_[place] = {};
    for (const std::uint32_t place : among) {
      if (states_[place].number == 0) visit(place);
    }
  }

  /// Each goes only to those before it.
  std::vector<Places> take() { return std::move(components_); }

private:
  struct State {
    std::uint32_t number = 0;
    std::uint32_t lowest = 0;
    bool is_open = false;
  };
  struct Visit {
    std::uint32_t place;
    std::set<std::uint32_t>::const_iterator next;
  };

  void open(std::uint32_t place) {
    ++count_;
    states_[place] = {count_, count_, true};
    open_.push_back(place);
    visits_.push_back({place, next_[place].begin()});
  }

  void visit(std::uint32_t root) {
    open(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      State& state = states_.at(visit.place);
      if (visit.next == next_[visit.place].end()) {
        close();
        continue;
      }
      const auto to = states_.find(*visit.next++);
      if (to == states_.end()) continue;
      if (to->second.number == 0) {
        open(to->first);
      } else if (to->second.is_open) {
        state.lowest = std::min(state.lowest, to->second.number);
      }
    }
  }

  void close() {
    const std::uint32_t place = visits_.back().place;
    const State state = states_.at(place);
    visits_.pop_back();
    if (!visits_.empty()) {
      State& before = states_.at(visits_.back().place);
      before.lowest = std::min(before.lowest, state.lowest);
    }
    if (state.lowest != state.number) return;
    Places component;
    do {
      component.push_back(open_.back());
      states_.at(open_.back()).is_open = false;
      open_.pop_back();
    } while (component.back() != place);
    components_.push_back(std::move(component));
  }

  const Steps& next_;
  std::map<std::uint32_t, State> states_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  std::vector<Places> components_;
  std::uint32_t count_ = 0;
};

class FlowOrder {
public:
  explicit FlowOrder(const Flow& flow) : flow_(flow), next_(flow.next), items_(1) {
    Places all(flow.next.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    put_in_order(all, flow.first, 0);
  }

  std::vector<FlowItem> take() { return std::move(items_); }

private:
  bool is_before(std::uint32_t a, std::uint32_t b) const {
    return std::pair(flow_.in_source[a], a) < std::pair(flow_.in_source[b], b);
  }

  std::uint32_t first_in_source(const Places& places) const {
    return *std::min_element(places.begin(), places.end(),
                             [&](auto a, auto b) { return is_before(a, b); });
  }

  std::uint32_t add_item(std::uint32_t loop, std::uint32_t place) {
    const auto number = static_cast<std::uint32_t>(items_.size());
    items_.push_back({place, {}, loop, static_cast<std::uint32_t>(items_[loop].items.size())});
    items_[loop].items.push_back(number);
    return number;
  }

  // Items of a loop behind its head.
  void put_in_order(const Places& places, const std::set<std::uint32_t>& entries,
                    std::uint32_t loop) {
    const std::vector<Places> components = Components(next_, places).take();
    std::map<std::uint32_t, std::size_t> component_of;
    for (std::size_t c = 0; c < components.size(); ++c) {
      for (const std::uint32_t place : components[c]) component_of[place] = c;
    }
    std::vector<std::set<std::size_t>> next(components.size());
    std::vector<std::size_t> waits_for(components.size(), 0);
    std::vector<Places> entered(components.size()); // where
    for (const std::uint32_t place : places) {
      const std::size_t from = component_of[place];
      if (entries.contains(place)) entered[from].push_back(place);
      for (const std::uint32_t to : next_[place]) {
        const auto other = component_of.find(to);
        if (other == component_of.end() || other->second == from) continue;
        entered[other->second].push_back(to);
        if (next[from].insert(other->second).second) ++waits_for[other->second];
      }
    }
    const auto later = [&](std::size_t a, std::size_t b) {
      return is_before(first_in_source(components[b]), first_in_source(components[a]));
    };
    std::vector<std::size_t> ready; // a heap
    const auto add_ready = [&](std::size_t component) {
      ready.push_back(component);
      std::push_heap(ready.begin(), ready.end(), later);
    };
    for (std::size_t c = 0; c < components.size(); ++c) {
      if (waits_for[c] == 0) add_ready(c);
    }
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const std::size_t c = ready.back();
      ready.pop_back();
      add_component(components[c], entered[c], loop);
      for (const std::size_t to : next[c]) {
        if (--waits_for[to] == 0) add_ready(to);
      }
    }
  }

  void add_component(const Places& places, const Places& entered, std::uint32_t loop) {
    const bool is_loop = places.size() > 1 || next_[places.front()].contains(places.front());
    if (!is_loop) {
      add_item(loop, places.front());
      return;
    }
    const std::uint32_t head = first_in_source(entered.empty() ? places : entered);
    const std::uint32_t number = add_item(loop, FlowItem::kLoop);
    const bool is_apart = places.size() > 1 && flow_.repeated.contains(head);
    const Places inner = is_apart ? Places{} : loop_at_same_head(places, head);
    const bool is_nest = is_apart || !inner.empty();
    const std::uint32_t first = is_nest ? add_item(number, FlowItem::kLoop) : number;
    add_item(first, head);
    // What is left without the steps back to the head, or to where a branch begins that stands
    // there in its place.
    std::set<std::uint32_t> entries(entered.begin(), entered.end());
    entries.insert(next_[head].begin(), next_[head].end());
    Places rest;
    for (const std::uint32_t place : places) {
      next_[place].erase(head);
      for (const std::uint32_t other : entered) {
        if (!is_before(place, other)) next_[place].erase(other);
      }
      const bool is_inner = std::find(inner.begin(), inner.end(), place) != inner.end();
      if (is_inner) entries.insert(next_[place].begin(), next_[place].end());
      if (place != head && !is_inner) rest.push_back(place);
    }
    if (!inner.empty()) put_in_order(inner, entries, first);
    if (!rest.empty()) put_in_order(rest, entries, number);
  }

  // Places behind the head from which walks come back to it in a loop within the loop: over
  // neighbours, say, at the beginning of each step. Walks go round the outer one equally often, and
  // the inner one equally often each time, but not all of them as often as the others. Empty if
  // there is no such loop; where all go round alike it could as well be an `if` in some rounds.
  Places loop_at_same_head(const Places& places, std::uint32_t head) const {
    constexpr std::size_t kMostPlaces = 200; // all pairs are looked at
    if (places.size() > kMostPlaces) return {};
    Places smallest;
    for (const std::uint32_t last : places) {
      if (last == head || !next_[last].contains(head)) continue;
      Places body = before(last, places, head);
      if (smallest.empty() || body.size() < smallest.size()) smallest = std::move(body);
    }
    if (smallest.size() + 1 >= places.size()) return {};
    std::uint64_t outer_rounds = 0; // of all walks
    std::set<std::uint64_t> inner_rounds; // for each outer one
    for (const auto& steps : flow_.steps) {
      std::uint64_t inner = 0;
      std::uint64_t all = 0;
      for (const auto& [step, times] : steps) {
        if (step.second != head) continue;
        all += times;
        const bool is_inner = step.first == head || std::find(smallest.begin(), smallest.end(),
                                                              step.first) != smallest.end();
        if (is_inner) inner += times;
      }
      if (all == 0) continue;
      const std::uint64_t outer = all - inner;
      if (outer < 2 || inner % outer != 0 || (outer_rounds != 0 && outer != outer_rounds))
        return {};
      outer_rounds = outer;
      inner_rounds.insert(inner / outer);
    }
    return inner_rounds.size() > 1 ? smallest : Places{};
  }

  // The place, and those from which one comes to it without the head.
  Places before(std::uint32_t last, const Places& among, std::uint32_t head) const {
    Places result{last};
    for (std::size_t i = 0; i < result.size(); ++i) {
      for (const std::uint32_t place : among) {
        const bool is_known = std::find(result.begin(), result.end(), place) != result.end();
        if (place != head && !is_known && next_[place].contains(result[i])) result.push_back(place);
      }
    }
    return result;
  }

  const Flow& flow_;
  Steps next_; // without those back to heads
  std::vector<FlowItem> items_;
};

} // namespace

std::vector<FlowItem> order_of_flow(const Flow& flow) { return FlowOrder(flow).take(); }

} // namespace rondo::fold
