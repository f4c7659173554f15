// SPDX-License-Identifier: Apache-2.0
// The slow half of NestBuilder: repetitions at the tail of the finished sequence.
#include "rondo/fold/nest_builder.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Term;

// Candidates for the period of a repetition at the tail, nearest first.
constexpr int kMaxProbes = 64;
// Candidates where folding has not paid for long, and how often all are tried all the same.
constexpr int kNearProbes = 8;
constexpr std::uint64_t kFullAttempt = 16;
// The same where folding has not paid for very long.
constexpr int kHopelessProbes = 1;
constexpr std::uint64_t kHopelessFullAttempt = 128;
// Probes without a fold after which folding does not pay, and those that a folded symbol makes
// good. Real programs waste far fewer: their symbols occur a few times in a round.
constexpr std::uint64_t kPatience = 1 << 15;
constexpr std::uint64_t kDespair = 8 * kPatience;
constexpr std::uint64_t kCredit = 16;
// Loops are tried for one more iteration if they stand no further from the tail.
constexpr std::size_t kMaxBodyTests = 32;
// Longest body that is looked for in rotation.
constexpr std::size_t kMaxRotated = 256;

// Prefix hashes are polynomials modulo the Mersenne prime 2^61 - 1, which makes reduction two
// additions and a false match of two sequences improbable (length / 2^61).
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x1b873593a4093822 & kPrime;

__extension__ using Product = unsigned __int128;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Product>(a) * b;
  const std::uint64_t sum =
      static_cast<std::uint64_t>(product & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t extend(std::uint64_t hash, Term term) {
  return add(multiply(hash, kBase), std::uint64_t{term.code} + 1);
}

constexpr auto is_same_term = [](Term a, const auto& element) { return a == element.term; };

} // namespace

void NestBuilder::append(Term term) {
  if (term.code >= last_position_.size()) last_position_.resize(term.code + 64, -1);
  const std::uint64_t before = finished_.empty() ? 0 : finished_.back().hash;
  finished_.push_back({term, last_position_[term.code], extend(before, term)});
  last_position_[term.code] = static_cast<std::int32_t>(finished_.size() - 1);
  if (term.is_loop()) loop_positions_.push_back(finished_.size() - 1);
}

// In O(n log n) for n places, however long the stream is. Hashes stay, as nothing is compared.
std::vector<std::uint32_t> NestBuilder::rename(const std::vector<std::uint32_t>& others,
                                               std::uint32_t to) {
  std::vector<std::int32_t> places;
  for (const std::uint32_t symbol : others) {
    const std::uint32_t code = Term::symbol(symbol).code;
    if (code >= last_position_.size()) continue;
    for (std::int32_t& at = last_position_[code]; at >= 0;) {
      places.push_back(at);
      at = finished_[static_cast<std::size_t>(at)].previous;
    }
  }
  std::sort(places.begin(), places.end());
  const Term term = Term::symbol(to);
  if (term.code >= last_position_.size()) last_position_.resize(term.code + 64, -1);
  std::vector<std::uint32_t> before;
  before.reserve(places.size());
  for (const std::int32_t place : places) {
    Element& element = finished_[static_cast<std::size_t>(place)];
    before.push_back(element.term.index());
    element.term = term;
    element.previous = std::exchange(last_position_[term.code], place);
  }
  return before;
}

void NestBuilder::drop_tail(std::size_t count) {
  for (; count > 0; --count) {
    const Element& element = finished_.back();
    last_position_[element.term.code] = element.previous;
    if (element.term.is_loop()) loop_positions_.pop_back();
    finished_.pop_back();
  }
}

std::uint64_t NestBuilder::hash_of(std::size_t begin, std::size_t end) const {
  const std::uint64_t prefix = begin == 0 ? 0 : finished_[begin - 1].hash;
  const std::uint64_t whole = finished_[end - 1].hash;
  return add(whole, kPrime - multiply(prefix, powers_[end - begin]));
}

// Folding
// ---------------------------------------------------------------------------------------------

void NestBuilder::fold_tail() {
  if (finished_.empty() || !folds_) return;
  // Symbols that the cursor took since the last attempt show that folding pays.
  const std::uint64_t taken = size_ - size_at_attempt_;
  size_at_attempt_ = size_;
  wasted_probes_ -= std::min(wasted_probes_, kCredit * (taken - std::min<std::uint64_t>(taken, 1)));
  if (!fold_square()) reopen_loop();
}

// Where nothing folds, most attempts look at the nearest candidates only. A loop that starts there
// is met by the next full attempt, a few symbols late.
int NestBuilder::allowed_probes() {
  if (wasted_probes_ < kPatience) return kMaxProbes;
  const bool is_hopeless = wasted_probes_ > kDespair;
  const bool full = ++attempts_ % (is_hopeless ? kHopelessFullAttempt : kFullAttempt) == 0;
  return full ? kMaxProbes : is_hopeless ? kHopelessProbes : kNearProbes;
}

