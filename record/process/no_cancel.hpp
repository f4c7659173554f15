// SPDX-License-Identifier: Apache-2.0
// Puts off the cancellation of a program's thread while it does something in the recorder at which
// pthread_cancel() could end it, such as to write or sleep: it may hold the recorder's lock.
#pragma once

#include <pthread.h>

namespace rondo::record {

class NoCancel {
public:
  NoCancel() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancel() { ::pthread_setcancelstate(before_, nullptr); }
  NoCancel(const NoCancel&) = delete;
  NoCancel& operator=(const NoCancel&) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace rondo::record
