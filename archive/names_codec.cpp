// SPDX-License-Identifier: Apache-2.0
// The section of names: a table of texts, then a column for each field. Most of a column repeats or
// hardly changes from site to site, which compresses well.
#include "archive/image.hpp"
#include "archive/packed.hpp"

#include <map>

namespace rondo::archive {
namespace {

using Text = std::string trace::SiteName::*;
constexpr Text kTexts[] = {&trace::SiteName::function, &trace::SiteName::inlined_in,
                           &trace::SiteName::file};

// 0 is the empty text, others stand in the order in which they are first named.
class TextTable {
public:
  std::uint64_t number_of(std::string_view text) {
    if (text.empty()) return 0;
    const auto [known, is_new] = numbers_.try_emplace(text, texts_.size() + 1);
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  void pack(Packer& out) const {
    out.put(texts_.size());
    for (const std::string_view text : texts_) out.put_text(text);
  }

private:
  std::map<std::string_view, std::uint64_t> numbers_;
  std::vector<std::string_view> texts_;
};

std::vector<std::string_view> unpack_texts(Unpacker& in) {
  return unpack_items<std::string_view>(in, [&] { return in.get_view(); });
}

// Sites may share a text, so each copy is paid for.
void unpack_column(Unpacker& in, const std::vector<std::string_view>& texts, Text field,
                   std::vector<trace::SiteName>& names) {
  for (trace::SiteName& name : names) {
    const std::uint64_t number = in.get();
    if (number > texts.size()) return in.refuse();
    if (number == 0) continue;
    const std::string_view text = texts[static_cast<std::size_t>(number - 1)];
    if (!in.pay(1, text.size())) return;
    name.*field = text;
  }
}

} // namespace

std::string encode_names_section(const std::vector<trace::SiteName>& names) {
  TextTable table;
  Packer columns;
  for (const Text field : kTexts) {
    for (const trace::SiteName& name : names) columns.put(table.number_of(name.*field));
  }
  std::uint64_t last = 0;
  for (const trace::SiteName& name : names) {
    columns.put_signed(static_cast<std::int64_t>(name.line - last));
    last = name.line;
  }
  for (const trace::SiteName& name : names) columns.put(name.function_offset);
  Packer out;
  table.pack(out);
  return std::move(out).bytes().append(columns.bytes());
}

std::optional<std::vector<trace::SiteName>>
decode_names_section(std::string_view bytes, std::size_t sites, Budget* budget) {
  Unpacker in(bytes, budget);
  const std::vector<std::string_view> texts = unpack_texts(in);
  if (sites > bytes.size() || !in.pay(sites, sizeof(trace::SiteName))) return std::nullopt;
  std::vector<trace::SiteName> names(sites);
  for (const Text field : kTexts) unpack_column(in, texts, field, names);
  std::uint64_t line = 0;
  for (trace::SiteName& name : names)
    name.line = line += static_cast<std::uint64_t>(in.get_signed());
  for (trace::SiteName& name : names) name.function_offset = in.get();
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return names;
}

} // namespace rondo::archive
