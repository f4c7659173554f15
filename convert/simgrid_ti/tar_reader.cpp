// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/tar_reader.hpp"

#include <archive.h>
#include <archive_entry.h>

namespace rondo::convert::internal {
namespace {

constexpr std::size_t kPiece = 1 << 16; // read at a time

} // namespace

// What libarchive calls back: `of` is the reader.
struct TarReader::Callbacks {
  static la_ssize_t read(::archive* /*tar*/, void* of, const void** piece) {
    auto& reader = *static_cast<TarReader*>(of);
    *piece = reader.piece_.data();
    const auto n = reader.bytes_->read(reader.piece_.data(), reader.piece_.size());
    if (n) return static_cast<la_ssize_t>(*n);
    reader.error_ = n.error();
    return -1;
  }
};

void TarReader::Close::operator()(::archive* tar) const { ::archive_read_free(tar); }

TarReader::TarReader(ByteSource& bytes, std::string path)
    : bytes_(&bytes), path_(std::move(path)), piece_(kPiece), tar_(::archive_read_new()) {
  ::archive_read_support_format_tar(tar_.get());
  ::archive_read_support_format_gnutar(tar_.get());
}

bool TarReader::is_tar(std::string_view start) {
  return start.size() >= 512 && start.substr(257, 5) == "ustar";
}

tl::unexpected<Error> TarReader::failed() const {
  if (error_) return tl::unexpected(*error_);
  const char* why = ::archive_error_string(tar_.get());
  return fail(ErrorCode::kDamaged,
              std::string("the packed folder is damaged or cut (") +
                  (why == nullptr ? "no reason known" : why) + "); copy it again",
              {path_, {}, {}, {}});
}

Result<TarReader::Member> TarReader::next() {
  if (!is_open_ &&
      ::archive_read_open(tar_.get(), this, nullptr, &Callbacks::read, nullptr) != ARCHIVE_OK)
    return failed();
  is_open_ = true;
  for (;;) {
    ::archive_entry* entry = nullptr;
    const int status = ::archive_read_next_header(tar_.get(), &entry);
    if (status == ARCHIVE_EOF) return Member{};
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return failed();
    const char* name = ::archive_entry_pathname(entry);
    const bool is_file =
        ::archive_entry_filetype(entry) == AE_IFREG && ::archive_entry_hardlink(entry) == nullptr;
    if (is_file && name != nullptr)
      return Member{name, static_cast<std::uint64_t>(::archive_entry_size(entry))};
  }
}

Result<std::size_t> TarReader::read(char* to, std::size_t size) {
  const la_ssize_t n = ::archive_read_data(tar_.get(), to, size);
  if (n < 0) return failed();
  return static_cast<std::size_t>(n);
}

} // namespace rondo::convert::internal
