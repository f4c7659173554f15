// SPDX-License-Identifier: Apache-2.0
#include "convert/dumpi/dumpi_file.hpp"

#include "convert/text/tokens.hpp"
#include "rondo/convert/dumpi.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::convert {
namespace internal {
namespace {

constexpr std::string_view kDumpiMagic = "\xff\xaa\xdd\x44UMPI";
constexpr std::uint64_t kIndexEntry = 8;
constexpr std::uint64_t kMostEntries = 7; // behind the magic; older files have fewer
constexpr std::uint64_t kLeastEntries = 4;

// Of the configuration of a record.
constexpr std::uint8_t kHasStatuses = 3;
constexpr std::uint8_t kHasCpuTime = 1 << 2;
constexpr std::uint8_t kHasWallTime = 1 << 3;
constexpr std::uint8_t kHasThread = 1 << 6;
constexpr std::uint8_t kHasCounters = 1 << 7;

// libdumpi numbers requests of accesses to files apart; 0 and 1 are none.
constexpr std::int64_t kFileRequests = std::int64_t{1} << 40;

std::int64_t file_request(std::int64_t number) {
  return number > 1 ? number + kFileRequests : number;
}

} // namespace

const DumpiField* DumpiRecord::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const DumpiField& one) { return one.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

tl::unexpected<Error> DumpiFile::damaged(std::string what, std::uint64_t offset) const {
  return fail(ErrorCode::kDamaged, std::move(what), {path_, {}, offset, {}});
}

// Bytes -------------------------------------------------------------------------------------------

std::uint64_t DumpiFile::number(int size) {
  if (bytes_.size() - at_ < static_cast<std::uint64_t>(size)) {
    is_cut_ = true;
    return 0;
  }
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes_[at_++]);
  return value;
}

std::string_view DumpiFile::text(std::uint64_t size) {
  if (bytes_.size() - at_ < size) {
    is_cut_ = true;
    return {};
  }
  const std::string_view found = bytes_.substr(at_, size);
  at_ += size;
  return found;
}

// How many there are of so many bytes each: never more than the file has room for.
std::uint64_t DumpiFile::count(std::uint64_t each) {
  const auto claimed = static_cast<std::int32_t>(number(4));
  const auto found = static_cast<std::uint64_t>(std::max<std::int32_t>(claimed, 0));
  if (found > (bytes_.size() - at_) / each) {
    is_cut_ = true;
    return 0;
  }
  return found;
}

std::uint64_t DumpiFile::time(std::uint32_t offset_s) {
  const std::uint64_t seconds = number(2) + offset_s;
  return seconds * 1'000'000'000 + number(4);
}

bool DumpiFile::has_version(int major, int minor, int patch) const {
  const int wanted[] = {major, minor, patch};
  return !std::lexicographical_compare(std::begin(version_), std::end(version_), std::begin(wanted),
                                       std::end(wanted));
}

// The index and what it points to ----------------------------------------------------------------

Result<DumpiFile> DumpiFile::open(const std::string& path) {
  auto mapped = map_file(path);
  if (!mapped) return propagate(mapped);
  DumpiFile file;
  file.path_ = path;
  file.owner_ = mapped->owner;
  file.bytes_ = mapped->view;
  if (!file.bytes_.starts_with(kDumpiMagic))
    return fail(ErrorCode::kFormat, "does not begin as a DUMPI trace does", {path, {}, 0, {}});
  if (auto read = file.read_index(); !read) return propagate(read);
  return file;
}

