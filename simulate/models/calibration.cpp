// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/calibration.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <sstream>

namespace rondo::simulate {
namespace {

using Kind = Measurement::Kind;

constexpr double kClearlyLess = 0.99;
constexpr double kLargeError = 0.2; // of the rounds, rms: the machine is no LogGP one, or not quiet

std::vector<Measurement> of_kind(const Measurements& measurements, Kind kind) {
  std::vector<Measurement> some;
  for (const Measurement& each : measurements.all) {
    if (each.kind == kind) some.push_back(each);
  }
  return some;
}

double bytes_but_one(const Measurement& m) {
  return static_cast<double>(m.bytes > 0 ? m.bytes - 1 : 0);
}

// What a message of a train adds to a single round.
double each_s(const Measurement& train, const std::map<std::uint64_t, double>& rounds) {
  const auto round = rounds.find(train.bytes);
  if (round == rounds.end() || train.messages < 2) return -1;
  return (train.seconds - round->second) / static_cast<double>(train.messages - 1);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

struct RoundFit {
  double start_s = 0; // L + 2 o
  double byte_s = 0;
  double rendezvous_s = 0; // the question and its answer
  std::uint64_t eager_bytes = NetworkModel::kNever;
  double squares = 0; // of relative errors
};

// Half a round = start + (bytes - 1) G, and the handshake above the switch; each row divided by
// what was measured, so that all sizes count alike.
RoundFit fit_rounds(const std::vector<Measurement>& rounds, std::uint64_t eager_bytes) {
  const auto is_long = [&](const Measurement& m) { return m.bytes > eager_bytes; };
  const auto longs = std::count_if(rounds.begin(), rounds.end(), is_long);
  const bool has_step = longs >= 2 && static_cast<std::size_t>(longs) + 2 <= rounds.size();
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(rounds.size()), has_step ? 3 : 2);
  Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Measurement& m = rounds[static_cast<std::size_t>(i)];
    const double half = m.seconds / 2;
    rows(i, 0) = 1 / half;
    rows(i, 1) = bytes_but_one(m) / half;
    if (has_step) rows(i, 2) = (is_long(m) ? 1 : 0) / half;
  }
  const Eigen::VectorXd x = rows.colPivHouseholderQr().solve(ones);
  return {x(0), x(1), has_step ? x(2) : 0, eager_bytes, (rows * x - ones).squaredNorm()};
}

// A send may come back late for other reasons than a handshake, which is only where rounds have a
// step: of the sizes from which on sends wait, the one after which they fit best.
RoundFit fit_best_step(const std::vector<Measurement>& rounds, std::uint64_t eager_bytes) {
  RoundFit best = fit_rounds(rounds, eager_bytes);
  for (const Measurement& m : rounds) {
    if (m.bytes < eager_bytes || eager_bytes == NetworkModel::kNever) continue;
    const RoundFit fit = fit_rounds(rounds, m.bytes);
    if (fit.rendezvous_s > 0 && fit.squares < best.squares * kClearlyLess) best = fit;
  }
  return best;
}

double modelled_s(const NetworkModel& model, const Measurement& m) {
  double way = model.latency_s + 2 * model.overhead_s + model.bytes_s(m.bytes);
  if (m.bytes > model.eager_bytes) way += 2 * model.handshake_s;
  const double gap = std::max(model.overhead_s, model.gap_s + model.bytes_s(m.bytes));
  const double step = m.kind == Kind::kDelayed ? std::max(m.delay_s + model.overhead_s, gap) : gap;
  return 2 * way + static_cast<double>(m.messages - 1) * step;
}

// No part of a model is less than nothing.
double at_least_0(double value, const char* what, std::vector<std::string>& remarks) {
  if (value >= 0) return value;
  remarks.push_back(fmt::format("{} came out as {:.3g} s and is set to 0", what, value));
  return 0;
}

void judge(Calibration& result, const Measurements& measurements) {
  double sum = 0;
  std::size_t rounds = 0;
  for (const Measurement& m : measurements.all) {
    result.samples.push_back({m, modelled_s(result.model, m)});
    if (m.kind != Kind::kRound) continue;
    const double off = std::abs(result.samples.back().off());
    result.most = std::max(result.most, off);
    sum += off * off;
    ++rounds;
  }
  result.rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(rounds, 1)));
  if (result.rms > kLargeError) {
    result.remarks.push_back(fmt::format(
        "the model is {:.0f} % off the measured rounds (rms), at most {:.0f} %: messages "
        "of different sizes take different ways here, or the machine was not quiet",
        100 * result.rms, 100 * result.most));
  }
}

} // namespace

