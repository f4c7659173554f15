// SPDX-License-Identifier: Apache-2.0
#include "present/time/sweep_picture.hpp"

#include "present/draw/canvas.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rondo::present {
namespace {

constexpr double kSweepWidth = 640, kSweepHeight = 420;
constexpr double kSweepLeft = 84, kSweepRight = 150, kSweepTop = 64, kSweepBottom = 58;
constexpr double kDecade = 10;
constexpr double kSweepLetter = 5.8; // width of one, about
constexpr Colour kSweepInk{0.2, 0.2, 0.2};
constexpr Colour kSweepGrid{0.88, 0.88, 0.88};
constexpr Colour kWhite{1, 1, 1};

std::string seconds_text(double seconds) { return human_duration(seconds * 1e9); }
std::string rate(double bandwidth) {
  if (bandwidth < 0) return "as in the file";
  return std::isinf(bandwidth) ? "no limit" : human_bytes_per_second(bandwidth);
}

// Places on [0, 1] of values; those that no scale has (0, infinity) stand beside the others.
class Axis {
public:
  explicit Axis(std::vector<double> values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    for (const double value : values_) {
      if (value <= 0) has_zero_ = true;
      if (std::isinf(value)) has_infinity_ = true;
      if (value > 0 && !std::isinf(value)) {
        low_ = low_ == 0 ? value : std::min(low_, value);
        high_ = std::max(high_, value);
      }
    }
    is_log_ = low_ > 0 && high_ >= kDecade * low_;
    if (!is_log_ && has_zero_) { // a linear scale has it
      low_ = 0;
      has_zero_ = false;
    }
  }

  double place(double value) const {
    const double first = has_zero_ ? kBeside : 0;
    const double last = has_infinity_ ? 1 - kBeside : 1;
    if (has_zero_ && value <= 0) return 0;
    if (std::isinf(value)) return 1;
    if (high_ <= low_) return (first + last) / 2;
    const double part =
        is_log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return first + part * (last - first);
  }
  const std::vector<double>& values() const { return values_; }
  bool is_log() const { return is_log_; }

private:
  static constexpr double kBeside = 0.18;
  std::vector<double> values_;
  double low_ = 0, high_ = 0;
  bool is_log_ = false, has_zero_ = false, has_infinity_ = false;
};

// From a round number at or below all times to one at or above, in steps of 1, 2, 5.
struct TimeScale {
  explicit TimeScale(const std::vector<Predicted>& all) {
    for (const Predicted& each : all) {
      low = std::min(low, each.prediction.seconds);
      high = std::max(high, each.prediction.seconds);
    }
    if (high <= 0) high = 1;
    is_log = low > 0 && high >= kDecade * low;
    if (!is_log) {
      low = 0;
      const double step = round_up(high / 5);
      for (double tick = 0; tick < high + step * 0.999; tick += step) ticks.push_back(tick);
      high = ticks.back();
      return;
    }
    const double first = std::pow(10, std::floor(std::log10(low)));
    for (double decade = first; ticks.empty() || ticks.back() < high; decade *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (decade * factor > low / 2.6 && (ticks.empty() || ticks.back() < high))
          ticks.push_back(decade * factor);
      }
    }
    low = ticks.front();
    high = ticks.back();
  }

  double place(double seconds) const {
    if (is_log) return std::log(seconds / low) / std::log(high / low);
    return (seconds - low) / (high - low);
  }

  static double round_up(double step) {
    const double decade = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (decade * factor >= step) return decade * factor;
    }
    return 10 * decade;
  }

  double low = INFINITY, high = 0;
  bool is_log = false;
  std::vector<double> ticks;
};

struct Frame {
  double x(double place) const {
    return kSweepLeft + place * (kSweepWidth - kSweepLeft - kSweepRight);
  }
  double y(double place) const {
    return kSweepHeight - kSweepBottom - place * (kSweepHeight - kSweepTop - kSweepBottom);
  }
};

