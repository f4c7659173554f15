// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/statistics_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

Statistics sample() {
  StatisticsBuilder builder(4);
  builder.add_point_to_point(0, 1, 100, 4096);
  builder.add_point_to_point(1, 0, 50, 0);
  builder.add_point_to_point(0, -1, 1, 8);
  builder.add_collective("MPI_Allreduce", 40, 320);
  builder.add_collective("MPI_Bcast", 10, 100'000);
  return builder.build();
}

TEST(StatisticsText, PrintsTheFiveMeasurements) {
  EXPECT_EQ(statistics_text(sample()),
            R"(4 ranks: 150 point-to-point messages (410 kB), 50 collective calls (100 kB)

Message density                    least      mean      most
  per pair that talks                 50        75       100   most: 0 to 1
  sent by a rank                       0      37.5       100
  2 of 16 pairs talk (13 %)

Data density                       least      mean      most
  per pair that talks                0 B    205 kB    410 kB   most: 0 to 1
  sent by a rank                     0 B    102 kB    410 kB

Collectives and point-to-point  per rank  of calls  of bytes
  point-to-point                    37.5      75 %      80 %  ██████████████████
  collectives                       12.5      25 %      20 %  ██████

Collectives by type                calls  of calls     bytes
  MPI_Allreduce                       40      80 %     320 B  ███████████████████▎
  MPI_Bcast                           10      20 %    100 kB  ████▊

Message sizes                   messages   of them     bytes                            collectives
  up to 16 B                          50      33 %       0 B  ████████                           40
  up to 64 B                           -
  up to 256 B                          -
  up to 1 KiB                          -
  up to 4 KiB                        100      67 %    410 kB  ████████████████
  up to 16 KiB                         -                                                         10
  up to 64 KiB                         -
  up to 256 KiB                        -
  up to 1 MiB                          -
  up to 4 MiB                          -
  up to 16 MiB                         -
  up to 64 MiB                         -
  above 64 MiB                         -
  50 messages of 0 B, among those up to 16 B

1 message to or from ranks that do not exist, left out above
)");
}

} // namespace
} // namespace rondo::matrix
