// SPDX-License-Identifier: Apache-2.0
// Processes that were started alike find each other in a folder, and hand each other bytes as files
// in it. No MPI and no network: what they share is the file system that the output is on.
//
//   auto crew = Crew::meet({1, 4, "app.rondo.meeting"});
//   if (auto sent = (*crew)->send(bytes); !sent) return propagate(sent);
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/processes.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rondo::convert::internal {

class Crew {
public:
  /// Waits for all processes to be there. Until the end each gives signs of life.
  /// @error  kNotFound: one that is not there after the patience; kIo; kUsage: the folder belongs
  /// to
  ///         somebody else
  static Result<std::unique_ptr<Crew>> meet(const Processes& processes);
  /// The first process takes the folder away.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Leaves the bytes for whoever receives from this process, once.
  Status send(const std::vector<std::string_view>& pieces);
  /// Waits for them as long as the process gives signs of life.
  /// @error  kNotFound: it gives none any more; kIo
  Result<MappedFile> receive(std::size_t from);

private:
  explicit Crew(const Processes& processes) : processes_(processes) {}

  Status gather_all();
  Status join();
  void answer(std::string_view hello);
  Status await(std::size_t whom, const std::function<bool()>& is_there);
  Status live();
  std::string path(std::string_view name) const;
  std::string path_of(std::string_view what, std::size_t process) const;

  Processes processes_;
  std::string session_; // in the names of files: those of an earlier run are not read
  std::shared_ptr<const void> folder_; // taken away if a signal ends the process
  std::jthread life_;
};

} // namespace rondo::convert::internal
