// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/names.hpp"

#include "convert/text/byte_source.hpp"
#include "convert/text/line_reader.hpp"
#include "convert/text/tokens.hpp"

#include <functional>

namespace rondo::convert::internal {
namespace {

constexpr std::uint64_t kMostValue = 1 << 16; // functions have numbers of three digits

FunctionNames extrae_names() {
  FunctionNames names = {""};
  for (const std::string_view name : extrae_functions()) names.emplace_back(name);
  return names;
}

// Calls visit(line) for each line of a file; false if there is no such file.
Result<bool> for_each_line(const std::string& path,
                           const std::function<Status(std::string_view)>& visit) {
  auto source = open_unpacked(path);
  if (!source && source.error().code == ErrorCode::kNotFound) return false;
  if (!source) return propagate(source);
  LineReader lines([&](char* to, std::size_t size) { return (*source)->read(to, size); }, path);
  for (;;) {
    const auto line = lines.next();
    if (!line) return propagate(line);
    if (line->is_end) return true;
    if (auto done = visit(line->text); !done) {
      Error error = done.error();
      error.place = {path, {}, {}, lines.line()};
      return tl::unexpected<Error>(std::move(error));
    }
  }
}

// Reads the lines of one .pcf; sections begin with a word of their own and end with a blank line.
class PcfReader {
public:
  Status add(std::string_view line) {
    split(line, tokens_);
    if (tokens_.empty()) {
      section_ = Section::kOther;
      return {};
    }
    if (tokens_[0] == "EVENT_TYPE") {
      section_ = Section::kTypes;
      types_.clear();
      return {};
    }
    if (tokens_[0] == "VALUES") {
      section_ = Section::kValues;
      return {};
    }
    if (section_ == Section::kTypes) return add_type();
    return section_ == Section::kValues ? add_value() : Status();
  }

  std::array<FunctionNames, kMpiEvents> names;

private:
  enum class Section : std::uint8_t { kOther, kTypes, kValues };

  Status add_type() {
    std::int64_t type = 0;
    if (tokens_.size() < 2 || !parse(tokens_[1], type))
      return bad(sentence("found ", shown(tokens_[0]), "; expected GRADIENT TYPE LABEL"));
    const std::int64_t index = type - kFirstMpiEvent;
    if (index >= 0 && index < static_cast<std::int64_t>(kMpiEvents))
      types_.push_back(static_cast<std::size_t>(index));
    return {};
  }

  Status add_value() {
    std::uint64_t value = 0;
    if (types_.empty()) return {}; // of events that are not read
    if (!parse(tokens_[0], value))
      return bad(sentence("found ", shown(tokens_[0]), "; expected VALUE LABEL"));
    if (value > kMostValue || tokens_.size() < 2 || !tokens_[1].starts_with("MPI_")) return {};
    for (const std::size_t index : types_) {
      if (names[index].size() <= value) names[index].resize(value + 1);
      names[index][value] = tokens_[1];
    }
    return {};
  }

  Section section_ = Section::kOther;
  std::vector<std::size_t> types_; // that the values are of
  std::vector<std::string_view> tokens_;
};

} // namespace

std::string beside_paraver(const std::string& path, std::string_view extension) {
  std::string stem = path;
  for (const std::string_view end : {".gz", ".prv"}) {
    if (stem.ends_with(end)) stem.resize(stem.size() - end.size());
  }
  return sentence(stem, ".", extension);
}

Result<std::array<FunctionNames, kMpiEvents>> read_function_names(const std::string& path) {
  PcfReader reader;
  const auto read = for_each_line(path, [&](std::string_view line) { return reader.add(line); });
  if (!read) return propagate(read);
  for (FunctionNames& names : reader.names) {
    if (names.empty()) names = extrae_names();
  }
  return std::move(reader.names);
}

Result<std::vector<std::string>> read_node_names(const std::string& path) {
  std::vector<std::string> names;
  bool is_inside = false;
  const auto read = for_each_line(path, [&](std::string_view line) -> Status {
    const bool is_heading = line.starts_with("LEVEL ");
    if (is_heading || line.empty()) {
      is_inside = line.starts_with("LEVEL NODE");
    } else if (is_inside) {
      names.emplace_back(line);
    }
    return {};
  });
  if (!read) return propagate(read);
  return names;
}

} // namespace rondo::convert::internal
