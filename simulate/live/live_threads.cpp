// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_threads.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace rondo::simulate::internal {

namespace live = trace::live;
using namespace std::chrono_literals;

namespace {

// A thread that looks now and then whether it may go on sleeps, too.
constexpr int kNapsShare = 20; // one part in so many awake
constexpr auto kWaking = 50us; // that a look at it may take, besides
// On a processor. Ranks that share one get it for some ten microseconds at a time, so what one of
// them has sent has arrived.
constexpr auto kNoticing = 1ms;

// The beginning of a small file of the system; empty if it cannot be read.
std::string text_of(const std::string& path) {
  std::string text(512, '\0');
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code gone;
  for (std::filesystem::directory_iterator each(fmt::format("/proc/{}/task", process), gone), end;
       !gone && each != end; each.increment(gone)) {
    const std::string name = each->path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    threads.push_back(thread);
  }
  return threads;
}

} // namespace

bool RankThreads::heard(const live::Item& item) {
  const std::int64_t thread = live::thread_of(item);
  in_mpi_.clear();
  switch (item.kind) {
  case live::ItemKind::kThread:
    if (item.words.size() == 2) ids_[thread] = static_cast<pid_t>(item.words[1]);
    return true;
  case live::ItemKind::kWhich:
  case live::ItemKind::kEntered:
  case live::ItemKind::kSpawns:
  case live::ItemKind::kChildren:
    in_call_.insert(thread);
    return false;
  case live::ItemKind::kArray:
  case live::ItemKind::kCall:
  case live::ItemKind::kAsk:
  case live::ItemKind::kSlept:
  case live::ItemKind::kReturned:
    in_call_.erase(thread);
    return false;
  case live::ItemKind::kThreadOver:
    in_call_.erase(thread);
    ids_.erase(thread);
    return false;
  default:
    return false;
  }
}

std::optional<RankThreads::Look> RankThreads::look(pid_t thread) const {
  const std::string folder = fmt::format("/proc/{}/task/{}/", process_, thread);
  const std::string stat = text_of(folder + "stat"); // ID (NAME) STATE ...
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Look result{stat.compare(name_end, 3, ") S") == 0, 0, Clock::now()};
  const std::string times = text_of(folder + "schedstat"); // ns on a processor, ...
  std::from_chars(times.data(), times.data() + times.size(), result.cpu_ns);
  return result;
}

bool RankThreads::has_slept(const Look& before, const Look& now) {
  const auto awake = std::chrono::nanoseconds(now.cpu_ns - before.cpu_ns);
  return before.is_asleep && now.is_asleep && awake <= (now.at - before.at) / kNapsShare + kWaking;
}

// Whatever came for the thread, it has had the processor for long enough to see that.
bool RankThreads::has_noticed(pid_t thread) {
  const auto now = look(thread);
  if (!now) return true; // not to be seen from here
  const auto [before, is_first] = in_mpi_.try_emplace(thread, *now);
  if (is_first) return false;
  return std::chrono::nanoseconds(now->cpu_ns - before->second.cpu_ns) >= kNoticing ||
         has_slept(before->second, *now);
}

bool RankThreads::are_quiet(const std::set<std::int64_t>& asking) {
  const bool is_in_mpi = !asking.empty() || !in_call_.empty();
  if (process_ <= 0 || (ids_.empty() && !is_in_mpi)) return is_in_mpi;
  if (ids_.empty()) return in_call_.empty() || has_noticed(process_);
  std::set<pid_t> waiting;
  bool have_noticed = true;
  for (const auto& [number, id] : ids_) {
    const bool is_in_call = in_call_.contains(number);
    if (is_in_call || asking.contains(number)) waiting.insert(id);
    if (is_in_call) have_noticed = has_noticed(id) && have_noticed;
  }
  return have_noticed && others_sleep(waiting);
}

// Threads that have called nothing yet may be about to, so those of the system count that the run
// does not know.
bool RankThreads::others_sleep(const std::set<pid_t>& waiting) {
  std::map<pid_t, Look> before;
  before.swap(asleep_);
  const std::vector<pid_t> threads = threads_of(process_);
  const bool are_here = std::any_of(threads.begin(), threads.end(), [&](pid_t thread) {
    return std::any_of(ids_.begin(), ids_.end(),
                       [thread](const auto& known) { return known.second == thread; });
  });
  if (!are_here) return !waiting.empty(); // not to be seen from here
  bool sleep = true;
  for (const pid_t thread : threads) {
    if (waiting.contains(thread)) continue;
    const auto now = look(thread);
    if (!now || !now->is_asleep) return false;
    const auto known = before.find(thread);
    sleep = sleep && known != before.end() && has_slept(known->second, *now);
    asleep_[thread] = *now;
  }
  return sleep;
}

bool RankThreads::still_sleeps(std::int64_t thread) const {
  const auto id = ids_.find(thread);
  if (id == ids_.end() || in_call_.contains(thread)) return false;
  const auto known = asleep_.find(id->second);
  if (known == asleep_.end()) return false;
  const auto now = look(id->second);
  return now && has_slept(known->second, *now);
}

} // namespace rondo::simulate::internal
