// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/read_together.hpp"

#include "convert/calls/crew.hpp"
#include "rondo/archive/part_codec.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::convert::internal {
namespace {

using Json = nlohmann::json;

Json json_of(const Error& error) {
  Json said = {{"code", static_cast<int>(error.code)},
               {"message", error.message},
               {"file", error.place.file}};
  if (error.place.rank) said["rank"] = *error.place.rank;
  if (error.place.offset) said["offset"] = *error.place.offset;
  if (error.place.line) said["line"] = *error.place.line;
  return said;
}

Error error_of(const Json& said) {
  Error error{static_cast<ErrorCode>(said["code"].get<int>()), said["message"], {}};
  error.place.file = said["file"];
  if (said.contains("rank")) error.place.rank = said["rank"].get<std::int64_t>();
  if (said.contains("offset")) error.place.offset = said["offset"].get<std::uint64_t>();
  if (said.contains("line")) error.place.line = said["line"].get<std::uint64_t>();
  return error;
}

// What a process has read, or got from others, or why there is nothing.
struct Harvest {
  MergeForest parts;
  std::vector<Json> said{};
  std::optional<Error> error{};
};

// Encoded parts have these rounded, and what is added up would depend on who adds.
template <class Visit> void for_each_square(fold::RecordingPart& part, Visit visit) {
  for (fold::PartClass& c : part.classes) {
    for (trace::PlaceTimes& times : c.times) {
      visit(times.computation.sum_of_squares);
      visit(times.inside.sum_of_squares);
    }
  }
}

// A parcel is the length of its head, the head as CBOR, and the parts one after another.
Status hand_on(Crew& crew, Harvest&& harvest) {
  Json head = {{"said", harvest.said}, {"trees", Json::array()}};
  std::vector<std::string> encoded;
  if (harvest.error) {
    head["error"] = json_of(*harvest.error);
  } else {
    for (MergeForest::Tree& tree : harvest.parts.take()) {
      std::vector<double> squares;
      for_each_square(tree.part, [&](double& square) { squares.push_back(square); });
      encoded.push_back(archive::encode_part(std::move(tree.part)));
      head["trees"].push_back({tree.first, tree.size, encoded.back().size(), squares});
    }
  }
  const std::vector<std::uint8_t> packed = Json::to_cbor(head);
  const std::uint64_t length = packed.size();
  std::vector<std::string_view> pieces = {
      {reinterpret_cast<const char*>(&length), sizeof length},
      {reinterpret_cast<const char*>(packed.data()), packed.size()}};
  pieces.insert(pieces.end(), encoded.begin(), encoded.end());
  return crew.send(pieces);
}

Status take_parcel(const MappedFile& parcel, Harvest& into) {
  std::string_view left = parcel.view;
  std::uint64_t length = 0;
  std::memcpy(&length, left.data(), sizeof length);
  left.remove_prefix(sizeof length);
  const Json head = Json::from_cbor(left.substr(0, length));
  left.remove_prefix(length);
  if (head.contains("error")) {
    if (!into.error) into.error = error_of(head["error"]);
    return {};
  }
  for (const Json& said : head["said"]) into.said.push_back(said);
  for (const Json& tree : head["trees"]) {
    const std::size_t size = tree[2];
    auto part = archive::decode_part(left.substr(0, size), parcel.owner);
    if (!part) return propagate(part);
    std::size_t next = 0;
    for_each_square(*part, [&](double& square) { square = tree[3][next++]; });
    into.parts.add({tree[0], tree[1], std::move(*part)});
    left.remove_prefix(size);
  }
  return {};
}

void read_share(const ReadShare& read, std::size_t first, std::size_t end, Harvest& into) {
  auto said = read({first, end, into.parts});
  if (said)
    into.said.push_back(std::move(*said));
  else
    into.error = said.error();
}

Result<std::optional<Whole>> whole_of(Harvest&& harvest) {
  if (harvest.error) return tl::unexpected<Error>(std::move(*harvest.error));
  std::vector<MergeForest::Tree> trees = harvest.parts.take();
  return std::optional<Whole>({std::move(trees.front().part), std::move(harvest.said)});
}

} // namespace

Result<std::optional<Whole>> read_together(const ImportOptions& options, std::size_t ranks,
                                           const ReadShare& read) {
  Processes processes = options.processes;
  processes.all = std::clamp<std::size_t>(processes.all, 1, ranks);
  if (processes.mine >= processes.all) return std::optional<Whole>(); // more than ranks
  Harvest mine{MergeForest(static_cast<std::int64_t>(ranks), options.merges)};
  if (processes.all == 1) {
    read_share(read, 0, ranks, mine);
    return whole_of(std::move(mine));
  }
  auto crew = Crew::meet(processes);
  if (!crew) return propagate(crew);
  const std::size_t here = processes.mine;
  read_share(read, here * ranks / processes.all, (here + 1) * ranks / processes.all, mine);
  for (std::size_t step = 1; step < processes.all; step *= 2) {
    if ((here & step) != 0) {
      auto sent = hand_on(**crew, std::move(mine));
      std::error_code error; // without a folder the first process has ended, and said why
      if (!sent && std::filesystem::exists(processes.folder, error)) return propagate(sent);
      return std::optional<Whole>();
    }
    if (here + step >= processes.all || mine.error) continue;
    const auto parcel = (*crew)->receive(here + step);
    auto taken = parcel ? take_parcel(*parcel, mine) : Status(propagate(parcel));
    if (!taken && !mine.error) mine.error = taken.error();
  }
  return whole_of(std::move(mine));
}

std::uint64_t bytes_of(const std::vector<std::string>& files, const Share& share) {
  std::uint64_t total = 0;
  for (std::size_t i = share.first; i < share.end; ++i) {
    std::error_code error;
    const auto size = std::filesystem::file_size(files[i], error);
    total += error ? 0 : size;
  }
  return total;
}

void set_span(fold::RecordingPart& whole, std::uint64_t span_ns) {
  for (auto& [rank, facts] : whole.ranks) facts.span_ns = span_ns;
}

} // namespace rondo::convert::internal