Result<Measurements> parse_measurements(std::string_view text, const std::string& name) {
  Measurements result;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::uint64_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    Measurement m;
    bool is_right = false;
    if (kind == "eager") {
      std::int64_t bytes = 0;
      is_right = static_cast<bool>(words >> bytes);
      if (bytes >= 0) result.eager_bytes = static_cast<std::uint64_t>(bytes);
    } else if (words >> m.messages >> m.delay_s >> m.bytes >> m.seconds) {
      m.kind = kind == "round" ? Kind::kRound : kind == "train" ? Kind::kTrain : Kind::kDelayed;
      is_right = (kind == "round" || kind == "train" || kind == "delayed") && m.messages >= 1 &&
                 m.seconds > 0 && std::isfinite(m.seconds) && m.delay_s >= 0;
      result.all.push_back(m);
    }
    if (!is_right)
      return fail(ErrorCode::kFormat, "is no measurement: '" + line + "'", {name, {}, {}, number});
  }
  return result;
}

Result<Calibration> fit_loggp(const Measurements& measurements) {
  const auto rounds = of_kind(measurements, Kind::kRound);
  const auto trains = of_kind(measurements, Kind::kTrain);
  const auto delayed = of_kind(measurements, Kind::kDelayed);
  if (rounds.size() < 4 || trains.empty() || delayed.empty()) {
    return fail(ErrorCode::kFormat, "too little was measured to fit a model: rounds of four sizes, "
                                    "trains and delayed trains are needed");
  }
  Calibration result;
  NetworkModel& model = result.model;
  model.kind = NetworkModel::Kind::kLogGP;
  std::map<std::uint64_t, double> round_s;
  for (const Measurement& m : rounds) round_s[m.bytes] = m.seconds;

  const RoundFit fit = fit_best_step(rounds, measurements.eager_bytes);
  model.eager_bytes = fit.eager_bytes;
  model.byte_s = at_least_0(fit.byte_s, "G", result.remarks);
  std::vector<double> overheads;
  for (const Measurement& m : delayed) overheads.push_back(each_s(m, round_s) - m.delay_s);
  model.overhead_s = at_least_0(mean(overheads), "o", result.remarks);
  // A message of a train takes the processor's time, too, so the overhead is no more than that.
  for (const Measurement& m : trains)
    model.overhead_s = std::min(model.overhead_s, std::max(each_s(m, round_s), 0.0));
  std::vector<double> gaps;
  for (const Measurement& m : trains)
    gaps.push_back(each_s(m, round_s) - bytes_but_one(m) * model.byte_s);
  model.gap_s = at_least_0(mean(gaps), "g", result.remarks);
  // Sending may overlap with the way: then half a round is shorter than both overheads.
  model.overhead_s = std::min(model.overhead_s, std::max(fit.start_s / 2, 0.0));
  model.latency_s = at_least_0(fit.start_s - 2 * model.overhead_s, "L", result.remarks);
  model.handshake_s = at_least_0(fit.rendezvous_s / 2, "handshake", result.remarks);
  judge(result, measurements);
  return result;
}

std::string network_file(const Calibration& calibration, const std::string& what) {
  const NetworkModel& model = calibration.model;
  const auto us = [](double seconds) { return fmt::format("{:.6g}us", seconds * 1e6); };
  std::string text = fmt::format("# LogGP, measured by rondo simulate --calibrate: {}\n", what);
  text += fmt::format("# off the measured rounds by {:.1f} % (rms), at most {:.1f} %\n",
                      100 * calibration.rms, 100 * calibration.most);
  for (const std::string& remark : calibration.remarks) text += "# " + remark + "\n";
  text += fmt::format("L = {}\no = {}\ng = {}\nG = {:.6g}ns\n", us(model.latency_s),
                      us(model.overhead_s), us(model.gap_s), model.byte_s * 1e9);
  if (model.eager_bytes != NetworkModel::kNever) {
    text += fmt::format("S = {}\nhandshake = {}\n", model.eager_bytes, us(model.handshake_s));
  }
  text += "\n#    bytes  messages  delay        measured        modelled       off\n";
  for (const Fitted& each : calibration.samples) {
    const Measurement& m = each.measured;
    text += fmt::format("# {:>8}  {:>8}  {:>8}  {:>12}  {:>14}  {:>+6.1f} %\n", m.bytes, m.messages,
                        us(m.delay_s), us(m.seconds), us(each.seconds), 100 * each.off());
  }
  return text;
}

} // namespace rondo::simulate
