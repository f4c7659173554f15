// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/loaded_libraries.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

std::string printed_by(const std::string& command) {
  std::string text;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), n);
  ::pclose(pipe);
  return text;
}

// Name and file of each library; ldd leaves the file out where there is none.
std::map<std::string, std::string> said_by_ldd(const fs::path& program) {
  std::map<std::string, std::string> libraries;
  std::stringstream lines(printed_by("ldd '" + program.string() + "' 2>/dev/null"));
  for (std::string line; std::getline(lines, line);) {
    std::stringstream words(line);
    std::string name, arrow, file;
    words >> name >> arrow >> file;
    if (arrow == "=>") libraries[name] = file == "not" ? "" : fs::canonical(file).string();
  }
  return libraries;
}

// The dynamic linker itself stands in ldd's list without an arrow.
std::map<std::string, std::string> found_for(const fs::path& program) {
  std::map<std::string, std::string> libraries;
  for (const LoadedLibrary& library : loaded_libraries(program)) {
    if (library.name.rfind("ld-linux", 0) == 0) continue;
    libraries[library.name] = library.file.empty() ? "" : fs::canonical(library.file).string();
  }
  return libraries;
}

TEST(LoadedLibraries, AreThoseThatLddFindsForProgramsOfTheSystem) {
  std::vector<fs::path> programs;
  for (const auto& entry : fs::directory_iterator("/usr/bin")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::array<char, 4> magic{};
    if (file.read(magic.data(), 4) && std::string(magic.data() + 1, 3) == "ELF")
      programs.push_back(entry.path());
  }
  std::sort(programs.begin(), programs.end());
  ASSERT_FALSE(programs.empty());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < programs.size();
       i += std::max<std::size_t>(1, programs.size() / 60)) {
    EXPECT_EQ(found_for(programs[i]), said_by_ldd(programs[i])) << programs[i];
    ++compared;
  }
  EXPECT_GE(compared, std::min<std::size_t>(programs.size(), 30));
}

class Linked : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("rondo-linked-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "lib");
    write("deep.c", "int deep(void) { return 3; }\n");
    write("near.c", "int deep(void);\nint near(void) { return deep(); }\n");
    write("main.c", "int near(void);\nint main(void) { return near() - 3; }\n");
    run("cc -shared -fPIC -o lib/libdeep.so deep.c");
  }
  void TearDown() override {
    ::unsetenv("LD_LIBRARY_PATH");
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void run(const std::string& command) const {
    ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && " + command).c_str()), 0) << command;
  }
  // Links with these options for the library and the program, and compares.
  void check(const std::string& of_library, const std::string& of_program, bool is_found) const {
    run("cc -shared -fPIC -o lib/libnear.so near.c -Llib -ldeep " + of_library);
    run("cc -o main main.c -Llib -lnear -Wl,--allow-shlib-undefined " + of_program);
    const auto found = found_for(folder_ / "main");
    EXPECT_EQ(found, said_by_ldd(folder_ / "main")) << of_library << ' ' << of_program;
    EXPECT_EQ(found.contains("libdeep.so") && !found.at("libdeep.so").empty(), is_found);
  }

  fs::path folder_;
};

TEST_F(Linked, ByRpathThatHoldsForLibrariesOfLibraries) {
  check("", "-Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib'", true);
}

TEST_F(Linked, ByRunpathThatHoldsForTheFileAlone) {
  check("", "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'", false);
  check("-Wl,--enable-new-dtags,-rpath,'${ORIGIN}'", "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'",
        true);
}

TEST_F(Linked, ByTheEnvironment) {
  ::setenv("LD_LIBRARY_PATH", (folder_ / "lib").c_str(), 1);
  check("", "", true);
  ::unsetenv("LD_LIBRARY_PATH");
  check("", "", false);
}

TEST(LoadedLibraries, OfWhatIsNoProgramAreNone) {
  EXPECT_TRUE(loaded_libraries("/no/such/file").empty());
  EXPECT_TRUE(loaded_libraries("/etc/passwd").empty());
}

} // namespace
} // namespace rondo::cli
