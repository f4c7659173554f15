// SPDX-License-Identifier: Apache-2.0
// Windows, files and groups of an archive that is written, by numbers that mean the same on all
// ranks: making one is collective, so that it is the n-th on its communicator wherever it is.
#pragma once

#include <cstdint>
#include <map>
#include <otf2/otf2.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

class Otf2Objects {
public:
  struct File { // an opened one
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    OTF2_IoFileRef file = 0;
  };

  /// @param ordinal  how many windows the rank had made on the communicator before
  OTF2_RmaWinRef window(OTF2_CommRef comm, std::uint64_t ordinal) {
    const auto next = static_cast<OTF2_RmaWinRef>(windows_.size());
    const auto [found, is_new] = window_numbers_.try_emplace({comm, ordinal}, next);
    if (is_new) windows_.push_back(comm);
    return found->second;
  }
  /// @param ordinal  how often the rank had opened a file on the communicator before
  OTF2_IoHandleRef file(OTF2_CommRef comm, std::uint64_t ordinal, const std::string& name) {
    const auto file = names_.try_emplace(name, static_cast<OTF2_IoFileRef>(names_.size())).first;
    const auto next = static_cast<OTF2_IoHandleRef>(files_.size());
    const auto [found, is_new] = file_numbers_.try_emplace({comm, ordinal, file->second}, next);
    if (is_new) files_.push_back({comm, file->second});
    return found->second;
  }
  /// @param members  ranks of MPI_COMM_WORLD
  OTF2_GroupRef group(const std::vector<std::uint64_t>& members) {
    const auto next = static_cast<OTF2_GroupRef>(kFirstGroup + groups_.size());
    const auto [found, is_new] = group_numbers_.try_emplace(members, next);
    if (is_new) groups_.push_back(&found->first);
    return found->second;
  }

  static constexpr OTF2_GroupRef kFirstGroup = 1; // 0 are the locations of MPI
  const std::vector<OTF2_CommRef>& windows() const { return windows_; }
  const std::vector<File>& files() const { return files_; }
  const std::map<std::string, OTF2_IoFileRef>& names() const { return names_; }
  const std::vector<const std::vector<std::uint64_t>*>& groups() const { return groups_; }

private:
  std::map<std::pair<OTF2_CommRef, std::uint64_t>, OTF2_RmaWinRef> window_numbers_;
  std::vector<OTF2_CommRef> windows_; // by number
  std::map<std::tuple<OTF2_CommRef, std::uint64_t, OTF2_IoFileRef>, OTF2_IoHandleRef> file_numbers_;
  std::vector<File> files_;
  std::map<std::string, OTF2_IoFileRef> names_;
  std::map<std::vector<std::uint64_t>, OTF2_GroupRef> group_numbers_;
  std::vector<const std::vector<std::uint64_t>*> groups_;
};

} // namespace rondo::convert::internal
