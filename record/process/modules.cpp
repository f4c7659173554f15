// SPDX-License-Identifier: Apache-2.0
#include "record/process/modules.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace rondo::record {
namespace {

std::string path_of_program() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

// The loader has no name for the program itself, and those of libraries as they were asked for.
std::string absolute_path(const char* name) {
  if (name == nullptr || *name == '\0') return path_of_program();
  if (*name == '/') return name;
  const std::unique_ptr<char, decltype(&std::free)> path(::realpath(name, nullptr), &std::free);
  return path == nullptr ? name : path.get();
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// Notes are: size of the name, size of the contents, type; then both, each padded.
std::string build_id_in(const unsigned char* notes, std::size_t size, std::size_t alignment) {
  const auto padded = [&](std::size_t n) { return (n + alignment - 1) / alignment * alignment; };
  constexpr std::size_t kHead = sizeof(ElfW(Nhdr));
  for (std::size_t at = 0; at + kHead <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, kHead);
    const std::size_t contents = at + kHead + padded(note.n_namesz);
    if (contents + note.n_descsz > size) break;
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes + at + kHead, ELF_NOTE_GNU, 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID)
      return hexadecimal(notes + contents, note.n_descsz);
    at = contents + padded(note.n_descsz);
  }
  return "";
}

std::string build_id_of(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = module.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(module.dlpi_addr + header.p_vaddr);
    std::string id = build_id_in(notes, header.p_filesz, header.p_align == 8 ? 8 : 4);
    if (!id.empty()) return id;
  }
  return "";
}

// Where a module's segments are, relative to where it is loaded.
struct Extent {
  Extent(const dl_phdr_info& module, std::uintptr_t wanted) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = module.dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      first = std::min<std::uintptr_t>(first, header.p_vaddr / page * page);
      end = std::max<std::uintptr_t>(end, header.p_vaddr + header.p_memsz);
      has_wanted =
          has_wanted || (wanted >= header.p_vaddr && wanted - header.p_vaddr < header.p_memsz);
    }
  }
  std::uintptr_t first = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  bool has_wanted = false;
};

// Calls use(module, extent) for the module that an address is in.
template <class Use> void with_module(const void* address, Use use) {
  struct Search {
    std::uintptr_t address;
    Use* use;
  } search{reinterpret_cast<std::uintptr_t>(address), &use};
  const auto visit = [](dl_phdr_info* module, std::size_t, void* data) {
    const auto& wanted = *static_cast<Search*>(data);
    const Extent extent(*module, wanted.address - module->dlpi_addr);
    if (!extent.has_wanted) return 0;
    (*wanted.use)(*module, extent);
    return 1;
  };
  ::dl_iterate_phdr(visit, &search);
}

} // namespace

ModulePlace find_module(const void* address) {
  ModulePlace place;
  with_module(address, [&](const dl_phdr_info& module, const Extent& extent) {
    place.module = {absolute_path(module.dlpi_name), build_id_of(module)};
    place.offset = reinterpret_cast<std::uintptr_t>(address) - module.dlpi_addr - extent.first;
  });
  return place;
}

std::pair<std::uintptr_t, std::uintptr_t> range_of_module(const void* address) {
  std::pair<std::uintptr_t, std::uintptr_t> range;
  with_module(address, [&](const dl_phdr_info& module, const Extent& extent) {
    range = {module.dlpi_addr + extent.first, module.dlpi_addr + extent.end};
  });
  return range;
}

} // namespace rondo::record
