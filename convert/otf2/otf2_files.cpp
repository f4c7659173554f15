// SPDX-License-Identifier: Apache-2.0
// Input and output of an OTF2 location that is written.
#include "convert/otf2/otf2_writing.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert::internal {

using trace::CallView;
using trace::is_special;

namespace {

bool has(std::string_view name, std::string_view part) { return name.find(part) != name.npos; }

OTF2_IoOperationFlag operation_flags(const trace::Function& function) {
  std::uint32_t flags = OTF2_IO_OPERATION_FLAG_NONE;
  if (has(function.name, "_all") || has(function.name, "_ordered"))
    flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
  if (function.mode == trace::Mode::kNonblocking) flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
  return flags;
}

} // namespace

// Opens, closes, seeks, ends what was begun; of others there is nothing to say.
void Otf2Events::file_call(const CallView& call) {
  const std::string_view name = call_->function->name;
  if (name == mpi::File_open) return open_file(call);
  const auto found = files_.find(call.file());
  if (found == files_.end()) return;
  File& file = found->second;
  if (name == mpi::File_close) {
    if (writes_) OTF2_EvtWriter_IoDestroyHandle(writer_, nullptr, end_ns_, file.ref);
    files_.erase(found);
    return;
  }
  if (has(name, "_end")) {
    if (writes_ && file.begun.id > 0)
      OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, end_ns_, file.ref, file.begun.bytes,
                                         file.begun.id);
    file.begun = {};
    return;
  }
  if (!writes_) return;
  if (name == mpi::File_sync) {
    const std::uint64_t id = ++ids_;
    OTF2_EvtWriter_IoOperationBegin(writer_, nullptr, begin_ns_, file.ref,
                                    OTF2_IO_OPERATION_MODE_FLUSH, OTF2_IO_OPERATION_FLAG_COLLECTIVE,
                                    0, id);
    OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, end_ns_, file.ref, 0, id);
  }
  if (has(name, "_seek")) seek(file, seek_option(argument("whence")));
}

void Otf2Events::open_file(const CallView& call) {
  const auto comm = run_.comms.of(rank_, call.comm()).id;
  const auto& texts = reader_.program().texts;
  const std::int64_t name = argument("filename");
  const bool is_named = !is_special(name) && static_cast<std::uint64_t>(name) < texts.size();
  if (comm == trace::Communicators::kUnknown) return unsaid();
  const std::string text = is_named ? texts[static_cast<std::size_t>(name)] : "";
  const OTF2_IoHandleRef ref = run_.objects.file(comm, files_opened_[comm]++, text);
  files_[call.file()] = {ref, {}};
  const Otf2Opening opening = opening_of(argument("amode"));
  if (writes_)
    OTF2_EvtWriter_IoCreateHandle(writer_, nullptr, end_ns_, ref, opening.mode, opening.creation,
                                  opening.status);
}

void Otf2Events::seek(const File& file, OTF2_IoSeekOption whence) {
  const std::int64_t offset = argument("offset");
  if (!writes_ || is_special(offset)) return;
  const auto result = static_cast<std::uint64_t>(std::max<std::int64_t>(offset, 0));
  OTF2_EvtWriter_IoSeek(writer_, nullptr, begin_ns_, file.ref, offset, whence, result);
}

void Otf2Events::access_file(const CallView& call) {
  const trace::Function& function = *call_->function;
  const auto found = files_.find(call.file());
  if (found == files_.end()) return unsaid();
  File& file = found->second;
  const std::uint64_t size = bytes(call.send_count(), call.send_type());
  const Access access{++ids_, file.ref, size};
  const bool is_over = function.mode == trace::Mode::kBlocking;
  if (writes_) {
    if (has(function.name, "_at")) seek(file, OTF2_IO_SEEK_FROM_START);
    OTF2_EvtWriter_IoOperationBegin(writer_, nullptr, begin_ns_, file.ref,
                                    has(function.name, "write") ? OTF2_IO_OPERATION_MODE_WRITE
                                                                : OTF2_IO_OPERATION_MODE_READ,
                                    operation_flags(function), size, access.id);
    if (is_over)
      OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, end_ns_, file.ref, size, access.id);
    else
      OTF2_EvtWriter_IoOperationIssued(writer_, nullptr, end_ns_, file.ref, access.id);
  }
  if (!is_over && !function.makes_request) file.begun = access;
  made({access.id, access});
}

} // namespace rondo::convert::internal
