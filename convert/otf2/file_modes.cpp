// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/file_modes.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace rondo::convert::internal {
namespace {

// The bit of a name among those that MPI_File_open has for its mode.
std::int64_t bit_of(std::string_view name) {
  static const std::span<const std::string_view> kNames = [] {
    const auto fields = trace::find_function(mpi::File_open)->fields;
    return std::find_if(fields.begin(), fields.end(),
                        [](const trace::Field& one) { return one.name == "amode"; })
        ->names;
  }();
  return std::int64_t{1} << (std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

struct Flag {
  std::string_view name; // MPI's
  std::uint32_t otf2;
};

constexpr Flag kCreation[] = {{mpi::MODE_CREATE, OTF2_IO_CREATION_FLAG_CREATE},
                              {mpi::MODE_EXCL, OTF2_IO_CREATION_FLAG_EXCLUSIVE},
                              {mpi::MODE_UNIQUE_OPEN, OTF2_IO_CREATION_FLAG_UNIQUE},
                              {mpi::MODE_SEQUENTIAL, OTF2_IO_CREATION_FLAG_NO_SEEK}};
constexpr Flag kStatus[] = {{mpi::MODE_APPEND, OTF2_IO_STATUS_FLAG_APPEND},
                            {mpi::MODE_DELETE_ON_CLOSE, OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE}};

} // namespace

std::int64_t mode_word(const Otf2Opening& opening) {
  const bool reads = opening.mode == OTF2_IO_ACCESS_MODE_READ_ONLY;
  const bool writes = opening.mode == OTF2_IO_ACCESS_MODE_WRITE_ONLY;
  std::int64_t word = bit_of(reads ? mpi::MODE_RDONLY : writes ? mpi::MODE_WRONLY : mpi::MODE_RDWR);
  for (const Flag& flag : kCreation)
    word |= (opening.creation & flag.otf2) != 0 ? bit_of(flag.name) : 0;
  for (const Flag& flag : kStatus)
    word |= (opening.status & flag.otf2) != 0 ? bit_of(flag.name) : 0;
  return word;
}

Otf2Opening opening_of(std::int64_t mode_word) {
  Otf2Opening opening;
  if (trace::is_special(mode_word)) return opening;
  if ((mode_word & bit_of(mpi::MODE_RDONLY)) != 0) opening.mode = OTF2_IO_ACCESS_MODE_READ_ONLY;
  if ((mode_word & bit_of(mpi::MODE_WRONLY)) != 0) opening.mode = OTF2_IO_ACCESS_MODE_WRITE_ONLY;
  for (const Flag& flag : kCreation)
    opening.creation |= (mode_word & bit_of(flag.name)) != 0 ? flag.otf2 : 0;
  for (const Flag& flag : kStatus)
    opening.status |= (mode_word & bit_of(flag.name)) != 0 ? flag.otf2 : 0;
  return opening;
}

// MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END stand in this order in the table of calls, too.
std::int64_t whence_word(OTF2_IoSeekOption whence) {
  return whence > OTF2_IO_SEEK_FROM_END ? trace::kNothing : trace::choice(whence);
}

OTF2_IoSeekOption seek_option(std::int64_t whence_word) {
  const std::int64_t index = trace::kFirstChoice - whence_word;
  const bool is_known = index >= 0 && index <= OTF2_IO_SEEK_FROM_END;
  return static_cast<OTF2_IoSeekOption>(is_known ? index : std::int64_t{OTF2_IO_SEEK_FROM_START});
}

} // namespace rondo::convert::internal
