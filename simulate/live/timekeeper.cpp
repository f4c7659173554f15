// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/timekeeper.hpp"

#include "rondo/trace/rank_set.hpp"
#include "simulate/live/live_choice.hpp"
#include "simulate/live/live_order.hpp"
#include "simulate/live/live_run.hpp"
#include "simulate/live/live_socket.hpp"
#include "simulate/live/live_spawns.hpp"
#include "simulate/live/live_threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <list>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace rondo::simulate {
namespace {

using namespace internal;
namespace live = trace::live;
using Moment = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Ranks that are in calls of MPI for so long, while others wait for the model and nobody says
// anything, are taken to wait for those: see may_let_go().
constexpr auto kPatience = 2s;
constexpr auto kPatienceLater = 100ms; // once that was so
constexpr auto kPatienceInOrder = 20ms; // on a platform: it costs little to have been wrong
constexpr auto kPatienceForRanks = 60s; // that never came, from the first one on
constexpr auto kPatienceForAny = 10s; // until the user is told
// While nobody asks what time it is, calls are let gather: being woken for each costs the ranks
// more than the calls themselves.
constexpr auto kGathering = 200us;
constexpr auto kGatheringBegins = 5ms; // after somebody asked last
constexpr auto kPatienceAtEnd = 1s; // for connections that children of ranks keep open
// Who connects and is not known to be a rank of this run: a time of their own, so that they
// prolong nothing, and a number.
constexpr auto kPatienceForStrangers = 10s;
constexpr std::size_t kMostStrangers = 4096; // ranks come at once

struct Rank {
  RankSocket socket;
  std::int64_t rank = -1; // before it has said so
  std::set<std::int64_t> asks{}; // threads that want to know the time
  RankThreads threads;
  bool said_bye = false;
  bool is_refused = false; // is to go on in real time
  Moment::time_point came = Moment::now();

