// SPDX-License-Identifier: Apache-2.0
// Readers and writers of other tools' formats may be a module that is loaded when one is asked for.
// A program without it reads and writes archives of Rondo as ever.
#pragma once

#include "rondo/base/result.hpp"

namespace rondo::convert {

/// Whether formats other than Rondo's own can be read and written here.
/// @error  kUnsupported with what makes it so
Status has_readers();

} // namespace rondo::convert
