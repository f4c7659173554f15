// SPDX-License-Identifier: Apache-2.0
#include "present/time/efficiency_picture.hpp"

#include "present/draw/canvas.hpp"
#include "present/draw/value_scale.hpp"
#include "present/time/parts_of_time.hpp"
#include "present/words.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>
#include <utility>

namespace rondo::present {
namespace {

using efficiency::Factors;

constexpr Colour kPaper{1, 1, 1};
constexpr Colour kPen{0.2, 0.2, 0.2};
constexpr Colour kFaint{0.45, 0.45, 0.45};
constexpr Colour kRule{0.88, 0.88, 0.88};
constexpr Colour kBusy{0.36, 0.58, 0.80}; // computing
constexpr Colour kCarried{0.70, 0.70, 0.70}; // transferring
constexpr double kSheet = 860, kSheetHeight = 430;
constexpr double kPlotLeft = 84, kPlotRight = 190, kPlotTop = 66, kPlotBottom = 58;
constexpr std::size_t kMostBars = 200;
constexpr std::size_t kMostParts = 6; // with a colour of their own

Colour paler(const Colour& colour) {
  const auto half = [](double value) { return (value + 1.2) / 2.2; };
  return {half(colour.red), half(colour.green), half(colour.blue)};
}

struct Plot {
  double width = kSheet - kPlotLeft - kPlotRight;
  double height = kSheetHeight - kPlotTop - kPlotBottom;
  double y(double place) const { return kPlotTop + height * (1 - place); }
};

void draw_heading(Canvas& canvas, const std::string& title, const std::string& below) {
  canvas.rectangle(0, 0, kSheet, kSheetHeight, kPaper);
  canvas.text(16, 26, title, {14, true}, kSheet - 32);
  canvas.text(16, 45, below, {11, false, kFaint}, kSheet - 32);
}

void draw_key(Canvas& canvas, std::size_t line, const Colour& colour, const std::string& text) {
  const double x = kSheet - kPlotRight + 16;
  const double y = kPlotTop + 10 + 20 * static_cast<double>(line);
  canvas.rectangle(x, y - 10, 12, 12, colour);
  canvas.text(x + 18, y, text, {}, kPlotRight - 40);
}

// Ranks ------------------------------------------------------------------------------------------

struct Layer { // of the stack, from below
  std::string name;
  Colour colour;
  std::vector<double> seconds; // by bar
};

class RankBars {
public:
  explicit RankBars(const EfficiencyShown& shown)
      : shown_(shown), ranks_(shown.factors.by_rank.size()),
        block_((ranks_ + kMostBars - 1) / kMostBars) {}

  std::size_t block() const { return block_; }
  std::size_t bars() const { return block_ == 0 ? 0 : (ranks_ + block_ - 1) / block_; }
  std::string name(std::size_t bar) const {
    const std::size_t first = bar * block_;
    const std::size_t last = std::min(first + block_, ranks_) - 1;
    return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {}-{}", first, last);
  }

  // Only what there is.
  std::vector<Layer> layers() const { return shown_.parts ? part_layers() : wait_layers(); }

private:
  std::vector<Layer> wait_layers() const {
    std::vector<Layer> all;
    add(all, "computing", kBusy,
        [&](std::size_t rank) { return shown_.factors.by_rank[rank].useful_s; });
    if (shown_.waits != nullptr) {
      const auto kinds = used_kinds();
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        const double heat = 0.15 + 0.7 * static_cast<double>(i) /
                                       static_cast<double>(std::max<std::size_t>(kinds.size(), 2));
        const auto kind = static_cast<efficiency::WaitKind>(kinds[i]);
        add(all, std::string(efficiency::text(kind)), heat_colour(heat),
            [&, index = kinds[i]](std::size_t rank) { return waited(rank, index); });
      }
    }
    add(all, rest_of_inside(), kCarried, [&](std::size_t rank) { return carried(rank); });
    return all;
  }

  std::string rest_of_inside() const {
    if (shown_.waits == nullptr) return "inside MPI";
    return shown_.factors.is_crowded ? "in MPI, or no processor" : "transferring, and MPI itself";
  }