  bool is_stranger() const { return rank < 0 && !is_refused; }
};

// Whether both halves of the secret are right, in a time that does not depend on where they differ.
bool is_same(const std::int64_t* token, const std::int64_t* wanted) {
  return ((token[0] ^ wanted[0]) | (token[1] ^ wanted[1])) == 0;
}

// 0 if it is on another host.
pid_t process_behind(const Descriptor& socket) {
  ucred who{};
  socklen_t size = sizeof who;
  const bool is_known = ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  return is_known ? who.pid : 0;
}

class SocketTimekeeper : public Timekeeper {
public:
  SocketTimekeeper(const NetworkModel& model, SimulateOptions options, Listeners listeners)
      : model_(model), options_(std::move(options)), listeners_(std::move(listeners)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~SocketTimekeeper() override { stop(); }

  const std::string& address() const override { return listeners_.address; }

  void start(std::function<void()> nobody_came) override {
    nobody_came_ = std::move(nobody_came);
    sigset_t all;
    sigset_t before;
    sigfillset(&all); // signals are for the thread that waits for the program
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  Result<Prediction> finish() override {
    stop();
    if (!error_.empty()) return fail(ErrorCode::kFormat, error_);
    if (!run_) {
      return fail(ErrorCode::kNotFound,
                  "no rank came to say its calls: did the program call MPI_Init?");
    }
    if (!order_) {
      end_all();
      play();
    }
    if (choice_) choice_->add_remark();
    auto prediction = run_->prediction();
    if (!prediction || lost_.empty()) return prediction;
    prediction->remarks.push_back(
        fmt::format("ranks {} ended without MPI_Finalize: they are simulated up to there",
                    trace::RankSet::of(lost_).text()));
    return prediction;
  }

private:
  void stop() {
    if (!thread_.joinable()) return;
    stops_ = true;
    const std::uint64_t one = 1;
    if (::write(wake_.get(), &one, sizeof one) < 0) stops_ = true; // it looks now and then anyway
    thread_.join();
  }

  void serve() {
    while (!serve_once()) {
      if (run_ && carrier_) return serve_in_order();
    }
  }

  // From inside the carrier, whose time stands still meanwhile.
  void serve_in_order() {
    order_ = std::make_unique<OrderedTime>(*run_, *carrier_, [this] {
      if (!serve_once()) return false;
      end_all();
      play();
      return true;
    });
    if (const auto done = order_->run(); !done && error_.empty()) error_ = done.error().message;
    refuse_all();
    while (!serve_once()) { // that went wrong: the ranks go on without
    }
  }

  // True once the program has ended and all that it said is known.
  bool serve_once() {
    if (!run_ && nobody_came_ && Moment::now() - opened_ > kPatienceForAny)
      std::exchange(nobody_came_, nullptr)();
    if (Moment::now() - last_ask_ > kGatheringBegins) std::this_thread::sleep_for(kGathering);
    const bool stops = stops_;
    const bool has_spoken = wait();
    if (has_spoken) last_word_ = Moment::now();
    drop_closed();
    if (run_) {
      play();
      if (may_let_go(Moment::now() - std::max(last_word_, last_look_))) let_go();
      refuse_if_incomplete();
      answer();
    }
    const bool is_silent = !has_spoken && Moment::now() - last_word_ > kPatienceAtEnd;
    const bool are_gone = std::all_of(ranks_.begin(), ranks_.end(),
                                      [](const Rank& rank) { return rank.is_stranger(); });
    return stops && (are_gone || is_silent);
  }

  void let_go() {
    has_let_go_ = true;
    last_word_ = Moment::now();
    const bool may_help = order_ && (carrier_->under_way() > 0 || !run_->expects_silence());
    if (may_help) return run_->expect_silence();
    run_->let_go();
    play();
  }

  // As far as it goes.
  void play() {
    run_->play();
    if (carrier_) return; // what is under way may help
    while (run_->is_stuck() && !run_->is_refused() && run_->let_go()) run_->play();
  }

  void refuse_if_incomplete() {
    if (is_refusing_ || came() == run_->ranks() || Moment::now() - began_ < kPatienceForRanks)
      return;
    error_ =
        fmt::format("only {} of {} ranks came; is the recorder's library on all hosts, and may "
                    "they connect to this one (--listen any)?",
                    came(), run_->ranks());
    refuse_all();
  }

  // True if somebody said something.
  bool wait() {
    std::vector<pollfd> files = {{wake_.get(), POLLIN, 0},
                                 {listeners_.here.get(), POLLIN, 0},
                                 {listeners_.there.get(), POLLIN, 0}};
    const std::size_t first = files.size();
    for (const Rank& rank : ranks_) {
      const int events = POLLIN | (rank.socket.has_unsent() ? POLLOUT : 0);
      files.push_back({rank.socket.get(), static_cast<short>(events), 0});
    }
    const int look_ms = order_ && has_let_go_ ? 5 : 50;
    if (::poll(files.data(), files.size(), look_ms) <= 0) return false;
    bool has_spoken = false;
    std::size_t i = first;
    for (Rank& rank : ranks_) {
      const short events = files[i++].revents;
      if ((events & POLLOUT) != 0) rank.socket.send();
      if ((events & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      rank.socket.receive();
      while (const auto item = rank.socket.inbox().next()) take(rank, *item);
      has_spoken = has_spoken || !rank.is_stranger();
      if (rank.is_stranger() && rank.socket.inbox().size_bytes() >= live::kHelloBytes)
        rank.socket.close(); // whatever that is, it is no rank
    }
    for (const std::size_t listener : {1, 2}) {
      if ((files[listener].revents & POLLIN) != 0) accept(files[listener].fd);
    }
    return has_spoken;
  }

  void accept(int listener) {
    for (;;) {
      Descriptor file(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!file.is_open()) return;
      const int at_once = 1;
      ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      const pid_t process = process_behind(file);
      ranks_.push_back(
          Rank{.socket = RankSocket(std::move(file)), .threads = RankThreads(process)});
    }
  }

  void take(Rank& rank, const live::Item& item) {
    if (rank.is_refused) return;
    if (rank.rank < 0) return greet(rank, item);
    if (rank.threads.heard(item)) return;
    run_->has_spoken(rank.rank, live::thread_of(item));
    if (spawns_->heard(rank.rank, item)) return;
    if (choice_ && choice_->heard(rank.rank, item)) return;
    if (item.kind == live::ItemKind::kEntered || item.kind == live::ItemKind::kReturned) return;
    if (item.kind == live::ItemKind::kThreadOver) run_->may_wake(rank.rank);
    if (item.kind == live::ItemKind::kAsk) {
      rank.asks.insert(live::thread_of(item));
      last_ask_ = Moment::now();
    } else if (item.kind == live::ItemKind::kBye) {
      rank.said_bye = true;
    } else if (!run_->calls(rank.rank)->take(item)) {
      error_ = fmt::format("rank {} said something that makes no sense; does it use another "
                           "version of the recorder?",
                           rank.rank);
      refuse_all();
    }
  }

  void greet(Rank& rank, const live::Item& item) {
    const auto words = item.words;
    const bool is_ours = item.kind == live::ItemKind::kHello && words.size() == 7 &&
                         words[0] == live::kMagic && is_same(&words[1], listeners_.token);
    if (!is_ours || words[3] < 0 || words[3] >= words[4] || words[4] > kMostRanks)
      return rank.socket.close();
    const bool is_spawned = words[6] != 0;
    if (!run_ && !is_spawned) begin_run(words[4]);
    if (!run_ || is_refusing_) return refuse(rank);
    std::vector<std::int64_t> family;
    if (is_spawned) {
      const auto place = spawns_->come(words[3], words[4], most_ranks());
      if (!place) return refuse_spawned(rank, words[4]);
      if (place->is_first) began_ = Moment::now();
      rank.rank = place->rank;
      family = place->family;
    } else {
      const bool fits = words[4] == first_ranks_ && run_->calls(words[3]) == nullptr;
      if (!fits) return refuse(rank); // a second program of the same command
      rank.rank = words[3];
    }
    run_->add(rank.rank, words[5] != 0);
    rank.socket.outbox().put(live::ItemKind::kWelcome,
                             {live::word_of(options_.compute_scale), manners()}, family);
  }

  void begin_run(std::int64_t ranks) {
    first_ranks_ = ranks;
    run_ = std::make_unique<LiveRun>(model_, options_, ranks);
    spawns_ = std::make_unique<LiveSpawns>(*run_);
    began_ = Moment::now();
    if (model_.platform) make_carrier(ranks);
    if (options_.orders_receives) {
      choice_ = std::make_unique<LiveChoice>(*run_);
      run_->refuse_threads("with --order virtual");
    }
    run_->watch_sleepers([this](std::int64_t rank, std::int64_t thread) {
      const auto found = std::find_if(ranks_.begin(), ranks_.end(),
                                      [rank](const Rank& each) { return each.rank == rank; });
      return found != ranks_.end() && found->threads.still_sleeps(thread);
    });
  }

  // On a platform time passes for all, so what a rank does in a call counts from its beginning.
  std::int64_t manners() const {
    return (choice_ ? live::kOrders : 0) | (choice_ || carrier_ ? live::kSaysAhead : 0);
  }

  std::int64_t most_ranks() const { return carrier_ ? carrier_->hosts() : kMostRanks; }

  // Where the network has no place for it, the run goes on without the model; else it does.
  void refuse_spawned(Rank& rank, std::int64_t ranks) {
    refuse(rank);
    if (!carrier_ || run_->ranks() + ranks <= carrier_->hosts()) return;
    error_ = fmt::format("'{}' has {} hosts: they are too few for {} ranks and {} that were "
                         "spawned; take a larger one",
                         model_.platform->text(), carrier_->hosts(), run_->ranks(), ranks);
    refuse_all();
  }

  void make_carrier(std::int64_t ranks) {
    auto made = live_carrier(*model_.platform, ranks);
    if (!made) {
      error_ = made.error().message;
      return refuse_all();
    }
    carrier_ = std::move(*made);
    run_->set_carrier(carrier_.get());
  }

  void drop_closed() {
    drop_strangers();
    for (const Rank& rank : ranks_) {
      if (rank.socket.is_open() || rank.rank < 0) continue;
      run_->calls(rank.rank)->end();
      if (!rank.said_bye && !is_refusing_) lost_.push_back(rank.rank);
    }
    ranks_.remove_if([](const Rank& rank) { return !rank.socket.is_open(); });
  }

  // The oldest go first.
  void drop_strangers() {
    auto strangers = static_cast<std::size_t>(std::count_if(
        ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.is_stranger(); }));
    for (Rank& rank : ranks_) {
      if (!rank.is_stranger()) continue;
      const bool is_late = Moment::now() - rank.came > kPatienceForStrangers;
      if (is_late || strangers-- > kMostStrangers) rank.socket.close();
    }
  }

  void answer() {
    if (run_->is_refused()) refuse_all();
    if (choice_) choice_->make(Moment::now() - last_word_);
    answer_parents();
    for (Rank& rank : ranks_) {
      if (rank.rank < 0 || rank.is_refused) continue;
      if (rank.said_bye) run_->calls(rank.rank)->end();
      answer_threads(rank);
      if (auto chosen = choice_ ? choice_->take(rank.rank) : std::nullopt)
        rank.socket.outbox().put(live::ItemKind::kFrom, {}, *chosen);
      if (!rank.socket.outbox().empty()) rank.socket.send();
    }
  }

  void answer_parents() {
    spawns_->answer([this](std::int64_t of, live::ItemKind kind, const LiveSpawns::Words& words) {
      for (Rank& rank : ranks_) {
        if (rank.rank == of) rank.socket.outbox().put(kind, {}, words);
      }
    });
  }

  void answer_threads(Rank& rank) {
    const LiveCalls& calls = *run_->calls(rank.rank);
    for (const auto& [number, thread] : calls.threads()) {
      if (const auto times = thread->take_times(); !times.empty())
        rank.socket.outbox().put(live::ItemKind::kTimes, {number}, times);
    }
    std::erase_if(rank.asks, [&](std::int64_t number) {
      const LiveThread* const thread = calls.thread(number);
      const bool is_played = thread == nullptr || run_->is_played(rank.rank, number);
      const std::optional<double> now_s = thread == nullptr ? 0.0 : thread->now_s();
      if (!is_played || !now_s) return false;
      rank.socket.outbox().put(live::ItemKind::kNow, {number, live::word_of(*now_s)});
      return true;
    });
  }

  // It stays connected until it has heard of that, but nothing that it says counts.
  static void refuse(Rank& rank) {
    rank.is_refused = true;
    rank.asks.clear();
    rank.socket.outbox().put(live::ItemKind::kRefused, {});
    rank.socket.send();
  }

  void refuse_all() {
    if (std::exchange(is_refusing_, true)) return;
    for (Rank& rank : ranks_) refuse(rank);
  }

  // A rank that asks what time it is may be held up here by what others have not said, while those
  // wait for the rank in MPI: the real program does not wait where the model does. Nobody knows
  // that for sure, but all are in calls, and for a long time nothing happens.
  bool may_let_go(Moment::duration silence) {
    const bool somebody_asks = std::any_of(ranks_.begin(), ranks_.end(),
                                           [](const Rank& rank) { return !rank.asks.empty(); });
    if (!somebody_asks || !run_->has_waiting() || run_->is_refused()) return false;
    if (came() < run_->ranks()) return false;
    const bool has_looked = last_look_ > last_word_; // in this silence
    const auto first = order_ ? kPatienceLater : kPatience;
    const auto later = order_ ? kPatienceInOrder : kPatienceLater;
    if (silence <= (has_let_go_ || has_looked ? later : first)) return false;
    bool are_quiet = true;
    for (Rank& rank : ranks_) {
      const bool speaks = rank.rank >= 0 && !rank.said_bye;
      are_quiet = (!speaks || rank.threads.are_quiet(rank.asks)) && are_quiet;
    }
    last_look_ = Moment::now();
    return are_quiet;
  }

  std::int64_t came() const {
    std::int64_t count = 0;
    for (std::int64_t rank = 0; rank < run_->ranks(); ++rank)
      count += run_->calls(rank) != nullptr ? 1 : 0;
    return count;
  }

  void end_all() {
    for (std::int64_t rank = 0; rank < run_->ranks(); ++rank) {
      if (run_->calls(rank) == nullptr) {
        run_->add(rank, false);
        lost_.push_back(rank);
      }
      run_->calls(rank)->end();
    }
  }

  static constexpr std::int64_t kMostRanks = std::int64_t{1} << 24;

  NetworkModel model_;
  SimulateOptions options_;
  Listeners listeners_;
  Descriptor wake_;
  std::thread thread_;
  std::atomic<bool> stops_ = false;
  // The rest is the thread's, until it has ended.
  std::list<Rank> ranks_;
  std::unique_ptr<Carrier> carrier_; // of a platform
  std::unique_ptr<LiveRun> run_;
  std::int64_t first_ranks_ = 0; // that the run began with
  std::unique_ptr<LiveSpawns> spawns_; // with run_
  std::unique_ptr<OrderedTime> order_; // with a carrier
  std::unique_ptr<LiveChoice> choice_; // if receives take what arrives first in virtual time
  Moment::time_point last_word_ = Moment::now();
  Moment::time_point last_look_ = last_word_; // at who sleeps, in vain
  const Moment::time_point opened_ = Moment::now();
  std::function<void()> nobody_came_; // if that has not been said
  Moment::time_point began_;
  Moment::time_point last_ask_;
  bool has_let_go_ = false;
  bool is_refusing_ = false;
  std::vector<std::int64_t> lost_; // ranks that ended without a word
  std::string error_;
};

} // namespace

Result<std::unique_ptr<Timekeeper>> Timekeeper::open(const NetworkModel& model,
                                                     const SimulateOptions& options, Hosts hosts) {
  if (!(options.compute_scale >= 0))
    return fail(ErrorCode::kUsage, "computation can not be scaled by less than 0");
  if (options.orders_receives && model.platform)
    return fail(ErrorCode::kUsage, "--order virtual is for networks without contention");
  if (auto fine = check_platform(model); !fine) return propagate(fine);
  auto listeners = listen_for_ranks(hosts);
  if (!listeners) return propagate(listeners);
  return std::make_unique<SocketTimekeeper>(model, options, std::move(*listeners));
}

} // namespace rondo::simulate
