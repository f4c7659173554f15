// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/crew.hpp"

#include "convert/text/tokens.hpp"
#include "rondo/base/unfinished_files.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo::convert::internal {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kHello = "hello."; // PROCESS.PROCESSES.WORD
constexpr std::string_view kAnswer = "answer."; // WORD
constexpr std::string_view kLife = "life.";
constexpr std::string_view kParcel = "parcel.";

std::string random_word() {
  std::random_device source;
  std::string word;
  for (int i = 0; i < 4; ++i) word += std::to_string(source()) + (i < 3 ? "-" : "");
  return word;
}

// Whole or not at all for whoever looks; nobody needs it after a crash of the machine.
Status leave(const std::string& path, const std::vector<std::string_view>& pieces) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  for (const std::string_view piece : pieces)
    file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  file.close();
  std::error_code error;
  if (file) fs::rename(unfinished, path, error);
  if (file && !error) return {};
  fs::remove(unfinished, error);
  return fail(ErrorCode::kIo, "cannot be written", {path, {}, {}, {}});
}

// Nobody but the user may write into the folder.
Status make_own_folder(const std::string& folder) {
  const bool is_made = ::mkdir(folder.c_str(), 0700) == 0;
  if (!is_made && errno != EEXIST)
    return fail(ErrorCode::kIo, sentence("cannot be made: ", std::strerror(errno)),
                {folder, {}, {}, {}});
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) != 0) return {}; // gone again: whoever needs it will say so
  if (S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 022) == 0)
    return {};
  return fail(ErrorCode::kUsage, "is in the way, where the processes are to meet; take it away",
              {folder, {}, {}, {}});
}

} // namespace

Result<std::unique_ptr<Crew>> Crew::meet(const Processes& processes) {
  if (auto made = make_own_folder(processes.folder); !made) return propagate(made);
  std::unique_ptr<Crew> crew(new Crew(processes));
  if (processes.mine == 0) crew->folder_ = unfinished_file(processes.folder);
  auto met = processes.mine == 0 ? crew->gather_all() : crew->join();
  if (!met) return propagate(met);
  return crew;
}

Crew::~Crew() {
  if (life_.joinable()) {
    life_.request_stop();
    life_.join();
  }
  std::error_code error;
  if (processes_.mine == 0) fs::remove_all(processes_.folder, error);
}

// Every greeting is answered, those of an earlier run too: whoever is alive then gives signs of
// life in the name of this session.
Status Crew::gather_all() {
  session_ = random_word();
  std::vector<std::string> answered;
  const auto answer_all = [&] {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(processes_.folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(kHello) || name.ends_with(".part")) continue;
      if (std::find(answered.begin(), answered.end(), name) != answered.end()) continue;
      answer(name);
      answered.push_back(name);
    }
  };
  for (std::size_t process = 1; process < processes_.all; ++process) {
    const auto is_there = [&] {
      std::error_code error;
      if (fs::exists(path_of(kLife, process), error)) return true;
      answer_all();
      return false;
    };
    if (auto there = await(process, is_there); !there) return there;
  }
  return live();
}

void Crew::answer(std::string_view hello) {
  const std::size_t dot = hello.rfind('.');
  const std::string all = "." + std::to_string(processes_.all);
  if (!hello.substr(0, dot).ends_with(all)) return;
  const std::string name = std::string(kAnswer) + std::string(hello.substr(dot + 1));
  // One that cannot be written is missed by whoever waits for it.
  static_cast<void>(leave(path(name), {session_}));
}

Status Crew::join() {
  const std::string word = random_word();
  const std::string hello = std::string(kHello) + std::to_string(processes_.mine) + "." +
                            std::to_string(processes_.all) + "." + word;
  if (auto said = leave(path(hello), {}); !said) return said;
  const auto is_there = [&] {
    auto session = read_file(path(std::string(kAnswer) + word));
    if (session) session_ = std::move(*session);
    return session.has_value();
  };
  if (auto there = await(0, is_there); !there) return there;
  return live();
}

// A file that is written anew each second; the first time at once, as the end may come before that.
Status Crew::live() {
  const std::string file = path_of(kLife, processes_.mine);
  if (auto left = leave(file, {"0"}); !left) return left;
  life_ = std::jthread([file](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    for (std::uint64_t beat = 1;; ++beat) {
      stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
      if (stop.stop_requested() || !leave(file, {std::to_string(beat)})) return;
    }
  });
  return {};
}

Status Crew::await(std::size_t whom, const std::function<bool()>& is_there) {
  std::string last_sign;
  Clock::time_point heard = Clock::now();
  for (auto pause = std::chrono::milliseconds(2);;
       pause = std::min(pause * 2, decltype(pause)(100))) {
    if (is_there()) return {};
    auto sign = session_.empty() ? Result<std::string>() : read_file(path_of(kLife, whom));
    if (sign && *sign != last_sign) {
      last_sign = std::move(*sign);
      heard = Clock::now();
    }
    if (Clock::now() - heard > processes_.patience) break;
    std::this_thread::sleep_for(pause);
  }
  return fail(ErrorCode::kNotFound,
              sentence("process ", std::to_string(whom), " of ", std::to_string(processes_.all),
                       last_sign.empty() ? " did not come" : " gives no sign of life any more",
                       " (waited for ", std::to_string(processes_.patience.count()), " s)"),
              {processes_.folder, {}, {}, {}});
}

Status Crew::send(const std::vector<std::string_view>& pieces) {
  return leave(path_of(kParcel, processes_.mine), pieces);
}

Result<MappedFile> Crew::receive(std::size_t from) {
  const std::string parcel = path_of(kParcel, from);
  const auto is_there = [&] {
    std::error_code error;
    return fs::exists(parcel, error);
  };
  if (auto there = await(from, is_there); !there) return propagate(there);
  return map_file(parcel);
}

std::string Crew::path(std::string_view name) const {
  return processes_.folder + "/" + std::string(name);
}

std::string Crew::path_of(std::string_view what, std::size_t process) const {
  return path(session_ + "." + std::string(what) + std::to_string(process));
}

} // namespace rondo::convert::internal