  // Of each part its computing and, paler, its time inside MPI; the shorter parts are one.
  std::vector<Layer> part_layers() const {
    std::vector<const efficiency::PartFactors*> parts;
    for (const efficiency::PartFactors& part : shown_.parts->parts) parts.push_back(&part);
    sort_stably(parts.begin(), parts.end(),
                [](const auto* a, const auto* b) { return a->share > b->share; });
    std::vector<Layer> all;
    for (std::size_t i = 0; i < parts.size(); i = i < kMostParts ? i + 1 : parts.size()) {
      const auto first = parts.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = i < kMostParts ? first + 1 : parts.end();
      const std::string name =
          i < kMostParts ? name_of_part(**first, shown_.by) : count_of(parts.size() - i, "other");
      const Colour colour = i < kMostParts ? distinct_colour(i) : kCarried;
      const auto sum_of = [&](std::uint64_t efficiency::PartTime::*time) {
        return [first, last, time](std::size_t rank) {
          double ns = 0;
          for (auto part = first; part != last; ++part)
            ns += static_cast<double>((*part)->by_rank[rank].*time);
          return ns * 1e-9;
        };
      };
      add(all, name + ", computing", colour, sum_of(&efficiency::PartTime::useful_ns));
      add(all, name + ", in MPI", paler(colour), sum_of(&efficiency::PartTime::inside_ns));
    }
    return all;
  }

  std::vector<std::size_t> used_kinds() const {
    std::vector<std::size_t> kinds;
    for (std::size_t i = 0; i < efficiency::kWaitKinds; ++i) {
      if (shown_.waits->by_kind[i] > 0) kinds.push_back(i);
    }
    return kinds;
  }

  // Waits that were played may be longer than the rank was in MPI: the bar ends where the rank did.
  // Of several threads it is their mean, as the rest of the bar is.
  double shrink(std::size_t rank) const {
    if (shown_.factors.has_no_inside) return 1; // the run is what is played
    const efficiency::RankTime& time = shown_.factors.by_rank[rank];
    const double all = shown_.waits->by_rank[rank];
    const double mean = 1 / static_cast<double>(time.threads);
    return all * mean > time.in_mpi_s ? time.in_mpi_s / all : mean;
  }
  double waited(std::size_t rank, std::size_t kind) const {
    return shown_.waits->by_rank_and_kind[rank][kind] * shrink(rank);
  }
  double carried(std::size_t rank) const {
    const double inside = shown_.factors.by_rank[rank].in_mpi_s;
    if (shown_.waits == nullptr) return inside;
    return std::max(inside - shown_.waits->by_rank[rank] * shrink(rank), 0.0);
  }

  template <class Seconds>
  void add(std::vector<Layer>& all, std::string name, const Colour& colour, Seconds seconds) const {
    Layer layer{std::move(name), colour, std::vector<double>(bars())};
    double most = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::size_t bar = rank / block_;
      const std::size_t in_bar = std::min(block_, ranks_ - bar * block_);
      layer.seconds[bar] += seconds(rank) / static_cast<double>(in_bar);
      most = std::max(most, layer.seconds[bar]);
    }
    if (most > 0) all.push_back(std::move(layer));
  }

  const EfficiencyShown& shown_;
  std::size_t ranks_;
  std::size_t block_; // ranks of a bar
};

void draw_time_axis(Canvas& canvas, const Plot& plot, const ValueScale& scale) {
  for (const double tick : scale.ticks(6)) {
    const double y = plot.y(scale.position(tick));
    canvas.line(kPlotLeft, y, kPlotLeft + plot.width, y, kRule);
    canvas.text(kPlotLeft - 8, y + 4, tick > 0 ? human_duration(tick * 1e9) : "0",
                {11, false, kPen, Anchor::kRight});
  }
  canvas.upright_text(18, plot.y(0.5), "time", {11, true, kPen, Anchor::kCentre});
}

void draw_bars(Canvas& canvas, const Plot& plot, const RankBars& ranks,
               const std::vector<Layer>& layers, const ValueScale& scale) {
  const double step = plot.width / static_cast<double>(ranks.bars());
  const double bar = std::min(step * (step > 4 ? 0.82 : 1.0), 60.0);
  double written = -1e9;
  for (std::size_t i = 0; i < ranks.bars(); ++i) {
    const double x = kPlotLeft + step * (static_cast<double>(i) + 0.5) - bar / 2;
    double low = 0;
    for (const Layer& layer : layers) {
      const double high = low + layer.seconds[i];
      const double top = plot.y(scale.position(high));
      const double height = plot.y(scale.position(low)) - top;
      if (height > 0) canvas.rectangle(x, top, bar, height, layer.colour);
      if (layer.seconds[i] > 0)
        canvas.tooltip(x, top, bar, std::max(height, 1.0),
                       fmt::format("{}, {}: {}", ranks.name(i), layer.name,
                                   human_duration(layer.seconds[i] * 1e9)));
      low = high;
    }
    const std::string label = std::to_string(i * ranks.block());
    const double room = 7.0 * static_cast<double>(label.size());
    if (x + bar / 2 - room / 2 < written + 4) continue;
    canvas.text(x + bar / 2, plot.y(0) + 16, label, {10, false, kPen, Anchor::kCentre});
    written = x + bar / 2 + room / 2;
  }
  canvas.line(kPlotLeft, plot.y(0), kPlotLeft + plot.width, plot.y(0), kPen);
}

