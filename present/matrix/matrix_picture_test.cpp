// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_picture.hpp"

#include <cairo.h>
#include <cstdio>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Fontconfig keeps its caches until the process ends; under the leak sanitizer that is not our
// leak.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }

namespace rondo::present {
namespace {

const matrix::CommunicationMatrix kDrawnPairs =
    matrix::CommunicationMatrix::from_entries(2, {{0, 1, 1, 1000}, {1, 0, 1, 1}});

matrix::CommunicationMatrix everybody(std::int64_t ranks) {
  std::vector<matrix::MatrixEntry> entries;
  for (std::int64_t i = 0; i < ranks * ranks; ++i) {
    entries.push_back({i / ranks, i % ranks, 1, static_cast<std::uint64_t>(i + 1)});
  }
  return matrix::CommunicationMatrix::from_entries(ranks, std::move(entries));
}

// A PNG, decoded again.
class Pixels {
public:
  explicit Pixels(std::string png) : bytes_(std::move(png)) {
    surface_ = cairo_image_surface_create_from_png_stream(read, this);
  }
  ~Pixels() { cairo_surface_destroy(surface_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  bool good() const { return cairo_surface_status(surface_) == CAIRO_STATUS_SUCCESS; }
  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }

  int brightness(int x, int y) const {
    const unsigned char* row =
        cairo_image_surface_get_data(surface_) + y * cairo_image_surface_get_stride(surface_);
    return row[4 * x] + row[4 * x + 1] + row[4 * x + 2];
  }

private:
  static cairo_status_t read(void* self, unsigned char* data, unsigned int length) {
    auto& pixels = *static_cast<Pixels*>(self);
    if (pixels.at_ + length > pixels.bytes_.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, pixels.bytes_.data() + pixels.at_, length);
    pixels.at_ += length;
    return CAIRO_STATUS_SUCCESS;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  cairo_surface_t* surface_ = nullptr;
};

bool parses_as_xml(const std::string& text) {
  std::FILE* python =
      ::popen("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.stdin)'", "w");
  if (!python) return false;
  std::fwrite(text.data(), 1, text.size(), python);
  return ::pclose(python) == 0;
}

TEST(MatrixPicture, PngHasItsSignatureAndSize) {
  const std::string png = *draw_matrix(kDrawnPairs, PictureFormat::kPng, {.pixels_per_point = 1});
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const Pixels small(png);
  ASSERT_TRUE(small.good());
  EXPECT_GT(small.width(), 640);
  EXPECT_GT(small.height(), 640);
  const Pixels large(*draw_matrix(kDrawnPairs, PictureFormat::kPng, {.pixels_per_point = 2}));
  EXPECT_EQ(large.width(), 2 * small.width());
}

// The plot of two ranks is 640 points wide and begins at (52, 126): cells of 320.
TEST(MatrixPicture, MuchIsDarkLittleIsLightNothingIsWhite) {
  const Pixels pixels(*draw_matrix(kDrawnPairs, PictureFormat::kPng, {.pixels_per_point = 1}));
  const int nothing = pixels.brightness(52 + 100, 126 + 100);
  const int much = pixels.brightness(52 + 320 + 100, 126 + 100);
  const int little = pixels.brightness(52 + 100, 126 + 320 + 100);
  EXPECT_EQ(nothing, 3 * 255);
  EXPECT_LT(much, 150);
  EXPECT_GT(little, 600);
  EXPECT_LT(little, nothing);
}

TEST(MatrixPicture, SvgIsXmlWithTheSizeOfThePng) {
  const std::string svg = *draw_matrix(kDrawnPairs, PictureFormat::kSvg);
  EXPECT_THAT(svg, testing::HasSubstr("<svg "));
  EXPECT_TRUE(parses_as_xml(svg));
  const Pixels png(*draw_matrix(kDrawnPairs, PictureFormat::kPng, {.pixels_per_point = 1}));
  EXPECT_THAT(svg, testing::HasSubstr("width=\"" + std::to_string(png.width()) + "px\""));
}

TEST(MatrixPicture, TextOfASvgIsTextAndCellsHaveTooltips) {
  const std::string svg =
      *draw_matrix(kDrawnPairs, PictureFormat::kSvg,
                   {.title = "a < b & c", .about = "lmp · 2 ranks · all messages"});
  EXPECT_THAT(svg,
              testing::HasSubstr("<title>a &lt; b &amp; c: lmp · 2 ranks · all messages</title>"));
  EXPECT_THAT(svg, testing::HasSubstr(">a &lt; b &amp; c</text>"));
  EXPECT_THAT(svg, testing::HasSubstr(">lmp · 2 ranks · all messages</text>"));
  EXPECT_THAT(svg, testing::HasSubstr("rotate(-90 "));
  EXPECT_THAT(svg, testing::HasSubstr("<title>rank 0 to rank 1: 1.0 kB</title>"));
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("<symbol"))); // outlines of letters
  EXPECT_TRUE(parses_as_xml(svg));
}

TEST(MatrixPicture, ManyCellsBecomeOneSharpImage) {
  const std::string svg = *draw_matrix(everybody(150), PictureFormat::kSvg);
  EXPECT_THAT(svg, testing::HasSubstr("<image image-rendering=\"optimizeSpeed\""));
  EXPECT_TRUE(parses_as_xml(svg));
  EXPECT_LT(svg.size(), 500'000u);
}

TEST(MatrixPicture, DrawsAnySize) {
  for (const std::int64_t ranks : {1, 2, 17, 641, 1001, 100'000}) {
    const auto matrix = matrix::CommunicationMatrix::from_entries(ranks, {{0, ranks - 1, 1, 8}});
    for (const auto scale : {ScaleKind::kLinear, ScaleKind::kLogarithmic}) {
      const auto png =
          draw_matrix(matrix, PictureFormat::kPng, {.scale = scale, .pixels_per_point = 1});
      ASSERT_TRUE(png) << png.error().text();
      EXPECT_LE(Pixels(*png).width(), 1300);
    }
  }
}

TEST(MatrixPicture, ShowsThatNobodyTalks) {
  const auto empty = matrix::CommunicationMatrix::from_entries(4, {});
  EXPECT_TRUE(draw_matrix(empty, PictureFormat::kPng));
  const std::string sentence = ">No messages between ranks were counted.</text>";
  EXPECT_THAT(*draw_matrix(empty, PictureFormat::kSvg), testing::HasSubstr(sentence));
  EXPECT_THAT(*draw_matrix(kDrawnPairs, PictureFormat::kSvg),
              testing::Not(testing::HasSubstr(sentence)));
}

TEST(MatrixPicture, RefusesWhatCannotBeDrawn) {
  EXPECT_EQ(draw_matrix({}, PictureFormat::kPng).error().code, ErrorCode::kUsage);
  for (const PictureOptions& options :
       {PictureOptions{.most_cells = 0}, PictureOptions{.pixels_per_point = 0},
        PictureOptions{.pixels_per_point = 1000},
        PictureOptions{.measure = {matrix::Quantity::kBytesPerSecond}}}) {
    EXPECT_EQ(draw_matrix(kDrawnPairs, PictureFormat::kPng, options).error().code,
              ErrorCode::kUsage);
  }
}

} // namespace
} // namespace rondo::present
