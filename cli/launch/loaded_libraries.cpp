// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/loaded_libraries.hpp"

#include "cli/launch/elf_facts.hpp"
#include "rondo/base/files.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

// "a:b:" as folders; an empty one is the current folder, as for the dynamic linker.
std::vector<std::string> split_path(const std::string& text) {
  std::vector<std::string> folders;
  if (text.empty()) return folders;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(":;", begin), text.size());
    folders.push_back(begin == end ? "." : text.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

void replace_all(std::string& text, std::string_view word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

// $ORIGIN is the folder of the file that says so; $LIB is one of two names on each system.
std::vector<std::string> expanded(const std::string& path, const fs::path& file) {
  std::error_code error;
  const std::string origin = fs::absolute(file, error).parent_path().string();
  std::vector<std::string> folders;
  for (std::string folder : split_path(path)) {
    replace_all(folder, "${ORIGIN}", origin);
    replace_all(folder, "$ORIGIN", origin);
    replace_all(folder, "${LIB}", "$LIB");
    if (folder.find("$LIB") == std::string::npos) {
      folders.push_back(folder);
      continue;
    }
    for (const char* name : {"lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib"}) {
      folders.push_back(folder);
      replace_all(folders.back(), "$LIB", name);
    }
  }
  return folders;
}

// ld.so.cache: a header, then pairs of a library's name and its file, for all architectures.
class Cache {
public:
  Cache() : file_(map_file("/etc/ld.so.cache")) {
    if (!file_) return;
    const std::string_view bytes = file_->view;
    const std::size_t start = bytes.find(kMagic);
    if (start == std::string_view::npos) return;
    constexpr std::size_t kHeader = 48;
    constexpr std::size_t kEntry = 24;
    const std::string_view table = bytes.substr(start);
    const std::uint64_t n = number(table, kMagic.size());
    for (std::uint64_t i = 0; i < n && kHeader + (i + 1) * kEntry <= table.size(); ++i) {
      const std::size_t at = kHeader + i * kEntry;
      files_.emplace(text(table, number(table, at + 4)), text(table, number(table, at + 8)));
    }
  }
  std::vector<std::string> files(const std::string& name) const {
    std::vector<std::string> found;
    const auto [begin, end] = files_.equal_range(name);
    for (auto i = begin; i != end; ++i) found.emplace_back(i->second);
    return found;
  }

private:
  static constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";

  static std::uint32_t number(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    if (at <= bytes.size() && sizeof value <= bytes.size() - at)
      std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  static std::string_view text(std::string_view bytes, std::size_t at) {
    if (at >= bytes.size()) return {};
    const std::string_view rest = bytes.substr(at);
    return rest.substr(0, rest.find('\0'));
  }

  Result<MappedFile> file_;
  std::multimap<std::string_view, std::string_view> files_;
};

// What is of another architecture is passed over.
bool fits(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const auto facts = elf_facts(file.string());
  return facts && facts->is_readable;
}

class Search {
public:
  std::vector<LoadedLibrary> all(const fs::path& program) {
    add_needed(program, {});
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const LoadedLibrary library = found_[i];
      if (!library.file.empty()) add_needed(library.file, rpaths_[i]);
    }
    return found_;
  }

private:
  // @param inherited  rpaths of what loaded this file; a file with a runpath goes by that alone
  void add_needed(const fs::path& file, const std::vector<std::string>& inherited) {
    const auto facts = elf_facts(file.string());
    if (!facts || !facts->is_readable) return;
    std::vector<std::string> rpaths;
    if (facts->runpath.empty()) {
      rpaths = expanded(facts->rpath, file);
      rpaths.insert(rpaths.end(), inherited.begin(), inherited.end());
    }
    for (const std::string& name : facts->needed) {
      if (!known_.insert(name).second) continue;
      found_.push_back({name, place(name, rpaths, expanded(facts->runpath, file))});
      rpaths_.push_back(rpaths);
    }
  }

  fs::path place(const std::string& name, const std::vector<std::string>& rpaths,
                 const std::vector<std::string>& runpaths) const {
    if (name.find('/') != std::string::npos) return fits(name) ? fs::path(name) : fs::path();
    for (const auto* folders : {&rpaths, &environment_, &runpaths}) {
      for (const std::string& folder : *folders)
        if (fits(fs::path(folder) / name)) return fs::path(folder) / name;
    }
    for (const std::string& file : cache_.files(name))
      if (fits(file)) return file;
    for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
      if (fits(fs::path(folder) / name)) return fs::path(folder) / name;
    return {};
  }

  static std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  const Cache cache_;
  const std::vector<std::string> environment_ = split_path(variable("LD_LIBRARY_PATH"));
  std::set<std::string> known_;
  std::vector<LoadedLibrary> found_;
  std::vector<std::vector<std::string>> rpaths_; // of what loads found_[i]
};

} // namespace

std::vector<LoadedLibrary> loaded_libraries(const fs::path& program) {
  return Search().all(program);
}

} // namespace rondo::cli
