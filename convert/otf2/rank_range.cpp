// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/rank_range.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace rondo::convert::internal {

Result<Otf2ReaderOwner> open_otf2(const std::string& anchor) {
  Otf2ReaderOwner reader(OTF2_Reader_Open(anchor.c_str()), &OTF2_Reader_Close);
  if (!reader) {
    return tl::unexpected<Error>(
        Otf2Errors::error(OTF2_SUCCESS, "the anchor of the archive cannot be read", anchor));
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  return reader;
}

Otf2RankRange::Otf2RankRange(const std::string& anchor, Otf2Run& run, std::size_t first,
                             std::size_t end, double bytes_of_event, Meter& meter)
    : anchor_(anchor), run_(run), first_(first), end_(end), bytes_of_event_(bytes_of_event),
      meter_(meter), reader_(nullptr, &OTF2_Reader_Close) {}

Status Otf2RankRange::read(MergeForest& parts) {
  Otf2Errors::forget();
  auto reader = open_otf2(anchor_);
  if (!reader) return propagate(reader);
  reader_ = std::move(*reader);
  for (std::size_t rank = first_; rank < end_; ++rank) {
    for (const OTF2_LocationRef location : run_.layout.ranks[rank].threads)
      OTF2_Reader_SelectLocation(reader_.get(), location);
  }
  read_local_definitions();
  const OTF2_ErrorCode opened = OTF2_Reader_OpenEvtFiles(reader_.get());
  if (opened != OTF2_SUCCESS) {
    return tl::unexpected<Error>(
        Otf2Errors::error(opened, "the events of the archive cannot be read", anchor_));
  }
  for (std::size_t rank = first_; rank < end_; ++rank) {
    auto part = read_rank(rank);
    if (!part) return propagate(part);
    parts.add({static_cast<std::int64_t>(rank), 1, std::move(*part)});
  }
  OTF2_Reader_CloseEvtFiles(reader_.get());
  reader_.reset();
  return {};
}

// Maps of numbers and offsets of clocks, which libotf2 keeps for the events.
void Otf2RankRange::read_local_definitions() {
  if (OTF2_Reader_OpenDefFiles(reader_.get()) != OTF2_SUCCESS) return;
  for (std::size_t rank = first_; rank < end_; ++rank) {
    for (const OTF2_LocationRef location : run_.layout.ranks[rank].threads) {
      OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader_.get(), location);
      if (local == nullptr) continue;
      std::uint64_t count = 0;
      OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), local, &count);
      OTF2_Reader_CloseDefReader(reader_.get(), local);
    }
  }
  OTF2_Reader_CloseDefFiles(reader_.get());
}

Result<fold::RecordingPart> Otf2RankRange::read_rank(std::size_t rank) {
  CallPaths paths;
  std::vector<std::unique_ptr<Otf2Stream>> streams;
  const Otf2Rank& who = run_.layout.ranks[rank];
  for (std::size_t i = 0; i < std::max<std::size_t>(who.threads.size(), 1); ++i) {
    auto stream = std::make_unique<Otf2Stream>(run_, rank, static_cast<std::uint32_t>(i), paths);
    if (i < who.threads.size()) {
      if (auto done = read_location(rank, who.threads[i], *stream); !done) return propagate(done);
    }
    if (i == 0 || stream->has_calls()) streams.push_back(std::move(stream));
  }
  std::vector<trace::CallSite> sites = paths.take();
  fold::RecordingPart part = streams.front()->finish(sites);
  for (std::size_t i = 1; i < streams.size(); ++i) add_thread(part, streams[i]->finish(sites));
  return part;
}

Status Otf2RankRange::read_location(std::size_t rank, OTF2_LocationRef location,
                                    Otf2Stream& stream) {
  const auto defined = run_.definitions.locations.find(location);
  const std::uint64_t events =
      defined == run_.definitions.locations.end() ? 0 : defined->second.events;
  if (events == 0) return {}; // its file need not be there
  OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(reader_.get(), location);
  if (reader == nullptr) {
    return broken(OTF2_SUCCESS, "the events of a rank cannot be read", rank, event_file(location));
  }
  OTF2_EvtReader_ApplyMappingTables(reader, true);
  OTF2_EvtReader_ApplyClockOffsets(reader, true);
  Otf2EventSink sink{&run_, &stream, 0};
  const Otf2EventCallbacks callbacks = otf2_event_callbacks();
  OTF2_Reader_RegisterEvtCallbacks(reader_.get(), reader, callbacks.get(), &sink);
  auto done = read_events(reader, rank, location);
  OTF2_Reader_CloseEvtReader(reader_.get(), reader);
  used_ += sink.used;
  return done;
}

Status Otf2RankRange::read_events(OTF2_EvtReader* reader, std::size_t rank,
                                  OTF2_LocationRef location) {
  constexpr std::uint64_t kEventsBetween = 1 << 18; // reports of progress
  std::uint64_t read_here = 0;
  for (;;) {
    std::uint64_t count = 0;
    const OTF2_ErrorCode code =
        OTF2_Reader_ReadLocalEvents(reader_.get(), reader, kEventsBetween, &count);
    read_here += count;
    if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK) {
      return broken(code,
                    "the events end in the middle, behind number " + std::to_string(read_here),
                    rank, event_file(location));
    }
    report(count);
    if (count < kEventsBetween) return {}; // a further call would be an error
  }
}

// In bytes, as other readers say it.
void Otf2RankRange::report(std::uint64_t events) {
  read_ += events;
  meter_.add(static_cast<std::uint64_t>(static_cast<double>(events) * bytes_of_event_));
}

std::string Otf2RankRange::event_file(OTF2_LocationRef location) const {
  return std::filesystem::path(anchor_).replace_extension().string() + "/" +
         std::to_string(location) + ".evt";
}

tl::unexpected<Error> Otf2RankRange::broken(OTF2_ErrorCode code, std::string what, std::size_t rank,
                                            const std::string& file) const {
  Error error = Otf2Errors::error(code, std::move(what), file);
  error.place.rank = static_cast<std::int64_t>(rank);
  return tl::unexpected<Error>(std::move(error));
}

} // namespace rondo::convert::internal