// What the colours of waiting stand on.
std::string ranks_subtitle(const EfficiencyShown& shown) {
  std::string text =
      fmt::format("parallel efficiency {:.1f} %, load balance {:.1f} %, communication {:.1f} %",
                  shown.factors.parallel * 100, shown.factors.load_balance * 100,
                  shown.factors.communication * 100);
  if (shown.parts) return text;
  if (shown.waits == nullptr) return text + "; who waits for whom is not known";
  text += shown.waits->is_measured ? "; waits are measured"
                                   : "; waits as the run is played on a network that takes no time";
  return shown.factors.is_crowded ? "ranks waited for processors; " + text : text;
}

// Scaling ----------------------------------------------------------------------------------------

struct FactorLine {
  std::string name;
  std::vector<std::optional<double>> values; // by run
};

std::vector<FactorLine> factor_lines(const std::vector<Factors>& runs,
                                     efficiency::ScalingKind kind) {
  std::vector<FactorLine> lines;
  const auto add = [&](const char* name, auto value) {
    FactorLine line{name, {}};
    for (const Factors& run : runs) line.values.push_back(value(run));
    lines.push_back(std::move(line));
  };
  using Value = std::optional<double>;
  const auto against = [&](const Factors& run) {
    return efficiency::scaling_of(run, runs.front(), kind);
  };
  add("global efficiency", [&](const Factors& run) { return against(run).global; });
  add("parallel efficiency", [](const Factors& run) { return Value(run.parallel); });
  add("load balance", [](const Factors& run) { return Value(run.load_balance); });
  add("communication", [](const Factors& run) { return Value(run.communication); });
  add("serialisation",
      [](const Factors& run) { return run.ideal_runtime_s ? Value(run.serialisation) : Value(); });
  add("transfer", [](const Factors& run) {
    return run.ideal_runtime_s && !run.has_no_inside ? Value(run.transfer) : Value();
  });
  add("computation scalability", [&](const Factors& run) { return against(run).computation; });
  return lines;
}

// Runs on more and more ranks stand by the logarithm of those, others side by side.
std::vector<double> places_of(const std::vector<Factors>& runs) {
  const bool is_rising =
      std::adjacent_find(runs.begin(), runs.end(), [](const Factors& a, const Factors& b) {
        return a.ranks <= 0 || b.ranks <= a.ranks;
      }) == runs.end();
  std::vector<double> places;
  const double span = is_rising && runs.size() > 1
                          ? std::log(static_cast<double>(runs.back().ranks) /
                                     static_cast<double>(runs.front().ranks))
                          : 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double even =
        runs.size() > 1 ? static_cast<double>(i) / static_cast<double>(runs.size() - 1) : 0.5;
    const double by_ranks = span > 0 ? std::log(static_cast<double>(runs[i].ranks) /
                                                static_cast<double>(runs.front().ranks)) /
                                           span
                                     : even;
    places.push_back(0.05 + 0.9 * by_ranks);
  }
  return places;
}

void draw_percents(Canvas& canvas, const Plot& plot, const ValueScale& scale) {
  for (const double tick : scale.ticks(8)) {
    const double y = plot.y(scale.position(tick));
    canvas.line(kPlotLeft, y, kPlotLeft + plot.width, y, tick == 100 ? kFaint : kRule);
    canvas.text(kPlotLeft - 8, y + 4, fmt::format("{:g} %", tick),
                {11, false, kPen, Anchor::kRight});
  }
  canvas.line(kPlotLeft, plot.y(0), kPlotLeft + plot.width, plot.y(0), kPen);
}

