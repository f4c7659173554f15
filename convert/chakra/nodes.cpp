// SPDX-License-Identifier: Apache-2.0
#include "convert/chakra/nodes.hpp"

#include "convert/text/tokens.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rondo::convert::internal {
namespace {

// Numbers of node types.
constexpr std::uint64_t kSendNode = 5;
constexpr std::uint64_t kReceiveNode = 6;
constexpr std::uint64_t kCollectiveNode = 7;

// Takes protobuf's wire format apart: fields with a number and a value, or bytes.
class Wire {
public:
  explicit Wire(std::string_view bytes) : rest_(bytes) {}

  bool is_over() const { return rest_.empty() || has_failed_; }
  bool has_failed() const { return has_failed_; }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    has_failed_ = true;
    return 0;
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) has_failed_ = true;
    const std::string_view taken = rest_.substr(0, has_failed_ ? 0 : size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  struct Field {
    std::uint64_t number = 0;
    unsigned type = 0; // 0 varint, 1 eight bytes, 2 bytes, 5 four bytes
    std::uint64_t value = 0;
    std::string_view bytes{};
  };
  Field field() {
    Field field;
    const std::uint64_t key = varint();
    field.number = key >> 3;
    field.type = static_cast<unsigned>(key & 7);
    if (field.type == 0) {
      field.value = varint();
    } else if (field.type == 1 || field.type == 5) {
      field.value = fixed(take(field.type == 1 ? 8 : 4));
    } else if (field.type == 2) {
      field.bytes = take(varint());
    } else {
      has_failed_ = true;
    }
    return field;
  }

private:
  static std::uint64_t fixed(std::string_view bytes) { // little-endian
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  std::string_view rest_;
  bool has_failed_ = false;
};

struct Attribute {
  std::string_view name;
  std::optional<std::int64_t> number{};
  std::string_view text{};
};

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Whole numbers come as whatever type the tool that wrote them likes.
std::optional<std::int64_t> number_of(const Wire::Field& field) {
  switch (field.number) {
  case 3: { // double
    const double value = std::bit_cast<double>(field.value);
    return std::abs(value) < 9e15 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  }
  case 7: // int32
  case 23: // sfixed32
    return static_cast<std::int32_t>(field.value);
  case 15: // sint32
  case 17: // sint64
    return unzigzag(field.value);
  case 9:
  case 11:
  case 13:
  case 19:
  case 21:
  case 25:
  case 27:
    return static_cast<std::int64_t>(field.value);
  default:
    return std::nullopt;
  }
}

Attribute attribute_of(std::string_view bytes, bool& has_failed) {
  Attribute attribute;
  Wire wire(bytes);
  while (!wire.is_over()) {
    const Wire::Field field = wire.field();
    if (field.number == 1 && field.type == 2) attribute.name = field.bytes;
    if (field.number == 29 && field.type == 2) attribute.text = field.bytes;
    if (field.type != 2 && field.number > 2) attribute.number = number_of(field);
  }
  has_failed = has_failed || wire.has_failed();
  return attribute;
}

void take_attribute(const Attribute& attribute, ChakraNode& node) {
  if (attribute.name == "pg_name" || attribute.name == "comm_group")
    node.group = attribute.number ? std::to_string(*attribute.number) : std::string(attribute.text);
  if (!attribute.number) return;
  const std::int64_t number = *attribute.number;
  if (attribute.name == "comm_type") node.operation = number;
  if (attribute.name == "comm_size") node.bytes = number;
  if (attribute.name == "comm_tag") node.tag = number;
  if (attribute.name == "comm_root" || attribute.name == "root_rank") node.root = number;
  const bool is_peer = attribute.name == (node.kind == ChakraKind::kSend ? "comm_dst" : "comm_src");
  if (is_peer) node.peer = number;
}

// One number, or many packed into bytes.
void take_needs(const Wire::Field& field, std::vector<std::uint64_t>& needs, bool& has_failed) {
  if (field.type == 0) needs.push_back(field.value);
  if (field.type != 2) return;
  Wire wire(field.bytes);
  while (!wire.is_over()) needs.push_back(wire.varint());
  has_failed = has_failed || wire.has_failed();
}

ChakraKind kind_of(std::uint64_t type) {
  return type == kSendNode         ? ChakraKind::kSend
         : type == kReceiveNode    ? ChakraKind::kReceive
         : type == kCollectiveNode ? ChakraKind::kCollective
                                   : ChakraKind::kOther;
}

bool parse_node(std::string_view bytes, ChakraNode& node) {
  bool has_failed = false;
  std::vector<std::string_view> attributes; // for which the kind must be known
  Wire wire(bytes);
  while (!wire.is_over()) {
    const Wire::Field field = wire.field();
    const bool is_number = field.type == 0;
    if (field.number == 1 && is_number) node.id = field.value;
    if (field.number == 3 && is_number) node.kind = kind_of(field.value);
    if (field.number == 4 || field.number == 5) take_needs(field, node.needs, has_failed);
    if (field.number == 6 && is_number) node.start_us = field.value;
    if (field.number == 7 && is_number) node.duration_us = field.value;
    if (field.number == 10 && field.type == 2) attributes.push_back(field.bytes);
  }
  node.has_attributes = !attributes.empty();
  for (const std::string_view attribute : attributes)
    take_attribute(attribute_of(attribute, has_failed), node);
  return !has_failed && !wire.has_failed();
}

// Chakra 0.0.1 had fields where attributes are now: whom a node sends to would be lost.
bool is_before_attributes(const std::vector<ChakraNode>& nodes) {
  const auto communicates = [](const ChakraNode& node) { return node.kind != ChakraKind::kOther; };
  return std::any_of(nodes.begin(), nodes.end(), communicates) &&
         std::none_of(nodes.begin(), nodes.end(), [&](const ChakraNode& node) {
           return communicates(node) && node.has_attributes;
         });
}

} // namespace

Result<std::vector<ChakraNode>> parse_chakra(std::string_view bytes, Budget& budget) {
  std::vector<ChakraNode> nodes;
  Wire wire(bytes);
  wire.take(wire.varint()); // the metadata
  while (!wire.is_over()) {
    const std::string_view message = wire.take(wire.varint());
    if (wire.has_failed()) break;
    ChakraNode& node = nodes.emplace_back();
    if (!parse_node(message, node))
      return bad(
          sentence("node ", std::to_string(nodes.size()), " is none of Chakra's, by its bytes"));
    const bool fits = budget.take_items(1 + node.needs.size(), sizeof(ChakraNode)) &&
                      budget.take_items(node.group.size(), 1);
    if (!fits) return tl::unexpected<Error>(budget.error(""));
  }
  if (wire.has_failed())
    return fail(ErrorCode::kDamaged, sentence("the file ends in the middle of node ",
                                              std::to_string(nodes.size() + 1), "; copy it again"));
  if (is_before_attributes(nodes))
    return fail(ErrorCode::kUnsupported,
                "none of its communication nodes has attributes, as in Chakra before 0.0.2, which "
                "Rondo does not read; make it anew with a Chakra of today");
  return nodes;
}

} // namespace rondo::convert::internal
