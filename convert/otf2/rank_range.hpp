// SPDX-License-Identifier: Apache-2.0
// The events of some ranks of an OTF2 archive, read with a reader of their own, so that ranges of
// ranks can be read side by side: libotf2 has no state beyond its readers.
#pragma once

#include "convert/calls/each_rank.hpp"
#include "convert/calls/merge_forest.hpp"
#include "convert/otf2/events.hpp"
#include "convert/otf2/otf2_errors.hpp"

#include <memory>
#include <string>
#include <vector>

namespace rondo::convert::internal {

using Otf2ReaderOwner = std::unique_ptr<OTF2_Reader, decltype(&OTF2_Reader_Close)>;

/// @error  kDamaged
Result<Otf2ReaderOwner> open_otf2(const std::string& anchor);

class Otf2RankRange {
public:
  /// Ranks [first, end) of the layout. `bytes_of_event`: their mean, of which progress is told.
  Otf2RankRange(const std::string& anchor, Otf2Run& run, std::size_t first, std::size_t end,
                double bytes_of_event, Meter& meter);

  /// Adds a part for each rank.
  /// @error  kDamaged: a file that is missing or ends in the middle
  Status read(MergeForest& parts);

  std::uint64_t events() const { return read_; }
  std::uint64_t used() const { return used_; } // that became something

private:
  void read_local_definitions();
  Result<fold::RecordingPart> read_rank(std::size_t rank);
  Status read_location(std::size_t rank, OTF2_LocationRef location, Otf2Stream& stream);
  Status read_events(OTF2_EvtReader* reader, std::size_t rank, OTF2_LocationRef location);
  void report(std::uint64_t events);
  std::string event_file(OTF2_LocationRef location) const;
  tl::unexpected<Error> broken(OTF2_ErrorCode code, std::string what, std::size_t rank,
                               const std::string& file) const;

  const std::string& anchor_;
  Otf2Run& run_;
  std::size_t first_;
  std::size_t end_;
  double bytes_of_event_;
  Meter& meter_;
  Otf2ReaderOwner reader_;
  std::uint64_t read_ = 0;
  std::uint64_t used_ = 0;
};

} // namespace rondo::convert::internal
