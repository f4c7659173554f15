// SPDX-License-Identifier: Apache-2.0
// A sheet to draw on with cairo that becomes the bytes of a PNG or an SVG. Lengths are in points
// (1/96 inch), the origin is the upper left corner.
#pragma once

#include "present/draw/colours.hpp"
#include "present/matrix/matrix_picture.hpp"
#include "rondo/base/result.hpp"

#include <memory>
#include <string>
#include <vector>

struct _cairo; // cairo's own names; users of this header need not have cairo
struct _cairo_surface;

namespace rondo::present {

enum class Anchor { kLeft, kCentre, kRight };

struct TextStyle {
  double size = 11;
  bool bold = false;
  Colour colour{0.2, 0.2, 0.2};
  Anchor anchor = Anchor::kLeft;
};

class Canvas {
public:
  Canvas(PictureFormat format, double width, double height, double pixels_per_point);

  void rectangle(double x, double y, double width, double height, const Colour& colour);
  void frame(double x, double y, double width, double height, const Colour& colour);
  void line(double x1, double y1, double x2, double y2, const Colour& colour);

  /// A line of any width; with `bend` other than 0 a curve whose middle is that far to the left,
  /// seen from its start.
  void curve(double x1, double y1, double x2, double y2, double bend, double width,
             const Colour& colour);

  /// A filled circle with a thin border.
  void disc(double x, double y, double radius, const Colour& fill, const Colour& border);

  /// Text with its base line at y; `most_width` above 0 makes the letters smaller until it fits.
  void text(double x, double y, const std::string& text, const TextStyle& style,
            double most_width = 0);

  /// Text centred at (x, y) that reads from the bottom to the top.
  void upright_text(double x, double y, const std::string& text, const TextStyle& style);

  /// What the whole picture shows; an SVG's own title.
  void title(const std::string& text);

  /// What is said when a pointer rests there; of an SVG only.
  void tooltip(double x, double y, double width, double height, const std::string& text);

  /// From position 1 at the top to 0 at the bottom.
  void heat_gradient(double x, double y, double width, double height,
                     Palette palette = Palette::kHeat);

  /// One sharp-edged square of `cell` points for each pixel of `side` * `side` pixels 0x00RRGGBB.
  void pixels(double x, double y, double cell, int side, const std::vector<std::uint32_t>& colours);

  /// The finished file; the canvas is done with.
  /// @error  kIo with cairo's reason
  Result<std::string> finish();

private:
  void select(const TextStyle& style);
  void write_text(double x, double y, const std::string& text, const TextStyle& style,
                  double width); // 0: as wide as it is
  void set(const Colour& colour);

  PictureFormat format_;
  std::unique_ptr<std::string> bytes_; // cairo keeps its address
  std::string title_; // of an SVG, with its text and tooltips above all that is drawn
  std::string texts_;
  std::string tooltips_;
  std::unique_ptr<_cairo_surface, void (*)(_cairo_surface*)> surface_;
  std::unique_ptr<_cairo, void (*)(_cairo*)> cairo_;
};

} // namespace rondo::present
