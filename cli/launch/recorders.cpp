// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/recorders.hpp"

#include "cli/launch/own_files.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <optional>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "librondo_record_";
constexpr std::string_view kMark = "rondo recorder\nfamily "; // packaging/recorder/build.py

std::string user_folder() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return std::string(data) + "/rondo/recorders";
  const char* const home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.local/share/rondo/recorders";
}

std::string line_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + key.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

// What a recorder that was built for one MPI says of itself. Some megabytes are searched for it.
void read_facts(const fs::path& file, std::string& family, std::string& built_for) {
  const auto bytes = map_file(file.string());
  if (!bytes) return;
  const std::string_view all = bytes->view;
  // memmem() takes steps of the mark's length.
  const void* const found = ::memmem(all.data(), all.size(), kMark.data(), kMark.size());
  if (found == nullptr) return;
  const std::string_view rest =
      all.substr(static_cast<std::size_t>(static_cast<const char*>(found) - all.data()));
  const std::string_view facts = rest.substr(0, rest.find('\0'));
  family = line_after(facts, "\nfamily ");
  built_for = line_after(facts, "\nmpi ") + ", " + line_after(facts, "\nheader ");
}

// One that came with Rondo is named after a family and says nothing; no other may have such a name.
std::optional<Recorder> recorder_in(const fs::path& file) {
  std::string name = file.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(".so")) return std::nullopt;
  name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - 3);
  Recorder recorder{name, {}, file, ""};
  std::string family = name;
  if (!parse_mpi(name)) read_facts(file, family, recorder.built_for);
  const auto mpi = parse_mpi(family);
  if (!mpi) return std::nullopt;
  recorder.mpi = *mpi;
  return recorder;
}

std::string names_of(const std::vector<Recorder>& all) {
  std::string names;
  for (const Recorder& recorder : all) names += (names.empty() ? "" : ", ") + recorder.name;
  return names.empty() ? "none" : names;
}

} // namespace

std::vector<fs::path> recorder_folders() {
  std::vector<fs::path> folders = own_library_folders();
  if (const std::string user = user_folder(); !user.empty()) folders.emplace_back(user);
  return folders;
}

std::vector<Recorder> recorders() {
  std::vector<Recorder> all;
  for (const fs::path& folder : recorder_folders()) {
    std::vector<fs::path> files;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry);
         entry.increment(error))
      files.push_back(entry->path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const auto recorder = recorder_in(file);
      if (!recorder) continue;
      const auto is_same = [&](const Recorder& other) { return other.name == recorder->name; };
      if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(*recorder);
    }
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const Recorder& recorder) { return recorder.built_for.empty(); });
  return all;
}

Result<std::string> mpi_meant(const std::string& wanted) {
  if (wanted.empty() || parse_mpi(wanted)) return wanted;
  const std::vector<Recorder> all = recorders();
  for (const Recorder& recorder : all)
    if (recorder.name == wanted) return keyword_of(recorder.mpi);
  return fail(ErrorCode::kUsage,
              fmt::format("there is no recorder '{}'; there are {}; 'rondo build-recorder' builds "
                          "one for an MPI of your own",
                          wanted, names_of(all)));
}

Result<Recorder> recorder_for(Mpi mpi, const std::string& wanted) {
  const std::string name = wanted.empty() ? keyword_of(mpi) : wanted;
  std::vector<Recorder> fitting;
  for (const Recorder& recorder : recorders()) {
    if (recorder.name == name) return recorder;
    if (recorder.mpi == mpi) fitting.push_back(recorder);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty())
    return fail(ErrorCode::kNotFound,
                fmt::format("this Rondo has no recorder for {} (librondo_record_{}.so is not "
                            "beside it); 'rondo build-recorder --mpicc MPICC' builds one",
                            name_of(mpi), keyword_of(mpi)));
  return fail(ErrorCode::kUsage, fmt::format("there are several recorders for {}: {}; say which "
                                             "with --mpi NAME",
                                             name_of(mpi), names_of(fitting)));
}

} // namespace rondo::cli
