// SPDX-License-Identifier: Apache-2.0
// Colours of heat maps, from light (little) to dark (much), evenly spaced for the eye. White is
// never one of them: it means nothing at all. Functions are pure.
#pragma once

#include <cstddef>

namespace rondo::present {

struct Colour {
  double red = 0; // sRGB, each in [0, 1]
  double green = 0;
  double blue = 0;
};

enum class Palette { kHeat, kGrey };

/// @param position  0 is the lightest, 1 the darkest; what lies outside is brought inside
/// @complexity      O(1)
/// @source          [ottosson2020]: a path through OKLab on which lightness falls evenly and hue
///                  runs from yellow over red to violet; a screen can show every colour on it
Colour heat_colour(double position);

/// Colours for things without an order, as different as may be: neighbours differ in hue and
/// lightness, so that they can be told apart in grey, too.
/// @param index  from 0; after twelve they come again
Colour distinct_colour(std::size_t index);

/// The same lightness, with or without colour.
Colour colour_of(Palette palette, double position);

/// OKLab lightness in [0, 1]: 0 black, 1 white.
double heat_lightness(double position);

} // namespace rondo::present
