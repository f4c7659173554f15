// SPDX-License-Identifier: Apache-2.0
// Goes through packed programs number by number, as its grammar says (docs/formats/rondo.md), to
// know what each of them is: a writer reads the numbers and codes them, a reader packs what was
// coded.
#include "archive/modelled_program.hpp"

#include "archive/number_model.hpp"
#include "archive/packed.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace rondo::archive {
namespace {

template <class Coder> class ProgramCoding {
public:
  ProgramCoding(Coder& coder, Budget* budget) : coder_(coder), model_(coder), budget_(budget) {}

  /// @param given  what a writer has
  /// @return       the packed program; of a writer nothing
  std::string program(std::string_view given) {
    given_ = Unpacker(given);
    out_ = Packer();
    model_.begin_anew();
    number({kThread});
    list(0, [&] { set(); });
    list(1, [&] { function(); });
    list(2, [&] { call(); });
    list(3, [&] {
      list(4, [&] { term(); });
      value(kTrips, kTripsOperand, 0, 0);
      number({kSet, 1});
    });
    list(5, [&] { term(); });
    list(6, [&] { trips(0); });
    list(7, [&] { list(8, [&] { word({kArrayValue}); }); });
    list(9, [&] { list(10, [&] { letter(); }); });
    return std::move(out_).bytes();
  }
  bool is_ok() const { return is_ok_ && given_.ok() && coder_.is_ok(); }

private:
  // What a number is.
  enum Kind : std::uint64_t {
    kThread,
    kSize, // of lists
    kFirstRank,
    kTimes, // an item of a sequence
    kItem,
    kDomain,
    kModulo,
    kEncoding,
    kFunction,
    kError,
    kSite,
    kSet,
    kValue,
    kOperand,
    kTrips,
    kTripsOperand,
    kColumn,
    kRunValue,
    kRunCount,
    kFirstValue,
    kDifference,
    kNestTerm,
    kSum,
    kColumnValue,
    kArrayValue,
    kLetter,
    kLarge,
    kTerm,
  };

  static constexpr std::uint64_t kFirstForm = 54; // of words: forms, each with an operand
  static constexpr std::uint64_t kLastForm = 62;
  static constexpr int kMaxDepth = 64; // as unpack_program() has it
  static constexpr std::uint64_t kBytesOfNumber = 64; // what is known of it while others are read

  std::uint64_t number(const NumberPlace& at) { return put(model_.code(at, given())); }
  std::uint64_t given() { return Coder::kWrites && is_ok() ? given_.get() : 0; }
  std::uint64_t put(std::uint64_t number) {
    if constexpr (!Coder::kWrites) {
      if (budget_ != nullptr && !budget_->take_items(1, kBytesOfNumber)) is_ok_ = false;
      out_.put(number);
    }
    return number;
  }

  template <class Item> void list(std::uint64_t key, Item item) {
    const std::uint64_t size = number({kSize, key});
    for (std::uint64_t i = 0; i < size && is_ok(); ++i) item();
  }

  // A number of more than 63 bits stands behind a 0.
  std::uint64_t word(const NumberPlace& at) {
    const std::uint64_t code = number(at);
    if (code == 0) number({kLarge});
    return code;
  }
  // A word, or a form and its operand.
  void value(Kind kind, Kind operand, std::uint64_t key, std::uint64_t source) {
    const std::uint64_t form = word({kind, key, source, 2});
    if (form >= kFirstForm && form <= kLastForm) word({operand, form, key, 2});
  }

  void set() {
    if (number({kFirstRank}) != 0) sequence(0, 0);
  }
  void sequence(std::uint64_t key, int depth) {
    if (depth > kMaxDepth) is_ok_ = false;
    list(100 + key, [&] {
      if (number({kTimes, key}) % 2 == 0) {
        word({kItem, key});
      } else {
        sequence(key, depth + 1);
      }
    });
  }
  void function() {
    const std::uint64_t domain = number({kDomain});
    if (domain % 2 == 1) number({kModulo});
    list(11, [&] {
      const std::uint64_t encoding = number({kEncoding, domain});
      sequence(1 + domain * 8 + encoding, 0);
    });
  }

  void call() {
    // The site says which function it is, most of the time.
    const std::uint64_t function_given = given();
    const std::uint64_t error_given = given();
    const std::uint64_t site = model_.code({kSite, 0, 0, 1}, given());
    const std::uint64_t id = put(model_.code({kFunction, 0, site}, function_given));
    put(model_.code({kError}, error_given));
    put(site);
    number({kSet, 0, site});
    const trace::Function* function = trace::find_function(static_cast<std::uint16_t>(id));
    if (id > 0xffff || function == nullptr) {
      is_ok_ = false;
      return;
    }
    for (std::size_t i = 0; i < function->words() && is_ok(); ++i)
      value(kValue, kOperand, id * 64 + i, site);
  }
  // A byte of a text, which is no packed number.
  void letter() {
    const std::uint64_t code =
        model_.code({kLetter}, Coder::kWrites && is_ok() ? given_.get_byte() : 0);
    if constexpr (!Coder::kWrites) {
      if (budget_ != nullptr && !budget_->take_items(1, kBytesOfNumber)) is_ok_ = false;
      out_.put_byte(static_cast<std::uint8_t>(code));
    }
  }
  void term() { put(model_.code_repeated(kTerm, given())); }

  void trips(int depth) {
    if (column(depth) == 1) number({kSum});
  }
  std::uint64_t column(int depth) {
    const std::uint64_t kind = number({kColumn});
    if (kind == 0) {
      list(12, [&] {
        word({kRunValue});
        number({kRunCount});
      });
    } else if (kind == 1) {
      word({kFirstValue});
      list(13, [&] { number({kDifference}); });
      nest(depth + 1);
    } else if (kind == 2) {
      list(14, [&] { word({kColumnValue}); });
    } else {
      is_ok_ = false;
    }
    return kind;
  }
  void nest(int depth) {
    if (depth > kMaxDepth) is_ok_ = false;
    list(15, [&] {
      list(16, [&] { number({kNestTerm}); });
      trips(depth + 1);
    });
    list(17, [&] { number({kNestTerm}); });
  }

  Coder& coder_;
  NumberModel<Coder> model_;
  Unpacker given_{{}};
  Packer out_;
  Budget* budget_;
  bool is_ok_ = true;
};

} // namespace

