// SPDX-License-Identifier: Apache-2.0
// Recordings of some ranks as bytes, on their way to be merged with others: what the recorder sends
// along its tree. Not compressed and good only between equal versions.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/base/result.hpp"
#include "rondo/fold/merge.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace rondo::archive {

std::string encode_part(const fold::RecordingPart& part);
/// The same where the part is not wanted any more: its tables are not copied.
std::string encode_part(fold::RecordingPart&& part);

/// @param owner  keeps the bytes: times of single calls then stay in them and are not copied
/// @param budget  pays for what is made of them, if others wrote them
/// @error  kDamaged if the bytes are no part, or not worth what they cost: the budget is then spent
Result<fold::RecordingPart> decode_part(std::string_view bytes,
                                        const std::shared_ptr<const void>& owner = nullptr,
                                        Budget* budget = nullptr);

} // namespace rondo::archive
