// SPDX-License-Identifier: Apache-2.0
#define EIGEN_MPL2_ONLY
#include "rondo/topology/spectrum.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace rondo::topology {
namespace {

using std::numbers::pi;

std::vector<double> of_dimension(const Dimension& d) {
  std::vector<double> values;
  for (Vertex j = 0; j < d.size; ++j) {
    values.push_back(d.periodic ? 2 * std::cos(2 * pi * j / d.size)
                                : 2 * std::cos(pi * (j + 1) / (d.size + 1)));
  }
  return values;
}

// One eigenvalue of the product from one of each dimension: a polynomial in them, by the stencil.
double combined(TopologyKind kind, const std::vector<double>& parts) {
  double sum = 0;
  double squares = 0;
  double product = 1;
  for (const double x : parts) {
    sum += x;
    squares += x * x;
    product *= 1 + x;
  }
  if (kind == TopologyKind::kMoore) return product - 1;
  if (kind == TopologyKind::kEighteenPoint) return sum + (sum * sum - squares) / 2;
  return sum;
}

std::vector<double> of_product(const Topology& t) {
  std::vector<std::vector<double>> factors;
  for (const Dimension& d : t.dimensions) factors.push_back(of_dimension(d));
  std::vector<double> values;
  std::vector<double> parts(factors.size());
  for (Vertex cell = 0; cell < t.ranks; ++cell) {
    const auto point = coordinates(t.dimensions, cell);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = factors[i][static_cast<std::size_t>(point[i])];
    }
    values.push_back(combined(t.kind, parts));
  }
  return values;
}

// Characters of the plane modulo the shifted lattice. With a size of two, opposite offsets coincide
// and would count twice.
std::optional<std::vector<double>> of_plane(const Topology& t) {
  const Vertex rows = t.dimensions[0].size;
  const Vertex columns = t.dimensions[1].size;
  if (std::min(rows, columns) < 3) return std::nullopt;
  std::vector<double> values;
  for (Vertex i = 0; i < rows; ++i) {
    for (Vertex j = 0; j < columns; ++j) {
      const double b = 2 * pi * j / columns;
      const double a = (2 * pi * i + b * t.shift) / rows;
      const double third = t.kind == TopologyKind::kSixPoint ? 2 * std::cos(a - b) : 0;
      values.push_back(2 * std::cos(a) + 2 * std::cos(b) + third);
    }
  }
  return values;
}

std::vector<double> of_row_column(const Topology& t) {
  std::vector<double> values;
  for (Vertex i = 0; i < t.parts[0]; ++i) {
    for (Vertex j = 0; j < t.parts[1]; ++j) {
      values.push_back((i == 0 ? t.parts[0] - 1 : -1) + (j == 0 ? t.parts[1] - 1 : -1));
    }
  }
  return values;
}

std::vector<double> of_dissemination(Vertex n) {
  std::set<std::int64_t> steps;
  for (std::int64_t step = 1; step < n; step *= 2) {
    steps.insert(step);
    steps.insert(n - step);
  }
  std::vector<double> values;
  for (Vertex j = 0; j < n; ++j) {
    double sum = 0;
    for (const std::int64_t s : steps) sum += std::cos(2 * pi * static_cast<double>(s * j % n) / n);
    values.push_back(sum);
  }
  return values;
}

std::vector<double> of_star(Vertex n) {
  std::vector<double> values(static_cast<std::size_t>(n), 0.0);
  values.front() = -std::sqrt(n - 1.0);
  values.back() = std::sqrt(n - 1.0);
  return values;
}

std::optional<std::vector<double>> unsorted(const Topology& t) {
  switch (t.kind) {
  case TopologyKind::kChain:
  case TopologyKind::kRing:
  case TopologyKind::kMesh:
  case TopologyKind::kHypercube:
  case TopologyKind::kMoore:
  case TopologyKind::kEighteenPoint:
    return of_product(t);
  case TopologyKind::kSixPoint:
  case TopologyKind::kTwistedTorus:
    return of_plane(t);
  case TopologyKind::kRowColumn:
    return of_row_column(t);
  case TopologyKind::kDissemination:
    return of_dissemination(t.ranks);
  case TopologyKind::kStar:
    return of_star(t.ranks);
  case TopologyKind::kComplete: {
    std::vector<double> values(static_cast<std::size_t>(t.ranks), -1.0);
    values.back() = t.ranks - 1.0;
    return values;
  }
  default:
    return std::nullopt;
  }
}

} // namespace

std::vector<double> spectrum(const Adjacency& graph) {
  const Eigen::Index n = graph.vertices();
  if (n == 0) return {};
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) matrix(v, w) = 1;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  const auto& values = solver.eigenvalues();
  return {values.data(), values.data() + n};
}

std::optional<std::vector<double>> closed_form_spectrum(const Topology& topology) {
  auto values = unsorted(topology);
  if (values) std::sort(values->begin(), values->end());
  return values;
}

bool same_spectrum(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](double x, double y) { return std::abs(x - y) <= tolerance; });
}

} // namespace rondo::topology