void draw_axes(Canvas& canvas, const Frame& frame, const Axis& axis, const TimeScale& times,
               bool is_latency) {
  for (const double tick : times.ticks) {
    const double y = frame.y(times.place(tick));
    canvas.line(frame.x(0), y, frame.x(1), y, kSweepGrid);
    canvas.text(frame.x(0) - 8, y + 4, seconds_text(tick), {11, false, kSweepInk, Anchor::kRight});
  }
  double written = -1e9; // right end of the last label
  for (const double value : axis.values()) {
    const double x = frame.x(axis.place(value));
    const std::string label = is_latency ? seconds_text(value) : rate(value);
    const double half = kSweepLetter * static_cast<double>(label.size()) / 2;
    canvas.line(x, frame.y(0), x, frame.y(0) + 5, kSweepInk);
    if (x - half < written + 6) continue;
    canvas.text(x, frame.y(0) + 19, label, {11, false, kSweepInk, Anchor::kCentre});
    written = x + half;
  }
  canvas.line(frame.x(0), frame.y(0), frame.x(1), frame.y(0), kSweepInk);
  canvas.line(frame.x(0), frame.y(0), frame.x(0), frame.y(1), kSweepInk);
  const std::string scale = axis.is_log() ? ", logarithmic" : "";
  canvas.text(frame.x(0.5), kSweepHeight - 16, (is_latency ? "latency" : "bandwidth") + scale,
              {11, true, kSweepInk, Anchor::kCentre});
  canvas.upright_text(16, frame.y(0.5),
                      times.is_log ? "predicted time, logarithmic" : "predicted time",
                      {11, true, kSweepInk, Anchor::kCentre});
}

std::string sweep_subtitle(const std::vector<double>& latencies, bool is_latency) {
  if (is_latency) return "predicted time, a line for each bandwidth";
  return "predicted time at a latency " + (latencies.front() < 0
                                               ? std::string("as in the file")
                                               : "of " + seconds_text(latencies.front()));
}

struct SweepPoint {
  double x = 0, y = 0;
};

void draw_line(Canvas& canvas, std::vector<SweepPoint> points, Colour colour) {
  sort_stably(points.begin(), points.end(),
              [](const SweepPoint& a, const SweepPoint& b) { return a.x < b.x; });
  for (std::size_t i = 1; i < points.size(); ++i)
    canvas.curve(points[i - 1].x, points[i - 1].y, points[i].x, points[i].y, 0, 1.8, colour);
  for (const SweepPoint& point : points) canvas.disc(point.x, point.y, 3.2, colour, kWhite);
}

void draw_legend(Canvas& canvas, double y, double bandwidth, Colour colour) {
  const double x = kSweepWidth - kSweepRight;
  canvas.curve(x + 16, y, x + 36, y, 0, 1.8, colour);
  canvas.text(x + 42, y + 4, rate(bandwidth), {}, kSweepRight - 50);
}

} // namespace

Result<std::string> draw_sweep(const std::vector<Predicted>& all, PictureFormat format,
                               const std::string& title) {
  std::map<double, std::vector<const Predicted*>> by_bandwidth;
  std::vector<double> latencies, bandwidths;
  for (const Predicted& each : all) {
    latencies.push_back(each.network.link_latency_s());
    bandwidths.push_back(each.network.link_bandwidth());
  }
  const Axis by_latency(latencies);
  const bool is_latency = by_latency.values().size() > 1;
  const Axis axis = is_latency ? by_latency : Axis(bandwidths);
  for (const Predicted& each : all)
    by_bandwidth[is_latency ? each.network.link_bandwidth() : 0].push_back(&each);
  const TimeScale times(all);
  const Frame frame;
  Canvas canvas(format, kSweepWidth, kSweepHeight, 2);
  canvas.rectangle(0, 0, kSweepWidth, kSweepHeight, kWhite);
  canvas.text(16, 26, title, {14, true}, kSweepWidth - 32);
  canvas.text(16, 45, sweep_subtitle(latencies, is_latency), {}, kSweepWidth - 32);
  draw_axes(canvas, frame, axis, times, is_latency);
  double label_y = kSweepTop + 6;
  std::size_t number = 0;
  for (auto& [bandwidth, line] : by_bandwidth) {
    const double shade = by_bandwidth.size() > 1 ? static_cast<double>(number++) /
                                                       static_cast<double>(by_bandwidth.size() - 1)
                                                 : 0.6;
    const Colour colour = heat_colour(0.25 + 0.7 * shade);
    std::vector<SweepPoint> points;
    for (const Predicted* each : line) {
      const simulate::NetworkModel& network = each->network;
      const double at = is_latency ? network.link_latency_s() : network.link_bandwidth();
      points.push_back({frame.x(axis.place(at)), frame.y(times.place(each->prediction.seconds))});
    }
    draw_line(canvas, std::move(points), colour);
    if (!is_latency) break;
    draw_legend(canvas, label_y, bandwidth, colour);
    label_y += 18;
  }
  return canvas.finish();
}

} // namespace rondo::present
