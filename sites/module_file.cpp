// SPDX-License-Identifier: Apache-2.0
#include "sites/module_file.hpp"

#include "sites/function_name.hpp"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::sites {
namespace {

// An archive may name anything: a pipe that nobody writes to, a device that acts when it is opened.
// -1 for all but regular files that have something in them.
int open_regular(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (file < 0) return -1;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) return file;
  ::close(file);
  return -1;
}

constexpr std::uint64_t kPage = 4096;

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned linkage : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* symbol = dwarf_formstring(dwarf_attr_integrate(die, linkage, &attribute));
    const bool is_cxx = symbol != nullptr && std::string_view(symbol).starts_with("_Z");
    if (is_cxx) return function_name(symbol); // with namespaces, which its name alone lacks
  }
  const char* name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

// The compilation unit with an address. Compilers may leave out the table of address ranges; then
// all units are asked.
bool find_unit(Dwarf* dwarf, Dwarf_Addr address, Dwarf_Die& unit) {
  if (dwarf_addrdie(dwarf, address, &unit) != nullptr) return true;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, cu, &cu, nullptr, nullptr, &die, nullptr) == 0) {
    if (dwarf_haspc(&die, address) == 1) {
      unit = die;
      return true;
    }
  }
  return false;
}

void describe_line(Dwarf_Die& unit, Dwarf_Addr address, trace::SiteName& place) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
  int number = 0;
  if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return;
  const char* file = dwarf_linesrc(line, nullptr, nullptr);
  if (file == nullptr) return;
  place.file = file;
  place.line = static_cast<std::uint64_t>(number);
}

// The innermost scopes come first. What encloses an inlined function is taken from where its code
// stands, not from where it was declared.
void describe_function(Dwarf_Die& unit, Dwarf_Addr address, trace::SiteName& place) {
  Dwarf_Die* found = nullptr;
  if (dwarf_getscopes(&unit, address, &found) <= 0) return;
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> innermost(found, &std::free);
  Dwarf_Die* chain = nullptr;
  const int count = dwarf_getscopes_die(found, &chain);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> scopes(chain, &std::free);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(chain + i);
    if (tag == DW_TAG_inlined_subroutine && place.function.empty())
      place.function = name_of(chain + i);
    if (tag != DW_TAG_subprogram) continue;
    (place.function.empty() ? place.function : place.inlined_in) = name_of(chain + i);
    return;
  }
}

} // namespace

struct ModuleFile::Session {
  Session() : dwfl(dwfl_begin(&kCallbacks), &dwfl_end) {}
  static constexpr Dwfl_Callbacks kCallbacks = {
      dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address, nullptr};
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl;
};

ModuleFile::ModuleFile(const std::string& path) : session_(std::make_unique<Session>()) {
  Dwfl* dwfl = session_->dwfl.get();
  const int file = open_regular(path);
  if (file < 0) return;
  module_ = dwfl_report_offline(dwfl, path.c_str(), path.c_str(), file); // which closes it
  dwfl_report_end(dwfl, nullptr, nullptr);
  if (module_ == nullptr) {
    ::close(file);
    return;
  }
  find_start();
  read_build_id();
}

ModuleFile::~ModuleFile() = default;

void ModuleFile::find_start() {
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(static_cast<Dwfl_Module*>(module_), &bias);
  std::size_t headers = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &headers) != 0) return;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD)
      lowest = std::min<std::uint64_t>(lowest, header.p_vaddr / kPage * kPage);
  }
  start_ = lowest + bias;
}

void ModuleFile::read_build_id() {
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(static_cast<Dwfl_Module*>(module_), &bias);
  const void* bytes = nullptr;
  const ssize_t size = elf == nullptr ? 0 : dwelf_elf_gnu_build_id(elf, &bytes);
  if (size > 0)
    build_id_ =
        hexadecimal({static_cast<const unsigned char*>(bytes), static_cast<std::size_t>(size)});
}

void ModuleFile::describe(std::uint64_t offset, trace::SiteName& place) {
  auto* module = static_cast<Dwfl_Module*>(module_);
  if (module == nullptr || offset == 0) return;
  // A return address may belong to the next line, even the next function; the byte before is the
  // call's.
  const Dwarf_Addr address = start_ + offset - 1;
  Dwarf_Addr bias = 0;
  Dwarf_Die unit;
  Dwarf* dwarf = dwfl_module_getdwarf(module, &bias);
  if (dwarf != nullptr && find_unit(dwarf, address - bias, unit)) {
    describe_line(unit, address - bias, place);
    describe_function(unit, address - bias, place);
  }
  GElf_Sym symbol;
  GElf_Off from_start = 0;
  const char* name =
      dwfl_module_addrinfo(module, address, &from_start, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || from_start >= symbol.st_size) return;
  place.function_offset = from_start + 1;
  if (place.function.empty()) place.function = function_name(name);
}

} // namespace rondo::sites
