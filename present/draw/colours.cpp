// SPDX-License-Identifier: Apache-2.0
#include "present/draw/colours.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace rondo::present {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

double cube(double x) { return x * x * x; }

double srgb(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

Colour from_oklab(double lightness, double a, double b) {
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

} // namespace

double heat_lightness(double position) { return 0.955 - 0.715 * std::clamp(position, 0.0, 1.0); }

// Chroma and hue were chosen so that no colour leaves sRGB and neighbouring steps differ by at most
// 8 % in their OKLab distance.
Colour heat_colour(double position) {
  const double t = std::clamp(position, 0.0, 1.0);
  const double chroma = 0.08 + 0.08 * std::sin(std::numbers::pi * t);
  const double hue = (105 - 175 * t) * kDegree;
  return from_oklab(heat_lightness(t), chroma * std::cos(hue), chroma * std::sin(hue));
}

Colour distinct_colour(std::size_t index) {
  constexpr double kLightness[] = {0.48, 0.72, 0.60, 0.84};
  constexpr double kHues[] = {262, 45, 150, 100, 330, 205, 20, 125, 295, 70, 180, 350};
  const double hue = kHues[index % std::size(kHues)] * kDegree;
  const double chroma = 0.12;
  return from_oklab(kLightness[index % std::size(kLightness)], chroma * std::cos(hue),
                    chroma * std::sin(hue));
}

Colour colour_of(Palette palette, double position) {
  if (palette == Palette::kHeat) return heat_colour(position);
  return from_oklab(heat_lightness(position), 0, 0);
}

} // namespace rondo::present
