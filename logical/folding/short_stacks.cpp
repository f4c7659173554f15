// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/short_stacks.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

using Sites = std::vector<std::uint32_t>; // by site: the one that stands for it

Sites first_of_equal(const std::vector<trace::CallSite>& sites, std::size_t frames) {
  std::map<std::vector<std::pair<std::string_view, std::uint64_t>>, std::uint32_t> known;
  Sites firsts;
  for (const trace::CallSite& site : sites) {
    std::vector<std::pair<std::string_view, std::uint64_t>> stack;
    for (const trace::CallSite* frame = &site; stack.size() < frames;
         frame = &sites[frame->caller - 1]) {
      stack.emplace_back(frame->module, frame->offset);
      if (frame->caller == 0) break;
    }
    const auto own = static_cast<std::uint32_t>(firsts.size());
    firsts.push_back(known.emplace(std::move(stack), own).first->second);
  }
  return firsts;
}

std::uint32_t& site_of(trace::Call& call) { return call.site; }
std::uint32_t& site_of(trace::MergedCall& merged) { return merged.call.site; }

// Ranks share programs, and do so afterwards.
template <class Program> class Copies {
public:
  explicit Copies(const Sites& firsts) : firsts_(firsts) {}

  void replace(std::shared_ptr<const Program>& program) {
    std::shared_ptr<const Program>& copy = copies_[program.get()];
    if (copy == nullptr) {
      auto made = std::make_shared<Program>(*program);
      for (auto& call : made->calls) {
        std::uint32_t& site = site_of(call);
        if (site < firsts_.size()) site = firsts_[site];
      }
      copy = std::move(made);
    }
    program = copy;
  }

private:
  const Sites& firsts_;
  std::map<const Program*, std::shared_ptr<const Program>> copies_;
};

} // namespace

std::optional<ShortStacks> with_short_stacks(const trace::Trace& trace, std::size_t frames) {
  Sites firsts = first_of_equal(trace.sites, frames);
  bool joins = false;
  for (std::size_t i = 0; i < firsts.size(); ++i) joins = joins || firsts[i] != i;
  if (!joins) return std::nullopt;
  trace::Trace result = trace;
  Copies<trace::Program> programs(firsts);
  for (trace::RankClass& of : result.classes) programs.replace(of.program);
  Copies<trace::MergedProgram> merged(firsts);
  for (auto& program : result.programs) merged.replace(program);
  return ShortStacks{std::move(result), std::move(firsts)};
}

matrix::LayeredTraffic with_short_stacks(matrix::LayeredTraffic traffic, const trace::Trace& of,
                                         const ShortStacks& shorter) {
  const auto change = [&](auto& layer) {
    if (layer.site < shorter.site_for.size()) layer.site = shorter.site_for[layer.site];
    if (layer.comm != nullptr)
      layer.comm = shorter.trace.comms.data() + (layer.comm - of.comms.data());
  };
  for (matrix::Layer& layer : traffic.layers) change(layer);
  for (matrix::CollectiveLayer& layer : traffic.collectives) change(layer);
  return traffic;
}

} // namespace rondo::logical::internal
