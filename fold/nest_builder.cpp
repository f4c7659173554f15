// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/nest_builder.hpp"

#include <algorithm>

namespace rondo::fold {
namespace {

using trace::Term;

// Choices tried to explain an unexpected symbol at a loop's border.
constexpr int kMaxPathSteps = 64;
// Symbols after a border that may be explained anew.
constexpr std::int32_t kMaxTakenBack = 16;

} // namespace

inline void NestBuilder::Frames::copy(const Frames& other) {
  size_ = other.size_;
  if (size_ > frames_.size()) frames_.resize(other.frames_.size());
  for (std::size_t i = 0; i < kAtOnce; ++i) frames_[i] = other.frames_[i];
  for (std::size_t i = kAtOnce; i < size_; ++i) frames_[i] = other.frames_[i];
}

// The cursor
// ------------------------------------------------------------------------------------------

// Takes the expected step where that is more than a step within a body or round it.
void NestBuilder::cross_border() {
  if (ahead_.step == Step::kUnknown) predict();
  switch (ahead_.step) {
  case Step::kLeave:
    return leave();
  case Step::kEnter:
    return enter();
  case Step::kPath:
    return take(predicted_);
  default:
    return accept_expected();
  }
}

// From the end of the innermost loop to the symbol after it.
void NestBuilder::leave() {
  begin_crossing();
  const Frame left = frames_.back();
  uncommitted_.emplace_back(left.loop, left.completed + 1);
  bodies_[left.loop].last_count = left.completed + 1;
  frames_.pop();
  first_index_ = ++frames_.back().index;
  predict();
}

// Into the loop that comes next in the innermost body, or in its next iteration.
void NestBuilder::enter() {
  begin_crossing();
  Frame& frame = frames_.back();
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  if (static_cast<std::size_t>(++frame.index) == body.size()) {
    ++frame.completed;
    frame.index = 0;
  }
  const std::uint32_t loop = body[static_cast<std::size_t>(frame.index)].index();
  frames_.push({loop, 0, 0, bodies_[loop].last_count});
  first_index_ = 0;
  predict();
}

void NestBuilder::begin_crossing() {
  commit_counts();
  frames_before_.copy(frames_);
  crossing_ = Crossing::kPath;
}

void NestBuilder::take(Path& path) {
  commit_counts();
  uncommitted_.swap(path.trip_counts);
  for (const auto& [loop, iterations] : uncommitted_) bodies_[loop].last_count = iterations;
  frames_before_.swap(frames_);
  frames_.swap(path.frames);
  first_index_ = frames_.back().index;
  crossing_ = Crossing::kPath;
  predict();
}

void NestBuilder::commit_counts() {
  for (const auto& [loop, iterations] : uncommitted_) {
    bodies_[loop].trip_counts.push(static_cast<std::int64_t>(iterations));
  }
  uncommitted_.clear();
}

// Sets expected_ and ahead_.step for the symbol after the cursor.
void NestBuilder::predict() {
  Frame& frame = frames_.back();
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  ahead_.frame = &frame;
  ahead_.begin = body.data();
  ahead_.next = ahead_.begin + frame.index + 1;
  ahead_.end = ahead_.begin + body.size();
  predict_ahead();
}

[[gnu::noinline]] void NestBuilder::predict_border() {
  if (!predict_one_border()) predict_path();
}

// The ways over most borders, which are known by one look and are gone without a copy of the path:
// out of the innermost loop or into another.
bool NestBuilder::predict_one_border() {
  const Frame& frame = frames_.back();
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  auto next = static_cast<std::size_t>(frame.index + 1);
  if (next == body.size() && frames_.size() > 1 && frame.completed + 1 >= frame.predicted) {
    const Term* after = term_after_loop();
    if (after == nullptr || after->is_loop()) return false;
    expected_ = after->index();
    ahead_.step = Step::kLeave;
    return true;
  }
  if (next == body.size()) next = 0;
  if (!body[next].is_loop()) return false;
  const Body& inner = bodies_[body[next].index()];
  if (inner.last_count == 0 || inner.terms.front().is_loop()) return false;
  expected_ = inner.terms.front().index();
  ahead_.step = Step::kEnter;
  return true;
}

// What comes after the innermost loop in the body around it; nullptr if that is the end.
inline const Term* NestBuilder::term_after_loop() const {
  const Frame& outer = frames_[frames_.size() - 2];
  const std::vector<Term>& body = bodies_[outer.loop].terms;
  const auto next = static_cast<std::size_t>(outer.index + 1);
  return next == body.size() ? nullptr : &body[next];
}

// Walks from the cursor to the next symbol, taking every loop as often as the last time.
void NestBuilder::predict_path() {
  ahead_.step = Step::kPath;
  expected_ = kNothing;
  predicted_.frames.copy(frames_);
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
        predicted_.frames.pop();
      }
      continue;
    }
    const Term term = body[static_cast<std::size_t>(++frame.index)];
    if (!term.is_loop()) {
      expected_ = term.index();
      return;
    }
    const std::uint64_t count = bodies_[term.index()].last_count;
    if (count == 0) {
      predicted_.trip_counts.emplace_back(term.index(), 0);
    } else {
      predicted_.frames.push({term.index(), -1, 0, count});
    }
  }
}

