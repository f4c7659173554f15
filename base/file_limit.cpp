// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/file_limit.hpp"

#include <cerrno>
#include <sys/resource.h>

namespace rondo {

bool may_write_file_of(std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  if (bytes <= limit.rlim_cur) return true;
  errno = EFBIG;
  return false;
}

} // namespace rondo
