// SPDX-License-Identifier: Apache-2.0
#include "present/time/parts_of_time.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"

#include <fmt/core.h>
#include <numeric>

namespace rondo::present {
namespace {

using efficiency::PartFactors;
using efficiency::Parts;
using efficiency::PartsBy;

constexpr double kLeastShown = 0.0005; // of the run: less is 0.0 %

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }

// Numbers of parts, that which loses most first.
std::vector<std::size_t> by_loss(const Parts& parts) {
  std::vector<std::size_t> order(parts.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts.parts[a].lost > parts.parts[b].lost;
  });
  return order;
}

const efficiency::PartWaits* waits_of(const EfficiencyShown& shown, std::size_t part) {
  const bool has = shown.waits != nullptr && part < shown.waits->parts.size();
  return has ? &shown.waits->parts[part] : nullptr;
}

std::string line_of(const EfficiencyShown& shown, std::size_t number) {
  const PartFactors& part = shown.parts->parts[number];
  const auto cell = [&](double value) {
    return heat_cell(fmt::format("{:>9}", share_text(value)), value, shown.has_colour);
  };
  const auto ideal = [&](double value, bool is_known = true) {
    return part.ideal_runtime_s && is_known ? cell(value) : fmt::format("{:>9}", "-");
  };
  const efficiency::PartWaits* waits = waits_of(shown, number);
  const auto seconds = [](double value) { return human_duration(value * 1e9); };
  return fmt::format("{:>8}{:>9}   {} {} {} {} {}{:>10}{:>10}  {}\n", share_text(part.lost),
                     share_text(part.share), cell(part.parallel), cell(part.load_balance),
                     cell(part.communication), ideal(part.serialisation),
                     ideal(part.transfer, !shown.parts->has_no_inside),
                     waits != nullptr ? seconds(waits->seconds) : "-",
                     waits != nullptr ? seconds(waits->blamed_s) : "-",
                     name_of_part(part, shown.by));
}

// What a reader may wonder at.
std::string advice(const EfficiencyShown& shown) {
  if (shown.parts->parts.size() != 1) return "";
  if (shown.by == PartsBy::kPhase && shown.parts->parts.front().name.empty())
    return "the program marks no phases; rondo_phase.h has the marks\n";
  if (shown.by == PartsBy::kProcedure && shown.parts->parts.front().name.empty())
    return "no call site has a function; record a program that was built with -g\n";
  return "";
}

nlohmann::json json_of(const EfficiencyShown& shown, std::size_t number) {
  const PartFactors& part = shown.parts->parts[number];
  nlohmann::json json = {{"name", part.name},
                         {"share_of_run", part.share},
                         {"lost", part.lost},
                         {"runtime_seconds", part.runtime_s},
                         {"useful_mean_seconds", part.useful_mean_s},
                         {"useful_max_seconds", part.useful_max_s},
                         {"slowest_rank", part.slowest_rank},
                         {"parallel_efficiency", part.parallel},
                         {"load_balance", part.load_balance},
                         {"communication_efficiency", part.communication},
                         {"ideal_runtime_seconds", nullptr},
                         {"serialisation_efficiency", nullptr},
                         {"transfer_efficiency", nullptr},
                         {"waits", nullptr}};
  if (part.ideal_runtime_s) {
    json["ideal_runtime_seconds"] = *part.ideal_runtime_s;
    json["serialisation_efficiency"] = part.serialisation;
    if (!shown.parts->has_no_inside) json["transfer_efficiency"] = part.transfer;
  }
  json["by_rank"] = nlohmann::json::array();
  for (const efficiency::PartTime& time : part.by_rank)
    json["by_rank"].push_back({{"useful_ns", time.useful_ns}, {"inside_mpi_ns", time.inside_ns}});
  if (const efficiency::PartWaits* waits = waits_of(shown, number)) {
    nlohmann::json kinds = nlohmann::json::object();
    for (std::size_t i = 0; i < efficiency::kWaitKinds; ++i)
      kinds[std::string(efficiency::text(static_cast<efficiency::WaitKind>(i)))] =
          waits->by_kind[i];
    json["waits"] = {{"seconds", waits->seconds},
                     {"by_kind_seconds", std::move(kinds)},
                     {"blamed_seconds", waits->blamed_s}};
  }
  return json;
}

} // namespace

const char* word_for(PartsBy by) {
  switch (by) {
  case PartsBy::kPhase:
    return "phase";
  case PartsBy::kCommunicator:
    return "communicator";
  case PartsBy::kFunction:
    return "function";
  case PartsBy::kProcedure:
    return "procedure";
  }
  return "";
}

std::string name_of_part(const PartFactors& part, PartsBy by) {
  if (!part.name.empty()) return escape::terminal(part.name);
  return by == PartsBy::kPhase ? "(outside of all phases)" : "(not known)";
}

std::string parts_text(const EfficiencyShown& shown) {
  const Parts& parts = *shown.parts;
  std::string text =
      fmt::format("\nwhere efficiency is lost, by {}\n{:>8}{:>9}{:>12}{:>10}{:>10}{:>10}{:>10}"
                  "{:>10}{:>10}  {}\n",
                  word_for(shown.by), "lost", "of run", "efficiency", "balance", "commun.",
                  "serial.", "transfer", "waiting", "blamed", word_for(shown.by));
  std::size_t lines = 0;
  std::size_t hidden = 0;
  for (const std::size_t number : by_loss(parts)) {
    if (parts.parts[number].share < kLeastShown) continue;
    if (++lines > shown.most) {
      ++hidden;
    } else {
      text += line_of(shown, number);
    }
  }
  if (hidden > 0) text += fmt::format("  and {} more (--top N)\n", hidden);
  if (parts.in_none >= kLeastShown)
    text += fmt::format("{:>8}{:>9}{:74}{}\n", share_text(parts.in_none), share_text(parts.in_none),
                        "", "(in none: done, paused, or without a processor)");
  text +=
      "lost: of all ranks' time, inside MPI in this part; with what is in none it adds up to "
      "100 % minus\nthe parallel efficiency. The factors are of a program that does nothing but "
      "this part.\n";
  return text + advice(shown);
}

nlohmann::json parts_json(const EfficiencyShown& shown) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::size_t number : by_loss(*shown.parts)) list.push_back(json_of(shown, number));
  return {
      {"by", word_for(shown.by)}, {"parts", std::move(list)}, {"in_none", shown.parts->in_none}};
}

} // namespace rondo::present