// Looks for w w at the tail, shortest w first, and opens a loop over w that has gone round twice.
// The shortest period found at its first chance gives the leftmost alignment, hence the same one
// for equal streams.
bool NestBuilder::fold_square() {
  const std::size_t n = finished_.size();
  std::int32_t position = finished_.back().previous;
  const int probes = position < 0 ? 0 : allowed_probes();
  int probe = 0;
  for (; probe < probes && position >= 0; ++probe) {
    const std::size_t period = n - 1 - static_cast<std::size_t>(position);
    if (2 * period > n) break; // longer ones cannot fit either
    if (is_square(period)) {
      const std::uint64_t hash = body_hash(period);
      std::uint32_t loop = find_body(period, hash);
      // A loop met again may have been entered in the midst of its body: wait until the tail is in
      // step with it.
      if (loop == kNothing && has_rotated_body(period)) return false;
      if (loop == kNothing) loop = add_body(period, hash);
      drop_tail(2 * period);
      open(loop, 1);
      return true;
    }
    position = finished_[static_cast<std::size_t>(position)].previous;
  }
  wasted_probes_ += static_cast<std::uint64_t>(probe);
  return false;
}

// True if the last `period` terms equal those before; their last terms are known to.
bool NestBuilder::is_square(std::size_t period) {
  const std::size_t n = finished_.size();
  // The terms before the last tell most candidates apart without the hashes.
  if (period > 1 && finished_[n - 2 - period].term != finished_[n - 2].term) return false;
  while (powers_.size() <= period) powers_.push_back(multiply(powers_.back(), kBase));
  return hash_of(n - period, n) == hash_of(n - 2 * period, n - period);
}

// Looks for a loop near the tail whose body is all that follows it: one more iteration of it.
bool NestBuilder::reopen_loop() {
  const std::size_t n = finished_.size();
  for (std::size_t i = loop_positions_.size(); i > 0; --i) {
    const std::size_t length = n - 1 - loop_positions_[i - 1];
    if (length > kMaxBodyTests) return false;
    const std::uint32_t loop = finished_[loop_positions_[i - 1]].term.index();
    const std::vector<Term>& body = bodies_[loop].terms;
    if (body.size() != length) continue;
    const bool equal =
        std::equal(body.begin(), body.end(), finished_.end() - static_cast<std::ptrdiff_t>(length),
                   is_same_term);
    if (!equal) continue;
    drop_tail(length + 1);
    open(loop, static_cast<std::uint64_t>(bodies_[loop].trip_counts.take_back()));
    return true;
  }
  return false;
}

// The cursor stands at the end of an iteration; `completed` counts those before it.
void NestBuilder::open(std::uint32_t loop, std::uint64_t completed) {
  const auto last = static_cast<std::int32_t>(bodies_[loop].terms.size() - 1);
  frames_.clear();
  frames_.push({loop, last, completed, kUnlimited});
  predict();
}

// Bodies
// --------------------------------------------------------------------------------------------------

// The loop whose body is the last `size` finished terms; kNothing if there is none.
std::uint32_t NestBuilder::find_body(std::size_t size, std::uint64_t hash) const {
  const auto tail = finished_.end() - static_cast<std::ptrdiff_t>(size);
  const auto [begin, end] = body_by_hash_.equal_range(hash);
  const auto found = std::find_if(begin, end, [&](const auto& entry) {
    const std::vector<Term>& body = bodies_[entry.second].terms;
    return std::equal(body.begin(), body.end(), tail, finished_.end(), is_same_term);
  });
  return found == end ? kNothing : found->second;
}

std::uint32_t NestBuilder::add_body(std::size_t size, std::uint64_t hash) {
  const auto loop = static_cast<std::uint32_t>(bodies_.size());
  Body& body = bodies_.emplace_back();
  body.terms.reserve(size);
  for (std::size_t i = finished_.size() - size; i < finished_.size(); ++i)
    body.terms.push_back(finished_[i].term);
  body_by_hash_.emplace(hash, loop);
  if (size <= kMaxRotated) body_by_rotation_.emplace(rotation_hash(size), loop);
  body_terms_ += size;
  return loop;
}

// True if the square at the tail is two iterations of a loop, but begins and ends within its body.
bool NestBuilder::has_rotated_body(std::size_t size) const {
  if (size > kMaxRotated) return false;
  const auto square = finished_.end() - static_cast<std::ptrdiff_t>(2 * size);
  const auto [begin, end] = body_by_rotation_.equal_range(rotation_hash(size));
  return std::any_of(begin, end, [&](const auto& entry) {
    const std::vector<Term>& body = bodies_[entry.second].terms;
    return body.size() == size &&
           std::search(square, finished_.end(), body.begin(), body.end(),
                       [](const Element& a, Term b) { return a.term == b; }) != finished_.end();
  });
}

std::uint64_t NestBuilder::body_hash(std::size_t size) const {
  std::uint64_t hash = size;
  for (std::size_t i = finished_.size() - size; i < finished_.size(); ++i)
    hash = extend(hash, finished_[i].term);
  return hash;
}

// Equal for rotations: a sum over neighbours, the first of which follows the last.
std::uint64_t NestBuilder::rotation_hash(std::size_t size) const {
  std::uint64_t hash = size;
  Term before = finished_.back().term;
  for (std::size_t i = finished_.size() - size; i < finished_.size(); ++i) {
    const Term term = finished_[i].term;
    hash = add(hash, multiply(extend(extend(1, before), term), kBase));
    before = term;
  }
  return hash;
}

} // namespace rondo::fold
