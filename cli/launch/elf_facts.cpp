// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elf_facts.hpp"

#include "rondo/base/files.hpp"

#include <bit>
#include <cstring>
#include <elf.h>
#include <optional>
#include <set>
#include <string_view>

namespace rondo::cli {
namespace {

// Reads structures out of bytes that may be cut or made up.
class ElfBytes {
public:
  explicit ElfBytes(std::string_view bytes) : bytes_(bytes) {}

  template <class T> std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  // Up to its end; empty if there is none.
  std::string_view text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }

private:
  std::string_view bytes_;
};

using Sections = std::vector<Elf64_Shdr>;

std::optional<Sections> sections_of(const ElfBytes& bytes, const Elf64_Ehdr& header) {
  Sections sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = bytes.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    sections.push_back(*section);
  }
  return sections;
}

// Calls f with each entry and the file's offset of its table of names.
template <class Entry, class F>
void for_entries(const ElfBytes& bytes, const Sections& sections, std::uint32_t type, F f) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != type || section.sh_link >= sections.size()) continue;
    const std::uint64_t names = sections[section.sh_link].sh_offset;
    for (std::uint64_t at = 0; at + sizeof(Entry) <= section.sh_size; at += sizeof(Entry)) {
      const auto entry = bytes.at<Entry>(section.sh_offset + at);
      if (!entry) return;
      f(*entry, names);
    }
  }
}

void read_libraries(const ElfBytes& bytes, const Sections& sections, ElfFacts& facts) {
  for_entries<Elf64_Dyn>(bytes, sections, SHT_DYNAMIC,
                         [&](const Elf64_Dyn& entry, std::uint64_t names) {
                           const auto text = bytes.text(names + entry.d_un.d_val);
                           if (entry.d_tag == DT_NEEDED) facts.needed.emplace_back(text);
                           if (entry.d_tag == DT_RPATH) facts.rpath = text;
                           if (entry.d_tag == DT_RUNPATH) facts.runpath = text;
                         });
}

void read_symbols(const ElfBytes& bytes, const Sections& sections, ElfFacts& facts) {
  std::set<std::string> functions; // most stand in both tables
  const auto read = [&](const Elf64_Sym& symbol, std::uint64_t names) {
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return;
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return;
    const std::string_view name = bytes.text(names + symbol.st_name);
    if (name.starts_with("MPI_")) functions.emplace(name);
    facts.has_pmpi = facts.has_pmpi || name == "PMPI_Init";
  };
  for_entries<Elf64_Sym>(bytes, sections, SHT_SYMTAB, read);
  for_entries<Elf64_Sym>(bytes, sections, SHT_DYNSYM, read);
  facts.mpi_functions.assign(functions.begin(), functions.end());
}

#if defined(__aarch64__)
constexpr std::uint16_t kOwnMachine = EM_AARCH64;
#else
constexpr std::uint16_t kOwnMachine = EM_X86_64;
#endif

bool has_interpreter(const ElfBytes& bytes, const Elf64_Ehdr& header) {
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = bytes.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_INTERP) return true;
  }
  return false;
}

} // namespace

Result<ElfFacts> elf_facts(const std::string& path) {
  const auto file = map_file(path);
  if (!file) return propagate(file);
  ElfFacts facts;
  facts.is_elf = file->view.starts_with("\x7f"
                                        "ELF");
  const ElfBytes bytes(file->view);
  const auto header = bytes.at<Elf64_Ehdr>(0);
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  if (!facts.is_elf || !header || header->e_ident[EI_CLASS] != ELFCLASS64) return facts;
  if (header->e_ident[EI_DATA] != (kIsLittle ? ELFDATA2LSB : ELFDATA2MSB)) return facts;
  if (header->e_machine != kOwnMachine) return facts;
  facts.has_interpreter = has_interpreter(bytes, *header);
  const auto sections = sections_of(bytes, *header);
  if (!sections) return facts;
  facts.is_readable = true;
  read_libraries(bytes, *sections, facts);
  read_symbols(bytes, *sections, facts);
  return facts;
}

} // namespace rondo::cli
