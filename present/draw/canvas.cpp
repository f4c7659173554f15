// SPDX-License-Identifier: Apache-2.0
#include "present/draw/canvas.hpp"

#include "rondo/base/escape.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <numbers>
#include <string_view>

namespace rondo::present {
namespace {

cairo_status_t append_bytes(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* make_surface(PictureFormat format, std::string* bytes, double width, double height,
                              double pixels_per_point) {
  if (format == PictureFormat::kSvg) {
    cairo_surface_t* surface =
        cairo_svg_surface_create_for_stream(append_bytes, bytes, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
  }
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                    static_cast<int>(std::lround(width * pixels_per_point)),
                                    static_cast<int>(std::lround(height * pixels_per_point)));
}

// Cairo 1.16 drops the wish for sharp edges (CAIRO_FILTER_NEAREST) when it writes an SVG.
void sharpen_images(std::string& svg) {
  constexpr std::string_view kImage = "<image ";
  constexpr std::string_view kSharp =
      "image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" ";
  for (auto at = svg.find(kImage); at != std::string::npos; at = svg.find(kImage, at)) {
    at += kImage.size();
    svg.insert(at, kSharp);
  }
}

std::string hex_of(const Colour& colour) {
  const auto part = [](double value) { return static_cast<int>(std::lround(value * 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(colour.red), part(colour.green),
                     part(colour.blue));
}

const char* anchor_name(Anchor anchor) {
  return anchor == Anchor::kLeft ? "start" : anchor == Anchor::kCentre ? "middle" : "end";
}

// Behind the start of the svg element, and before its end.
void put_inside(std::string& svg, const std::string& first, const std::string& last) {
  const auto start = svg.find("<svg");
  const auto begin = start == std::string::npos ? start : svg.find('>', start);
  const auto end = svg.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  svg.insert(end, last);
  svg.insert(begin + 1, first);
}

double offset_of(Anchor anchor, double width) {
  switch (anchor) {
  case Anchor::kLeft:
    return 0;
  case Anchor::kCentre:
    return width / 2;
  case Anchor::kRight:
    return width;
  }
  return 0;
}

} // namespace

Canvas::Canvas(PictureFormat format, double width, double height, double pixels_per_point)
    : format_(format), bytes_(std::make_unique<std::string>()),
      surface_(make_surface(format, bytes_.get(), width, height, pixels_per_point),
               cairo_surface_destroy),
      cairo_(cairo_create(surface_.get()), cairo_destroy) {
  if (format == PictureFormat::kPng) cairo_scale(cairo_.get(), pixels_per_point, pixels_per_point);
  rectangle(0, 0, width, height, {1, 1, 1});
}

void Canvas::set(const Colour& colour) {
  cairo_set_source_rgb(cairo_.get(), colour.red, colour.green, colour.blue);
}

void Canvas::rectangle(double x, double y, double width, double height, const Colour& colour) {
  set(colour);
  cairo_rectangle(cairo_.get(), x, y, width, height);
  cairo_fill(cairo_.get());
}

void Canvas::frame(double x, double y, double width, double height, const Colour& colour) {
  set(colour);
  cairo_set_line_width(cairo_.get(), 1);
  cairo_rectangle(cairo_.get(), x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke(cairo_.get());
}

void Canvas::line(double x1, double y1, double x2, double y2, const Colour& colour) {
  set(colour);
  cairo_set_line_width(cairo_.get(), 1);
  cairo_move_to(cairo_.get(), x1, y1);
  cairo_line_to(cairo_.get(), x2, y2);
  cairo_stroke(cairo_.get());
}

void Canvas::curve(double x1, double y1, double x2, double y2, double bend, double width,
                   const Colour& colour) {
  set(colour);
  cairo_set_line_width(cairo_.get(), width);
  cairo_move_to(cairo_.get(), x1, y1);
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (bend == 0 || length == 0) {
    cairo_line_to(cairo_.get(), x2, y2);
  } else { // both control points a third of the way along, 4/3 of the bend to the side
    const double dx = (x2 - x1) / 3;
    const double dy = (y2 - y1) / 3;
    const double aside_x = 4 * bend * dy / length;
    const double aside_y = -4 * bend * dx / length;
    cairo_curve_to(cairo_.get(), x1 + dx + aside_x, y1 + dy + aside_y, x2 - dx + aside_x,
                   y2 - dy + aside_y, x2, y2);
  }
  cairo_stroke(cairo_.get());
}

void Canvas::disc(double x, double y, double radius, const Colour& fill, const Colour& border) {
  cairo_new_path(cairo_.get());
  cairo_arc(cairo_.get(), x, y, radius, 0, 2 * std::numbers::pi);
  set(fill);
  cairo_fill_preserve(cairo_.get());
  set(border);
  cairo_set_line_width(cairo_.get(), 1);
  cairo_stroke(cairo_.get());
}

void Canvas::select(const TextStyle& style) {
  cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_.get(), style.size);
  set(style.colour);
}

void Canvas::text(double x, double y, const std::string& given, const TextStyle& style,
                  double most_width) {
  const std::string text = escape::terminal(given); // cairo stops at bytes that are no UTF-8
  select(style);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  if (most_width > 0 && extents.x_advance > most_width) {
    cairo_set_font_size(cairo_.get(), style.size * most_width / extents.x_advance);
    cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  }
  if (format_ == PictureFormat::kSvg) {
    const bool is_shrunk = most_width > 0 && extents.x_advance >= most_width - 0.5;
    const double width = is_shrunk ? std::min(extents.x_advance, most_width) : 0;
    write_text(x, y, text, style, width);
    return;
  }
  cairo_move_to(cairo_.get(), x - offset_of(style.anchor, extents.x_advance), y);
  cairo_show_text(cairo_.get(), text.c_str());
}

// Letters, not outlines of letters, so that a viewer can search and copy them.
void Canvas::write_text(double x, double y, const std::string& text, const TextStyle& style,
                        double width) {
  cairo_matrix_t font;
  cairo_get_font_matrix(cairo_.get(), &font);
  double dx = 1;
  double dy = 0;
  cairo_user_to_device(cairo_.get(), &x, &y);
  cairo_user_to_device_distance(cairo_.get(), &dx, &dy);
  const bool is_upright = std::abs(dy) > std::abs(dx);
  texts_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" fill=\"{}\"", x, y,
                        font.xx, hex_of(style.colour));
  if (style.anchor != Anchor::kLeft)
    texts_ += fmt::format(" text-anchor=\"{}\"", anchor_name(style.anchor));
  if (style.bold) texts_ += " font-weight=\"bold\"";
  if (is_upright) texts_ += fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y);
  if (width > 0)
    texts_ += fmt::format(" textLength=\"{:.1f}\" lengthAdjust=\"spacingAndGlyphs\"", width);
  texts_ += ">" + escape::xml(text) + "</text>\n";
}

void Canvas::title(const std::string& text) { title_ = text; }

void Canvas::tooltip(double x, double y, double width, double height, const std::string& text) {
  if (format_ != PictureFormat::kSvg) return;
  tooltips_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                           "fill=\"#fff\" fill-opacity=\"0\"><title>{}</title></rect>\n",
                           x, y, width, height, escape::xml(text));
}

void Canvas::upright_text(double x, double y, const std::string& text, const TextStyle& style) {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  TextStyle centred = style;
  centred.anchor = Anchor::kCentre;
  this->text(0, 0, text, centred);
  cairo_restore(cairo_.get());
}

void Canvas::heat_gradient(double x, double y, double width, double height, Palette palette) {
  cairo_pattern_t* gradient = cairo_pattern_create_linear(0, y + height, 0, y);
  constexpr int kStops = 32;
  for (int i = 0; i <= kStops; ++i) {
    const double position = static_cast<double>(i) / kStops;
    const Colour colour = colour_of(palette, position);
    cairo_pattern_add_color_stop_rgb(gradient, position, colour.red, colour.green, colour.blue);
  }
  cairo_set_source(cairo_.get(), gradient);
  cairo_rectangle(cairo_.get(), x, y, width, height);
  cairo_fill(cairo_.get());
  cairo_pattern_destroy(gradient);
}

void Canvas::pixels(double x, double y, double cell, int side,
                    const std::vector<std::uint32_t>& colours) {
  cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    unsigned char* data = cairo_image_surface_get_data(image);
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image));
    const std::size_t row_length = static_cast<std::size_t>(side);
    for (std::size_t row = 0; row < row_length; ++row) {
      std::memcpy(data + row * stride, colours.data() + row * row_length, row_length * 4);
    }
    cairo_surface_mark_dirty(image);
  }
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  cairo_scale(cairo_.get(), cell, cell);
  cairo_set_source_surface(cairo_.get(), image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_.get());
  cairo_restore(cairo_.get());
  cairo_surface_destroy(image);
}

Result<std::string> Canvas::finish() {
  cairo_status_t status = cairo_status(cairo_.get());
  if (status == CAIRO_STATUS_SUCCESS && format_ == PictureFormat::kPng) {
    status = cairo_surface_write_to_png_stream(surface_.get(), append_bytes, bytes_.get());
  }
  cairo_.reset();
  cairo_surface_finish(surface_.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    return fail(ErrorCode::kIo,
                std::string("the picture cannot be drawn: ") + cairo_status_to_string(status));
  }
  if (format_ == PictureFormat::kSvg) {
    sharpen_images(*bytes_);
    const std::string title = title_.empty() ? "" : "\n<title>" + escape::xml(title_) + "</title>";
    put_inside(*bytes_, title,
               "<g font-family=\"DejaVu Sans, Verdana, sans-serif\">\n" + texts_ + "</g>\n" +
                   tooltips_);
  }
  return std::move(*bytes_);
}

} // namespace rondo::present