// At a loop's border the symbol may be what another trip count leads to.
bool NestBuilder::take_other_path(std::uint32_t symbol) {
  if (frames_.empty()) return false;
  if (ahead_.step == Step::kUnknown) predict();
  if (ahead_.step == Step::kNextTerm) return take_border_back(symbol);
  if (go_on(symbol) || leave_early(symbol)) return true;
  word_.assign(1, symbol);
  other_.frames.copy(frames_);
  other_.trip_counts.clear();
  int budget = kMaxPathSteps;
  if (!search_path(other_, 0, budget, false)) return take_border_back(symbol);
  Frame& frame = other_.frames.back();
  frame.predicted = std::max(frame.predicted, frame.completed + 1);
  take(other_);
  return true;
}

// The two ways that search_path would find first and that loops with changing trip counts take all
// the time, without the search: another iteration of the innermost loop,
bool NestBuilder::go_on(std::uint32_t symbol) {
  Frame& frame = frames_.back();
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  const bool is_at_end = static_cast<std::size_t>(frame.index + 1) == body.size();
  if (!is_at_end || frames_.size() == 1 || body.front() != Term::symbol(symbol)) return false;
  frame.predicted = kUnlimited; // it has gone on longer than predicted
  next_iteration(frame);
  predict();
  return true;
}

// or the term after it, where another iteration would begin with another symbol.
bool NestBuilder::leave_early(std::uint32_t symbol) {
  if (ahead_.step != Step::kNextIteration || frames_.size() == 1) return false;
  const Term* after = term_after_loop();
  if (after == nullptr || *after != Term::symbol(symbol)) return false;
  leave();
  return true;
}

// The symbols since the last border may fit another way over it, which this one shows to be the
// right one: (a b)*3 a c after a loop that went round four times last time.
bool NestBuilder::take_border_back(std::uint32_t symbol) {
  if (crossing_ == Crossing::kNextTerm) return false;
  const Frame& frame = frames_.back();
  if (frame.index - first_index_ >= kMaxTakenBack) return false;
  const std::vector<Term>& body = bodies_[frame.loop].terms;
  word_.clear();
  for (std::int32_t i = first_index_; i <= frame.index; ++i) {
    word_.push_back(body[static_cast<std::size_t>(i)].index());
  }
  word_.push_back(symbol);
  other_.trip_counts.clear();
  if (crossing_ == Crossing::kPath) {
    other_.frames.copy(frames_before_);
  } else {
    other_.frames.copy(frames_);
    --other_.frames.back().completed;
    other_.frames.back().index = static_cast<std::int32_t>(body.size() - 1);
  }
  int budget = kMaxPathSteps;
  if (!search_path(other_, 0, budget, false)) return false;
  if (crossing_ == Crossing::kPath) uncommitted_.clear();
  Frame& reached = other_.frames.back();
  reached.predicted = std::max(reached.predicted, reached.completed + 1);
  take(other_);
  crossing_ = Crossing::kNextTerm; // several borders may lie behind now
  return true;
}