void draw_factor(Canvas& canvas, const Plot& plot, const ValueScale& scale,
                 const std::vector<double>& places, const FactorLine& line, const Colour& colour,
                 const std::vector<std::string>& names) {
  std::optional<std::pair<double, double>> before;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!line.values[i]) {
      before.reset();
      continue;
    }
    const double x = kPlotLeft + plot.width * places[i];
    const double y = plot.y(scale.position(*line.values[i] * 100));
    if (before) canvas.curve(before->first, before->second, x, y, 0, 1.8, colour);
    before = {x, y};
  }
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!line.values[i]) continue;
    const double x = kPlotLeft + plot.width * places[i];
    const double y = plot.y(scale.position(*line.values[i] * 100));
    canvas.disc(x, y, 3.4, colour, kPaper);
    canvas.tooltip(x - 5, y - 5, 10, 10,
                   fmt::format("{}, {}: {:.1f} %", names[i], line.name, *line.values[i] * 100));
  }
}

} // namespace

Result<std::string> draw_ranks(const EfficiencyShown& shown, PictureFormat format) {
  const RankBars ranks(shown);
  const std::vector<Layer> layers = ranks.layers();
  double most = shown.factors.runtime_s;
  for (std::size_t i = 0; i < ranks.bars(); ++i) {
    double sum = 0;
    for (const Layer& layer : layers) sum += layer.seconds[i];
    most = std::max(most, sum);
  }
  const Plot plot;
  const ValueScale scale(ScaleKind::kLinear, 0, most > 0 ? most * 1.02 : 1);
  Canvas canvas(format, kSheet, kSheetHeight, 2);
  const std::string title =
      fmt::format("{} on {}: where each rank's time goes{}", shown.name,
                  count_of(static_cast<std::uint64_t>(shown.factors.ranks), "rank"),
                  shown.parts ? fmt::format(", by {}", word_for(shown.by)) : std::string());
  canvas.title(title);
  draw_heading(canvas, title, ranks_subtitle(shown));
  draw_time_axis(canvas, plot, scale);
  if (ranks.bars() > 0) draw_bars(canvas, plot, ranks, layers, scale);
  canvas.text(kPlotLeft + plot.width / 2, kSheetHeight - 16,
              ranks.block() > 1 ? fmt::format("rank; a bar is the mean of {}", ranks.block())
                                : std::string("rank"),
              {11, true, kPen, Anchor::kCentre});
  // From above, as they stand; what is too low to be seen only has its tooltips.
  constexpr double kLeastSeen = 0.4;
  std::size_t line = 0;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const double highest = *std::max_element(layer->seconds.begin(), layer->seconds.end());
    if (plot.height * scale.position(highest) >= kLeastSeen)
      draw_key(canvas, line++, layer->colour, layer->name);
  }
  return canvas.finish();
}

Result<std::string> draw_scaling(const std::vector<std::string>& names,
                                 const std::vector<Factors>& runs, efficiency::ScalingKind kind,
                                 PictureFormat format) {
  const std::vector<FactorLine> lines = factor_lines(runs, kind);
  double most = 100;
  for (const FactorLine& line : lines) {
    for (const auto& value : line.values) most = std::max(most, value.value_or(0) * 100);
  }
  const Plot plot;
  const ValueScale scale(ScaleKind::kLinear, 0, most * 1.04);
  const std::vector<double> places = places_of(runs);
  Canvas canvas(format, kSheet, kSheetHeight, 2);
  canvas.title("Efficiency factors of " + joined(names, ", "));
  std::string below =
      kind == efficiency::ScalingKind::kStrong
          ? "against the first run: strong scaling, the same work on all ranks together"
          : "against the first run: weak scaling, the same work on each rank";
  if (std::ranges::any_of(runs, &Factors::is_crowded))
    below += "; ranks waited for processors: transfer and the efficiencies say little";
  draw_heading(canvas, "Efficiency over ranks", below);
  draw_percents(canvas, plot, scale);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double x = kPlotLeft + plot.width * places[i];
    canvas.line(x, plot.y(0), x, plot.y(0) + 5, kPen);
    canvas.text(x, plot.y(0) + 18, std::to_string(runs[i].ranks),
                {11, false, kPen, Anchor::kCentre});
    canvas.text(x, plot.y(0) + 31, names[i], {9, false, kFaint, Anchor::kCentre},
                plot.width / static_cast<double>(runs.size()));
  }
  canvas.text(kPlotLeft + plot.width / 2, kSheetHeight - 10, "ranks",
              {11, true, kPen, Anchor::kCentre});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Colour colour = distinct_colour(i);
    draw_factor(canvas, plot, scale, places, lines[i], colour, names);
    draw_key(canvas, i, colour, lines[i].name);
  }
  return canvas.finish();
}

} // namespace rondo::present
