// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/nest_builder.hpp"

#include <algorithm>

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
// Choices tried to explain an unexpected symbol at a loop's border.
constexpr int kMaxPathSteps = 64;
// Trip count of a loop that has outrun its prediction: it goes on until a symbol says otherwise.
constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

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

} // namespace

// The cursor
// ------------------------------------------------------------------------------------------

void NestBuilder::accept_expected() {
  Frame& frame = frames_.back();
  switch (step_) {
  case Step::kNextTerm:
    ++frame.index;
    break;
  case Step::kNextIteration:
    ++frame.completed;
    frame.index = 0;
    break;
  case Step::kPath:
    take(predicted_);
    return;
  }
  predict();
}

void NestBuilder::take(Path& path) {
  for (const auto& [loop, iterations] : path.trip_counts) {
    bodies_[loop].trip_counts.push(static_cast<std::int64_t>(iterations));
  }
  std::swap(frames_, path.frames);
  predict();
}

// Sets expected_ and step_ for the symbol after the cursor.
void NestBuilder::predict() {
  const Frame& frame = frames_.back();
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  const auto next = static_cast<std::size_t>(frame.index + 1);
  if (next < body.size()) {
    if (!body[next].is_loop()) {
      expected_ = body[next].index();
      step_ = Step::kNextTerm;
      return;
    }
  } else if (!body.front().is_loop() && frame.completed + 1 < frame.predicted) {
    expected_ = body.front().index();
    step_ = Step::kNextIteration;
    return;
  }
  predict_path();
}

// Walks from the cursor to the next symbol, taking every loop as often as the last time.
void NestBuilder::predict_path() {
  step_ = Step::kPath;
  expected_ = kNothing;
  predicted_.frames = frames_;
  predicted_.trip_counts.clear();
  for (int steps = 0; steps < kMaxPathSteps; ++steps) {
    Frame& frame = predicted_.frames.back();
    const std::vector<Term>& body = bodies_[frame.loop].terms;
    if (static_cast<std::size_t>(frame.index + 1) == body.size()) {
      if (predicted_.frames.size() == 1 || frame.completed + 1 < frame.predicted) {
        ++frame.completed;
        frame.index = -1;
      } else {
        predicted_.trip_counts.emplace_back(frame.loop, frame.completed + 1);
        predicted_.frames.pop_back();
      }
      continue;
    }
    const Term term = body[static_cast<std::size_t>(++frame.index)];
    if (!term.is_loop()) {
      expected_ = term.index();
      return;
    }
    const auto count = static_cast<std::uint64_t>(bodies_[term.index()].trip_counts.last());
    if (count == 0) {
      predicted_.trip_counts.emplace_back(term.index(), 0);
    } else {
      predicted_.frames.push_back({term.index(), -1, 0, count});
    }
  }
}

// At a loop's border the symbol may be what another trip count leads to.
bool NestBuilder::take_other_path(std::uint32_t symbol) {
  if (frames_.empty() || step_ == Step::kNextTerm) return false;
  other_.frames = frames_;
  other_.trip_counts.clear();
  int budget = kMaxPathSteps;
  if (!search_path(other_, symbol, budget, false)) return false;
  Frame& frame = other_.frames.back();
  frame.predicted = std::max(frame.predicted, frame.completed + 1);
  take(other_);
  return true;
}

// Depth first over the choices {next iteration, leave, enter, skip} from path's cursor. On success
// the path's cursor stands on `symbol`; on failure the path is as it was, undone step by step:
// copies would cost more than the search.
bool NestBuilder::search_path(Path& path, std::uint32_t symbol, int& budget, bool wrapped) const {
  if (--budget < 0) return false;
  const Frame saved = path.frames.back();
  const std::vector<Term>& body = bodies_[saved.loop].terms;
  const auto next = static_cast<std::size_t>(saved.index + 1);
  if (next == body.size()) return search_border(path, symbol, budget, wrapped);
  const Term term = body[next];
  if (!term.is_loop()) {
    if (term.index() != symbol) return false;
    ++path.frames.back().index;
    return true;
  }
  ++path.frames.back().index;
  const auto count = static_cast<std::uint64_t>(bodies_[term.index()].trip_counts.last());
  path.frames.push_back({term.index(), -1, 0, std::max<std::uint64_t>(count, 1)});
  if (search_path(path, symbol, budget, wrapped)) return true;
  path.frames.pop_back();
  path.trip_counts.emplace_back(term.index(), 0);
  if (search_path(path, symbol, budget, wrapped)) return true;
  path.trip_counts.pop_back();
  path.frames.back() = saved;
  return false;
}

