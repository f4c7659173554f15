// SPDX-License-Identifier: Apache-2.0
// How a file is opened and sought in: MPI's words and OTF2's.
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <otf2/otf2.h>

namespace rondo::convert::internal {

struct Otf2Opening {
  OTF2_IoAccessMode mode = OTF2_IO_ACCESS_MODE_READ_WRITE;
  OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
  OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;
};

/// The word `amode` of MPI_File_open, and back.
std::int64_t mode_word(const Otf2Opening& opening);
Otf2Opening opening_of(std::int64_t mode_word);

/// The word `whence` of MPI_File_seek, kNothing for what MPI does not have; and back.
std::int64_t whence_word(OTF2_IoSeekOption whence);
OTF2_IoSeekOption seek_option(std::int64_t whence_word);

} // namespace rondo::convert::internal
