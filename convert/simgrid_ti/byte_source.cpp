// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/byte_source.hpp"

#include "rondo/base/budget.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>
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
  // A byte of text is a step of reading it: a few packed ones may stand for very many.
  static Budget budget_of(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    return Budget::of_file(error ? 0 : size);
  }

  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  Budget budget_;
  ZSTD_DStream* stream_;
  std::vector<char> buffer_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_frame_ = true;
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
constexpr char kZstdMagic[] = {'\x28', '\xb5', '\x2f', '\xfd'};

} // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const auto code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    const std::string reason = std::strerror(errno);
    return fail(code, "cannot open: " + reason, {path, {}, {}, {}});
  }
  return std::make_unique<FileSource>(descriptor, path);
}

Result<std::string> first_bytes(const std::string& path) {
  auto file = open_file(path);
  if (!file) return propagate(file);
  return read_up_to(**file, kTelling);
}

Result<std::unique_ptr<ByteSource>> open_unpacked(const std::string& path) {
  auto file = open_file(path);
  if (!file) return file;
  auto start = read_up_to(**file, sizeof kZstdMagic);
  if (!start) return propagate(start);
  const bool is_packed = *start == std::string(kZstdMagic, sizeof kZstdMagic);
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(*start), std::move(*file));
  if (!is_packed) return whole;
  return std::make_unique<ZstdSource>(std::move(whole), path);
}

} // namespace rondo::convert::internal