// The magic once more, then offsets: [sizes [addresses [counters]]] head body footer keys.
Status DumpiFile::read_index() {
  std::uint64_t entries = kMostEntries;
  for (; entries >= kLeastEntries; --entries) {
    const std::uint64_t size = (entries + 1) * kIndexEntry;
    if (bytes_.size() >= size + kDumpiMagic.size() &&
        bytes_.substr(bytes_.size() - size).starts_with(kDumpiMagic))
      break;
  }
  if (entries < kLeastEntries)
    return damaged("has no index at its end; the run was killed, or the file is cut",
                   bytes_.size());
  const std::uint64_t index = bytes_.size() - entries * kIndexEntry;
  at_ = index;
  const std::uint64_t sizes = entries == kMostEntries ? number(8) : 0;
  at_ = bytes_.size() - kLeastEntries * kIndexEntry;
  head_ = number(8);
  const std::uint64_t body = number(8);
  if (head_ < 2 || head_ > index || body < kDumpiMagic.size() || body + 10 > head_ || sizes > index)
    return damaged("has an index that points outside of the file", index);
  read_head();
  at_ = body;
  cpu_offset_s_ = static_cast<std::uint32_t>(number(4));
  wall_offset_s_ = static_cast<std::uint32_t>(number(4));
  const std::uint64_t begin = at_;
  end_ = head_ - 2;
  at_ = end_;
  end_label_ = static_cast<std::uint16_t>(number(2));
  if (sizes > 0) read_sizes(sizes);
  if (is_cut_) return damaged("ends in the middle of its head", head_);
  at_ = begin;
  return {};
}

void DumpiFile::read_head() {
  at_ = head_;
  for (int& part : version_) part = static_cast<int>(number(1));
  number(8); // start
  hostname_ = std::string(text(number(2)));
}

void DumpiFile::read_sizes(std::uint64_t offset) {
  at_ = offset;
  const std::uint64_t known = count(4);
  for (std::uint64_t i = 0; i < known; ++i) sizes_.push_back(signed_number());
}

std::int64_t DumpiFile::size_of(std::int64_t datatype) const {
  const bool is_known = datatype >= 0 && static_cast<std::uint64_t>(datatype) < sizes_.size();
  const std::int64_t size = is_known ? sizes_[static_cast<std::size_t>(datatype)] : -1;
  return size < 0 ? -1 : size;
}

// Records -----------------------------------------------------------------------------------------

void DumpiFile::read_field(DumpiField& field, std::uint8_t mask) {
  switch (field.kind) {
  case 'i':
  case 'd':
  case 'e':
  case 'm':
  case 'a':
  case 'u':
  case 'q':
    field.value = signed_number();
    return;
  case 'r':
    field.value = file_request(signed_number());
    return;
  case 'b':
  case 'n':
  case 'o':
    field.value = static_cast<std::int64_t>(number(1));
    return;
  case 'l':
    field.value = static_cast<std::int64_t>(number(8));
    return;
  case 't':
  case 'c':
  case 'f':
  case 'g':
  case 'h':
  case 'w':
    field.value = static_cast<std::int64_t>(number(2));
    return;
  case 's':
    field.text = std::string(text(count(1)));
    return;
  case 'S':
    return read_statuses(field, mask);
  default:
    return read_array(field);
  }
}

void DumpiFile::read_statuses(DumpiField& field, std::uint8_t mask) {
  if ((mask & kHasStatuses) == 0) return;
  for (std::uint64_t left = count(10); left > 0 && !is_cut_; --left) {
    DumpiStatus status;
    status.bytes = signed_number();
    status.source = signed_number();
    status.is_cancelled = number(1) != 0;
    number(1); // error
    status.tag = has_version(0, 6, 3) ? signed_number() : -1;
    field.statuses.push_back(status);
  }
}