namespace {

// Large programs have many contexts; those of other ranks have mostly the same.
Slots slots_for(std::uint64_t packed_bytes) {
  return {std::clamp(static_cast<int>(std::bit_width(packed_bytes)) + 5, 16, 22), true};
}

} // namespace

std::string pack_modelled_programs(const std::vector<std::string_view>& packed) {
  Packer sizes;
  sizes.put(packed.size());
  std::uint64_t size = 0;
  for (const std::string_view program : packed) {
    sizes.put(program.size());
    size += program.size();
  }
  AdaptiveWriter writer(slots_for(size));
  ProgramCoding<AdaptiveWriter> coding(writer, nullptr);
  for (const std::string_view program : packed) coding.program(program);
  return std::move(sizes).bytes() + std::move(writer).bytes();
}

std::uint64_t packed_size_of(std::string_view modelled) {
  Unpacker in(modelled);
  std::uint64_t all = 0;
  for (const std::uint64_t size : unpack_items<std::uint64_t>(in, [&] { return in.get(); }))
    all += size;
  return all;
}

std::optional<std::vector<std::string>> unpack_modelled_programs(std::string_view bytes,
                                                                 Budget* budget) {
  std::vector<std::string> programs;
  if (bytes.empty()) return programs;
  Unpacker in(bytes, budget);
  const auto sizes = unpack_items<std::uint64_t>(in, [&] { return in.get(); });
  const Slots slots = slots_for(packed_size_of(bytes));
  if (!in.ok() || !in.pay(1, Slots::kBytesOfEach << slots.bits)) return std::nullopt;
  AdaptiveReader reader(bytes.substr(bytes.size() - in.left()), slots);
  ProgramCoding<AdaptiveReader> coding(reader, budget);
  for (const std::uint64_t size : sizes) {
    programs.push_back(coding.program({}));
    if (!coding.is_ok() || programs.back().size() != size) return std::nullopt;
  }
  if (!reader.at_end()) return std::nullopt;
  return programs;
}

} // namespace rondo::archive
