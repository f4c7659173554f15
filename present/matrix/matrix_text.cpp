// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/matrix_text.hpp"

#include "matrix/files/text.hpp"
#include "present/draw/colours.hpp"
#include "present/draw/rank_ticks.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/binned_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

namespace rondo::present {
namespace {

using matrix::internal::blanks;
using matrix::internal::finished_line;
using matrix::internal::right;

constexpr std::int64_t kMostNumbers = 20; // ranks; more numbers than that nobody reads
constexpr std::array<std::string_view, 4> kShades{"░", "▒", "▓", "█"};
constexpr std::string_view kReset = "\x1b[0m";

int label_width(std::int64_t ranks) { return static_cast<int>(std::to_string(ranks - 1).size()); }

std::string title(const matrix::CommunicationMatrix& matrix, const matrix::Measure& measure) {
  return std::string(name_of(measure.quantity)) + " from row to column, " +
         std::to_string(matrix.ranks()) + (matrix.ranks() == 1 ? " rank" : " ranks");
}

// --- numbers
// ---------------------------------------------------------------------------------------

// Messages without bytes are messages.
std::vector<std::string> number_cells(const matrix::BinnedMatrix& cells,
                                      const matrix::BinnedMatrix& messages) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    const double value = cells.values[i];
    texts.push_back(value > 0 ? compact_number(value) : messages.values[i] > 0 ? "0" : "·");
  }
  return texts;
}

int number_width(const matrix::BinnedMatrix& cells, const std::vector<std::string>& texts) {
  int width = label_width(cells.ranks);
  for (const std::string& text : texts) width = std::max(width, matrix::internal::width_of(text));
  return width;
}

std::string number_legend(double largest) {
  constexpr std::array<std::string_view, 6> kPrefixes{"k = 1000",  "M = 10^6",  "G = 10^9",
                                                      "T = 10^12", "P = 10^15", "E = 10^18"};
  std::string legend = "· none";
  double unit = 999.5;
  for (const std::string_view prefix : kPrefixes) {
    if (largest < unit) break;
    legend += "   " + std::string(prefix);
    unit *= 1000;
  }
  return legend + "\n";
}

/// The matrix as numbers; nothing if that is wider than the terminal.
std::optional<std::string> as_numbers(const matrix::CommunicationMatrix& matrix,
                                      const TextOptions& options) {
  if (matrix.ranks() > kMostNumbers) return std::nullopt;
  const matrix::BinnedMatrix cells = binned(matrix, options.measure, kMostNumbers);
  const auto texts =
      number_cells(cells, binned(matrix, {matrix::Quantity::kMessages}, kMostNumbers));
  const int label = label_width(cells.ranks);
  const int width = number_width(cells, texts) + 1;
  if (2 + label + 1 + width * cells.side > options.columns) return std::nullopt;
  std::string text = title(matrix, options.measure) + "\n\n" + blanks(2 + label + 1);
  for (std::int64_t rank = 0; rank < cells.side; ++rank) text += right(std::to_string(rank), width);
  text += "\n";
  for (std::int64_t row = 0; row < cells.side; ++row) {
    std::string line = "  " + right(std::to_string(row), label) + " ";
    for (std::int64_t column = 0; column < cells.side; ++column) {
      line += right(texts[static_cast<std::size_t>(row * cells.side + column)], width);
    }
    text += finished_line(std::move(line));
  }
  return text + "\n" + number_legend(cells.largest);
}

// --- shades and colours
// ----------------------------------------------------------------------------

std::string escape(const char* layer, const Colour& colour) {
  const auto channel = [](double c) { return std::to_string(std::lround(c * 255)); };
  return std::string("\x1b[") + layer + ";2;" + channel(colour.red) + ";" + channel(colour.green) +
         ";" + channel(colour.blue) + "m";
}

class Map {
public:
  Map(const matrix::CommunicationMatrix& matrix, const TextOptions& options)
      : matrix_(matrix), options_(options), label_(label_width(matrix.ranks())),
        cells_(binned(matrix, options.measure, most_cells())),
        scale_(options.scale, cells_.smallest, cells_.largest) {}