// Depth first over the choices {next iteration, leave, enter, skip} from path's cursor, for a way
// on which word_ is met; `matched` symbols of it have been. On success the path's cursor stands on
// the last; on failure the path is as it was, undone step by step: copies would cost more than the
// search.
bool NestBuilder::search_path(Path& path, std::size_t matched, int& budget, bool wrapped) const {
  if (--budget < 0) return false;
  const Frame saved = path.frames.back();
  const std::vector<Term>& body = bodies_[saved.loop].terms;
  const auto next = static_cast<std::size_t>(saved.index + 1);
  if (next == body.size()) return search_border(path, matched, budget, wrapped);
  const Term term = body[next];
  ++path.frames.back().index;
  if (!term.is_loop()) {
    const bool is_match = term.index() == word_[matched];
    if (is_match && matched + 1 == word_.size()) return true;
    if (is_match && search_path(path, matched + 1, budget, false)) return true;
    path.frames.back() = saved;
    return false;
  }
  const std::uint64_t count = bodies_[term.index()].last_count;
  path.frames.push({term.index(), -1, 0, std::max<std::uint64_t>(count, 1)});
  if (search_path(path, matched, budget, wrapped)) return true;
  path.frames.pop();
  path.trip_counts.emplace_back(term.index(), 0);
  if (search_path(path, matched, budget, wrapped)) return true;
  path.trip_counts.pop_back();
  path.frames.back() = saved;
  return false;
}

// The same at the end of a body.
bool NestBuilder::search_border(Path& path, std::size_t matched, int& budget, bool wrapped) const {
  const bool outermost = path.frames.size() == 1;
  if (outermost && wrapped) return false; // a whole iteration of nothing but skipped loops
  const Frame saved = path.frames.back();
  Frame& frame = path.frames.back();
  ++frame.completed;
  frame.index = -1;
  // A loop that goes on longer than predicted is no longer predicted to stop.
  if (!outermost && frame.completed >= frame.predicted) frame.predicted = kUnlimited;
  if (search_path(path, matched, budget, wrapped || outermost)) return true;
  path.frames.back() = saved;
  if (outermost) return false;
  path.trip_counts.emplace_back(saved.loop, saved.completed + 1);
  path.frames.pop();
  if (search_path(path, matched, budget, wrapped)) return true;
  path.trip_counts.pop_back();
  path.frames.push(saved);
  return false;
}

// Off the cursor
// --------------------------------------------------------------------------------------

[[gnu::noinline]] void NestBuilder::push_unexpected(std::uint32_t symbol) {
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
  ++unexplained_;
  append(Term::symbol(symbol));
  fold_tail();
}

// Puts the open loop into the finished sequence: its complete iterations as a loop, then the rest
// of the iteration under way, term by term. The pieces are not folded again one by one: a loop made
// of them would take trip counts that its inner loops have recorded already.
void NestBuilder::close() {
  commit_counts();
  crossing_ = Crossing::kNextTerm;
  Frames& frames = other_.frames;
  frames.swap(frames_);
  frames_.clear();
  expected_ = kNothing;
  ahead_.step = Step::kUnknown;
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
  bodies_[loop].last_count = iterations;
  append(Term::loop(loop));
}

std::size_t NestBuilder::terms() const { return finished_.size() + body_terms_; }

trace::Nest NestBuilder::finish(Polishing polishing) {
  if (!frames_.empty()) close();
  std::vector<trace::Loop> loops;
  loops.reserve(bodies_.size());
  for (Body& body : bodies_)
    loops.push_back({std::move(body.terms), body.trip_counts.finish(polishing)});
  std::vector<Term> top;
  top.reserve(finished_.size());
  for (const Element& element : finished_) top.push_back(element.term);
  *this = NestBuilder(folds_);
  return {std::move(loops), std::move(top)};
}

} // namespace rondo::fold
