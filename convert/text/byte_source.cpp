// SPDX-License-Identifier: Apache-2.0
#include "convert/text/byte_source.hpp"

#include "rondo/base/budget.hpp"
#include "rondo/base/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace rondo::convert::internal {
namespace {

class FileSource : public ByteSource {
public:
  FileSource(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~FileSource() override { ::close(descriptor_); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t n = ::read(descriptor_, to, size);
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno == EINTR) continue;
      const std::string reason = std::strerror(errno);
      return fail(ErrorCode::kIo, "cannot read: " + reason, {path_, {}, {}, {}});
    }
  }

private:
  int descriptor_;
  std::string path_;
};

// A byte of text is a step of reading it: a few packed ones may stand for very many.
Budget budget_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return Budget::of_file(error ? 0 : size);
}

class ZstdSource : public ByteSource {
public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string path)
      : packed_(std::move(packed)), path_(std::move(path)), budget_(budget_of(path_)),
        stream_(ZSTD_createDStream()), buffer_(ZSTD_DStreamInSize()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) {
        const auto n = packed_->read(buffer_.data(), buffer_.size());
        if (!n) return propagate(n);
        if (*n == 0 && inside_frame_) {
          return fail(ErrorCode::kDamaged, "the packed file is cut; copy it again",
                      {path_, {}, {}, {}});
        }
        if (*n == 0) return std::size_t{0};
        in_ = {buffer_.data(), *n, 0};
      }
      const std::size_t result = ZSTD_decompressStream(stream_, &out, &in_);
      if (ZSTD_isError(result) != 0) {
        const std::string reason = ZSTD_getErrorName(result);
        return fail(ErrorCode::kDamaged, "the packed file is damaged: " + reason,
                    {path_, {}, {}, {}});
      }
      inside_frame_ = result != 0;
    }
    if (!budget_.take_steps(out.pos)) return tl::unexpected<Error>(budget_.error(path_));
    return out.pos;
  }

private:
  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  Budget budget_;
  ZSTD_DStream* stream_;
  std::vector<char> buffer_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_frame_ = true;
};

class GzipSource : public ByteSource {
public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string path)
      : packed_(std::move(packed)), path_(std::move(path)), budget_(budget_of(path_)),
        buffer_(kPackedPiece) {
    is_ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~GzipSource() override {
    if (is_ready_) inflateEnd(&stream_);
  }

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (!is_ready_) return fail(ErrorCode::kIo, "no memory to unpack it", {path_, {}, {}, {}});
    const std::size_t wanted = std::min<std::size_t>(size, std::size_t{1} << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out == wanted && !is_over_) {
      if (auto filled = fill(); !filled) return propagate(filled);
      if (is_over_) break;
      if (auto done = inflate_some(); !done) return propagate(done);
    }
    const std::size_t given = wanted - stream_.avail_out;
    if (!budget_.take_steps(given)) return tl::unexpected<Error>(budget_.error(path_));
    return given;
  }

private:
  static constexpr std::size_t kPackedPiece = std::size_t{1} << 16;
  static constexpr int kGzipWindow = 15 + 16; // the largest, with a gzip header

  // Sees that there are packed bytes; at their end a member has to be whole.
  Status fill() {
    if (stream_.avail_in > 0) return {};
    const auto n = packed_->read(buffer_.data(), buffer_.size());
    if (!n) return propagate(n);
    if (*n == 0 && inside_member_) {
      return fail(ErrorCode::kDamaged, "the packed file is cut; copy it again",
                  {path_, {}, {}, {}});
    }
    is_over_ = *n == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(*n);
    return {};
  }

  // Several members one after another are one file, as gzip has it.
  Status inflate_some() {
    if (!inside_member_) inflateReset(&stream_);
    inside_member_ = true;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) inside_member_ = false;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return {};
    const std::string reason = stream_.msg == nullptr ? "unknown" : stream_.msg;
    return fail(ErrorCode::kDamaged, "the packed file is damaged: " + reason, {path_, {}, {}, {}});
  }

  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  Budget budget_;
  z_stream stream_{};
  std::vector<char> buffer_;
  bool is_ready_ = false;
  bool inside_member_ = true;
  bool is_over_ = false;
};

// Gives bytes back that were read to see what they are.
class PrefixedSource : public ByteSource {
public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (given_ == prefix_.size()) return rest_->read(to, size);
    const std::size_t n = std::min(size, prefix_.size() - given_);
    std::memcpy(to, prefix_.data() + given_, n);
    given_ += n;
    return n;
  }

private:
  std::string prefix_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

Result<std::string> read_up_to(ByteSource& source, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const auto n = source.read(bytes.data() + have, size - have);
    if (!n) return propagate(n);
    if (*n == 0) break;
    have += *n;
  }
  bytes.resize(have);
  return bytes;
}

constexpr std::size_t kTelling = 512; // the length of a tar's header
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kGzipMagic = "\x1f\x8b";

} // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  const auto descriptor = open_to_read(path);
  if (!descriptor) return propagate(descriptor);
  return std::make_unique<FileSource>(*descriptor, path);
}

Result<std::string> first_bytes(const std::string& path) {
  auto file = open_file(path);
  if (!file) return propagate(file);
  return read_up_to(**file, kTelling);
}

Result<std::unique_ptr<ByteSource>> open_unpacked(const std::string& path) {
  auto file = open_file(path);
  if (!file) return file;
  auto start = read_up_to(**file, kZstdMagic.size());
  if (!start) return propagate(start);
  const bool is_zstd = *start == kZstdMagic;
  const bool is_gzip = start->starts_with(kGzipMagic);
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(*start), std::move(*file));
  if (is_zstd) return std::make_unique<ZstdSource>(std::move(whole), path);
  if (is_gzip) return std::make_unique<GzipSource>(std::move(whole), path);
  return whole;
}

Result<std::string> first_unpacked_bytes(const std::string& path) {
  auto file = open_unpacked(path);
  if (!file) return propagate(file);
  return read_up_to(**file, kTelling);
}

} // namespace rondo::convert::internal