// The same at the end of a body.
bool NestBuilder::search_border(Path& path, std::uint32_t symbol, int& budget, bool wrapped) const {
  const bool outermost = path.frames.size() == 1;
  if (outermost && wrapped) return false; // a whole iteration of nothing but skipped loops
  const Frame saved = path.frames.back();
  Frame& frame = path.frames.back();
  ++frame.completed;
  frame.index = -1;
  // A loop that goes on longer than predicted is no longer predicted to stop.
  if (!outermost && frame.completed >= frame.predicted) frame.predicted = kUnlimited;
  if (search_path(path, symbol, budget, wrapped || outermost)) return true;
  path.frames.back() = saved;
  if (outermost) return false;
  path.trip_counts.emplace_back(saved.loop, saved.completed + 1);
  path.frames.pop_back();
  if (search_path(path, symbol, budget, wrapped)) return true;
  path.trip_counts.pop_back();
  path.frames.push_back(saved);
  return false;
}

// Off the cursor
// --------------------------------------------------------------------------------------

void NestBuilder::push_unexpected(std::uint32_t symbol) {
  if (take_other_path(symbol)) return;
  if (!frames_.empty()) {
    close();
    fold_tail();
    // The fold may have opened a loop around the one just closed, and the symbol may continue it;
    // if it were appended instead, outer loops would never get a cursor.
    if (symbol == expected_) {
      accept_expected();
      return;
    }
    if (take_other_path(symbol)) return;
    if (!frames_.empty()) close();
  }
  append(Term::symbol(symbol));
  fold_tail();
}

// Puts the open loop into the finished sequence: its complete iterations as a loop, then the rest
// of the iteration under way, term by term. The pieces are not folded again one by one: a loop made
// of them would take trip counts that its inner loops have recorded already.
void NestBuilder::close() {
  std::vector<Frame>& frames = other_.frames;
  frames.swap(frames_);
  frames_.clear();
  expected_ = kNothing;
  step_ = Step::kNextTerm;
  for (std::size_t depth = 0; depth < frames.size(); ++depth) {
    const Frame& frame = frames[depth];
    const bool innermost = depth + 1 == frames.size();
    const std::size_t body_size = bodies_[frame.loop].terms.size();
    std::size_t partial = static_cast<std::size_t>(frame.index + (innermost ? 1 : 0));
    std::uint64_t completed = frame.completed;
    if (partial == body_size) {
      ++completed;
      partial = 0;
    }
    if (completed > 0) append_loop(frame.loop, completed);
    for (std::size_t i = 0; i < partial; ++i) append(bodies_[frame.loop].terms[i]);
  }
}

void NestBuilder::append_loop(std::uint32_t loop, std::uint64_t iterations) {
  bodies_[loop].trip_counts.push(static_cast<std::int64_t>(iterations));
  append(Term::loop(loop));
}

void NestBuilder::append(Term term) {
  if (term.code >= last_position_.size()) last_position_.resize(term.code + 64, -1);
  const std::uint64_t before = finished_.empty() ? 0 : finished_.back().hash;
  finished_.push_back({term, last_position_[term.code], extend(before, term)});
  last_position_[term.code] = static_cast<std::int32_t>(finished_.size() - 1);
  if (term.is_loop()) loop_positions_.push_back(finished_.size() - 1);
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
      const std::uint32_t loop = intern_tail(period);
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
                   [](Term a, const Element& b) { return a == b.term; });
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
  frames_.assign(1, {loop, last, completed, kUnlimited});
  predict();
}

// The loop whose body is the last `size` finished terms.
std::uint32_t NestBuilder::intern_tail(std::size_t size) {
  const auto tail = finished_.end() - static_cast<std::ptrdiff_t>(size);
  std::uint64_t hash = size;
  for (auto it = tail; it != finished_.end(); ++it) hash = extend(hash, it->term);
  const auto [begin, end] = body_by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const std::vector<Term>& body = bodies_[it->second].terms;
    const bool equal = std::equal(body.begin(), body.end(), tail, finished_.end(),
                                  [](Term a, const Element& b) { return a == b.term; });
    if (equal) return it->second;
  }
  const auto loop = static_cast<std::uint32_t>(bodies_.size());
  Body& body = bodies_.emplace_back();
  body.terms.reserve(size);
  for (auto it = tail; it != finished_.end(); ++it) body.terms.push_back(it->term);
  body_by_hash_.emplace(hash, loop);
  body_terms_ += size;
  return loop;
}

std::size_t NestBuilder::terms() const { return finished_.size() + body_terms_; }

trace::Nest NestBuilder::finish() {
  if (!frames_.empty()) close();
  std::vector<trace::Loop> loops;
  loops.reserve(bodies_.size());
  for (Body& body : bodies_) loops.push_back({std::move(body.terms), body.trip_counts.finish()});
  std::vector<Term> top;
  top.reserve(finished_.size());
  for (const Element& element : finished_) top.push_back(element.term);
  *this = NestBuilder();
  return {std::move(loops), std::move(top)};
}

} // namespace rondo::fold
