// SPDX-License-Identifier: Apache-2.0
// A 27-point average on a periodic 3-D grid: every rank talks to the 26 blocks around its own,
// across faces, edges and corners. Directions that lead to the same rank, or back to the rank
// itself, are told apart by their tags.
//   mpirun -n 8 halo3d [rounds]
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kCells = 4; // per side of a block
constexpr int kSide = kCells + 2;
constexpr int kDirections = 27;
constexpr int kCentre = 13;
using Block = std::array<double, kSide * kSide * kSide>;
using Triple = std::array<int, 3>;

int index_of(int x, int y, int z) { return (x * kSide + y) * kSide + z; }

Triple offset_of(int direction) {
  return {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
}

// The cells next to one side of a block: the last of its own to be sent, or those of the frame to
// be filled.
MPI_Datatype slab(const Triple& towards, bool frame) {
  Triple whole{kSide, kSide, kSide}, size{}, start{};
  for (int d = 0; d < 3; d++) {
    size[d] = towards[d] == 0 ? kCells : 1;
    const int low = frame ? 0 : 1, high = frame ? kCells + 1 : kCells;
    start[d] = towards[d] > 0 ? high : towards[d] < 0 ? low : 1;
  }
  MPI_Datatype type;
  MPI_Type_create_subarray(3, whole.data(), size.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &type);
  MPI_Type_commit(&type);
  return type;
}

struct Link {
  int rank, send_tag, receive_tag;
  MPI_Datatype inner, outer;
};

std::vector<Link> links_of(MPI_Comm grid, const Triple& place) {
  std::vector<Link> links;
  for (int direction = 0; direction < kDirections; direction++) {
    if (direction == kCentre) continue;
    const Triple towards = offset_of(direction);
    Triple there;
    for (int d = 0; d < 3; d++) there[d] = place[d] + towards[d]; // the grid wraps them
    Link link{0, direction, kDirections - 1 - direction, slab(towards, false), slab(towards, true)};
    MPI_Cart_rank(grid, there.data(), &link.rank);
    links.push_back(link);
  }
  return links;
}

void swap_frames(Block& u, const std::vector<Link>& links, MPI_Comm grid) {
  std::vector<MPI_Request> requests;
  for (const Link& link : links)
    MPI_Irecv(u.data(), 1, link.outer, link.rank, link.receive_tag, grid, &requests.emplace_back());
  for (const Link& link : links)
    MPI_Isend(u.data(), 1, link.inner, link.rank, link.send_tag, grid, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

template <class Function> void for_each_cell(Function visit) {
  for (int x = 1; x <= kCells; x++)
    for (int y = 1; y <= kCells; y++)
      for (int z = 1; z <= kCells; z++) visit(x, y, z);
}

Block average(const Block& u) {
  Block next{};
  for_each_cell([&](int x, int y, int z) {
    double sum = 0;
    for (int direction = 0; direction < kDirections; direction++) {
      const Triple by = offset_of(direction);
      sum += u[index_of(x + by[0], y + by[1], z + by[2])];
    }
    next[index_of(x, y, z)] = sum / kDirections;
  });
  return next;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  int ranks, rank;
  Triple dims{}, periodic{1, 1, 1}, place{};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, dims.data());
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims.data(), periodic.data(), 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, place.data());

  // A wave of one period per side only loses height when averaged, by a factor that is known.
  Triple period;
  double damping = 1;
  for (int d = 0; d < 3; d++) {
    period[d] = dims[d] * kCells;
    damping *= (1 + 2 * std::cos(2 * M_PI / period[d])) / 3;
  }
  const auto wave = [&](int x, int y, int z) {
    double height = 1;
    const Triple cell{x, y, z};
    for (int d = 0; d < 3; d++)
      height *= std::cos(2 * M_PI * (place[d] * kCells + cell[d]) / period[d] + 0.3 + d);
    return height;
  };

  Block u{};
  double height = 1, error = 0;
  for_each_cell([&](int x, int y, int z) { u[index_of(x, y, z)] = wave(x, y, z); });
  const std::vector<Link> links = links_of(grid, place);
  for (int round = 0; round < rounds; round++) {
    swap_frames(u, links, grid);
    u = average(u);
    height *= damping;
    for_each_cell([&](int x, int y, int z) {
      error = std::fmax(error, std::fabs(u[index_of(x, y, z)] - height * wave(x, y, z)));
    });
  }

  double worst = 0;
  MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, grid);
  const bool failed = !(worst < 1e-12);
  if (rank == 0 && failed)
    std::fprintf(stderr, "halo3d: expected an error below 1e-12, came %g\n", worst);
  else if (rank == 0)
    std::printf("halo3d: ok, %d ranks as %d x %d x %d, %d rounds\n", ranks, dims[0], dims[1],
                dims[2], rounds);
  for (Link link : links) {
    MPI_Type_free(&link.inner);
    MPI_Type_free(&link.outer);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return failed;
}
