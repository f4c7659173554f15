// SPDX-License-Identifier: Apache-2.0
// One rank's file of a DUMPI trace: its records one by one. Numbers are big-endian. The index at
// the end of the file says where the parts are.
//
//   auto file = DumpiFile::open(path);
//   DumpiRecord record;
//   while (true) {
//     const auto more = file->next(record);   // false: no more
//   }
#pragma once

#include "convert/dumpi/layouts.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

struct DumpiStatus {
  std::int64_t bytes = 0;
  std::int64_t source = 0;
  std::int64_t tag = 0;
  bool is_cancelled = false;
};

struct DumpiField {
  char kind = 'i'; // as in DumpiLayout
  std::string_view name;
  std::int64_t value = 0;
  std::vector<std::int64_t> values{}; // of arrays
  std::vector<DumpiStatus> statuses{};
  std::string text{}; // texts, with blanks between them
};

struct DumpiRecord {
  std::string_view function; // of MPI; empty for a function of the user's
  std::uint64_t offset = 0;
  std::uint16_t thread = 0;
  bool has_wall = false;
  std::uint64_t begin_ns = 0; // since 1970
  std::uint64_t end_ns = 0;
  bool has_cpu = false;
  std::uint64_t cpu_begin_ns = 0; // of the process
  std::uint64_t cpu_end_ns = 0;
  std::vector<DumpiField> fields;

  const DumpiField* field(std::string_view name) const;
};

class DumpiFile {
public:
  /// @error  kNotFound, kIo; kFormat: another file; kDamaged: without its index, or with one that
  ///         is none
  static Result<DumpiFile> open(const std::string& path);

  /// False at the end.
  /// @error  kDamaged and kUnsupported with file and offset
  Result<bool> next(DumpiRecord& record);

  const std::string& hostname() const { return hostname_; }
  /// Of a datatype by its number; -1 if the file does not say.
  std::int64_t size_of(std::int64_t datatype) const;
  std::uint64_t bytes() const { return bytes_.size(); }

private:
  DumpiFile() = default;
  Status read_index();
  void read_head();
  void read_sizes(std::uint64_t offset);
  std::uint64_t number(int size);
  std::int64_t signed_number() { return static_cast<std::int32_t>(number(4)); }
  std::string_view text(std::uint64_t size);
  std::uint64_t count(std::uint64_t each);
  std::uint64_t time(std::uint32_t offset_s);
  void read_circumstances(std::uint8_t mask, DumpiRecord& record);
  void read_field(DumpiField& field, std::uint8_t mask);
  void read_fields(const DumpiLayout& layout, std::uint8_t mask, DumpiRecord& record);
  void read_statuses(DumpiField& field, std::uint8_t mask);
  void read_array(DumpiField& field);
  bool has_version(int major, int minor, int patch) const;
  tl::unexpected<Error> damaged(std::string what, std::uint64_t offset) const;

  std::string path_;
  std::shared_ptr<const void> owner_;
  std::string_view bytes_;
  std::uint64_t at_ = 0;
  bool is_cut_ = false; // something was read behind the end
  std::uint64_t head_ = 0;
  std::uint64_t end_ = 0; // of the records
  std::uint16_t end_label_ = 0;
  int version_[3] = {};
  std::uint32_t cpu_offset_s_ = 0;
  std::uint32_t wall_offset_s_ = 0;
  std::string hostname_;
  std::vector<std::int64_t> sizes_;
};

} // namespace rondo::convert::internal