void DumpiFile::read_array(DumpiField& field) {
  const auto read_values = [&](int each) {
    for (std::uint64_t left = count(static_cast<std::uint64_t>(each)); left > 0; --left)
      field.values.push_back(each == 4 ? signed_number() : static_cast<std::int64_t>(number(each)));
  };
  const auto read_texts = [&](std::uint64_t left) {
    for (; left > 0 && !is_cut_; --left) {
      if (!field.text.empty()) field.text += ' ';
      field.text += text(count(1));
    }
  };
  switch (field.kind) {
  case 'R':
    read_values(4);
    for (std::int64_t& request : field.values) request = file_request(request);
    return;
  case 'B':
    return read_values(1);
  case 'H':
  case 'T':
    return read_values(2);
  case 'A':
    for (std::uint64_t left = count(4); left > 0 && !is_cut_; --left) read_values(4);
    return;
  case 'X': {
    const std::uint64_t texts = count(4);
    if (field.name == "argv" && !has_version(0, 6, 2)) number(4); // it stands there twice
    return read_texts(texts);
  }
  case 'Y':
    for (std::uint64_t left = count(4); left > 0 && !is_cut_; --left) read_texts(count(4));
    return;
  default:
    return read_values(4);
  }
}

void DumpiFile::read_circumstances(std::uint8_t mask, DumpiRecord& record) {
  record.thread = (mask & kHasThread) != 0 ? static_cast<std::uint16_t>(number(2)) : 0;
  record.has_cpu = (mask & kHasCpuTime) != 0;
  if (record.has_cpu) {
    record.cpu_begin_ns = time(cpu_offset_s_);
    record.cpu_end_ns = time(cpu_offset_s_);
  }
  record.has_wall = (mask & kHasWallTime) != 0;
  if (record.has_wall) {
    record.begin_ns = time(wall_offset_s_);
    record.end_ns = time(wall_offset_s_);
  }
  if ((mask & kHasCounters) != 0) text(number(1) * 16);
}

void DumpiFile::read_fields(const DumpiLayout& layout, std::uint8_t mask, DumpiRecord& record) {
  std::vector<std::string_view> tokens;
  split(layout.fields, tokens);
  for (std::string_view token : tokens) {
    if (token.front() == '?') {
      const DumpiField* const rank = record.field("commrank");
      const DumpiField* const root = record.field("root");
      if (rank == nullptr || root == nullptr || rank->value != root->value) continue;
      token.remove_prefix(1);
    }
    DumpiField field{token.front(), token.substr(2)};
    // What libdumpi wrote by mistake before.
    const bool was_number =
        (layout.function == mpi::Type_struct && field.name == "indices" && !has_version(0, 6, 9)) ||
        (layout.function == mpi::Cart_get && field.name == "coords" && !has_version(0, 6, 8));
    if (was_number) field.kind = 'i';
    read_field(field, mask);
    record.fields.push_back(std::move(field));
  }
}

Result<bool> DumpiFile::next(DumpiRecord& record) {
  record.fields.clear();
  if (at_ >= end_) return false;
  record.offset = at_;
  const auto label = static_cast<std::uint16_t>(number(2));
  const bool is_users = label + 2 == end_label_ || label + 1 == end_label_;
  const DumpiLayout layout = is_users ? DumpiLayout{} : dumpi_layout(label);
  if (!is_users && layout.function.empty()) {
    return fail(ErrorCode::kUnsupported,
                "has a record of function number " + std::to_string(label) +
                    ", which this reader does not know: functions of MPI-1 and MPI-2 are known, "
                    "and what comes behind a record without a length cannot be found",
                {path_, {}, record.offset, {}});
  }
  record.function = layout.function;
  const auto mask = static_cast<std::uint8_t>(number(1));
  read_circumstances(mask, record);
  if (is_users) number(8); // its address
  read_fields(layout, mask, record);
  if (is_cut_ || at_ > end_)
    return damaged("ends in the middle of a record of " +
                       (is_users ? "a user's function" : std::string(layout.function)),
                   record.offset);
  return true;
}

} // namespace internal

bool is_dumpi(std::string_view start) {
  if (start.starts_with(internal::kDumpiMagic)) return true;
  // The text of a run: KEY=VALUE in each line, in any order.
  return start.find("numprocs=") != std::string_view::npos &&
         start.find("fileprefix=") != std::string_view::npos &&
         start.find('\0') == std::string_view::npos;
}

} // namespace rondo::convert