  std::string text() const {
    std::string text = title(matrix_, options_.measure);
    if (cells_.block > 1) text += "; " + cells_.block_text();
    const int inner = static_cast<int>(cells_.side) * wide();
    text += "\n\n" + column_labels() + border("┌", "┐", inner);
    for (std::int64_t row = 0; row < cells_.side; row += tall()) text += line_of(row);
    return text + border("└", "┘", inner) + legend();
  }

private:
  // A character is about twice as tall as wide. With colours it shows two cells, one above the
  // other; without, a cell is two characters.
  int wide() const { return options_.colour ? 1 : 2; }
  std::int64_t tall() const { return options_.colour ? 2 : 1; }
  int most_cells() const { return (options_.columns - label_ - 5) / wide(); }

  std::string border(const char* first, const char* last, int inner) const {
    return blanks(label_ + 3) + first + matrix::internal::repeated("─", inner) + last + "\n";
  }

  std::string column_labels() const {
    const double per_cell =
        static_cast<double>(cells_.block) / wide(); // ranks a character stands for
    const std::int64_t step = rank_step(cells_.ranks, (label_ + 1) * per_cell);
    std::string line = blanks(label_ + 4);
    const int start = label_ + 4;
    for (std::int64_t rank = 0; rank < cells_.ranks; rank += step) {
      const int at = start + static_cast<int>(rank / cells_.block) * wide();
      const std::string name = std::to_string(rank);
      if (at + static_cast<int>(name.size()) > options_.columns) break;
      line += blanks(at - static_cast<int>(line.size())) + name;
    }
    return finished_line(std::move(line));
  }

  // Every fourth line is named, and the first.
  std::string row_label(std::int64_t row) const {
    const bool named = row / tall() % 4 == 0;
    return "  " + right(named ? std::to_string(row * cells_.block) : "", label_) + " │";
  }

  std::string line_of(std::int64_t row) const {
    std::string line = row_label(row);
    std::string colours; // of the character before, to say each only once
    for (std::int64_t column = 0; column < cells_.side; ++column) {
      if (!options_.colour) {
        line += shade(cells_.at(row, column));
        continue;
      }
      const std::string wanted = colours_at(row, column);
      if (wanted != colours) line += wanted;
      colours = wanted;
      line += "▀";
    }
    if (options_.colour) line += kReset;
    return line + "│\n";
  }

  std::string shade(double value) const {
    if (value <= 0) return "  ";
    const auto step = static_cast<std::size_t>(std::ceil(scale_.position(value) * kShades.size()));
    return matrix::internal::repeated(kShades[step == 0 ? 0 : step - 1], 2);
  }

  // The upper cell is the character's colour, the lower one its background. Both are always set, so
  // the map looks the same, and as in a picture, on dark and light terminals.
  std::string colours_at(std::int64_t row, std::int64_t column) const {
    const bool below = row + 1 < cells_.side;
    return escape("38", colour_of(cells_.at(row, column))) +
           (below ? escape("48", colour_of(cells_.at(row + 1, column))) : "\x1b[49m");
  }

  Colour colour_of(double value) const {
    return value > 0 ? heat_colour(scale_.position(value)) : Colour{1, 1, 1};
  }

  std::string legend() const {
    if (cells_.largest <= 0) return "  blank: none; nobody talks\n";
    std::string text = options_.colour ? "  white none" : "  blank none";
    for (std::size_t i = 0; i < kShades.size(); ++i) {
      const double most = scale_.value(static_cast<double>(i + 1) / kShades.size());
      const std::string sample = options_.colour
                                     ? escape("38", colour_of(most)) + "██" + std::string(kReset)
                                     : matrix::internal::repeated(kShades[i], 2);
      text += "   " + sample + " up to " + human_value(most, options_.measure.quantity);
    }
    return text + (scale_.logarithmic() ? "   log scale\n" : "\n");
  }

  const matrix::CommunicationMatrix& matrix_;
  const TextOptions& options_;
  int label_;
  matrix::BinnedMatrix cells_;
  ValueScale scale_;
};

} // namespace

Result<std::string> matrix_text(const matrix::CommunicationMatrix& matrix,
                                const TextOptions& options) {
  if (auto good = check_measure(options.measure); !good) return propagate(good);
  if (options.columns < 40) {
    return fail(ErrorCode::kUsage, "a matrix needs a terminal of at least 40 columns");
  }
  if (matrix.ranks() < 1) return std::string("no ranks, so nobody talks\n");
  if (options.numbers == Numbers::kIfTheyFit) {
    if (auto numbers = as_numbers(matrix, options)) return *std::move(numbers);
  }
  return Map(matrix, options).text();
}

} // namespace rondo::present
