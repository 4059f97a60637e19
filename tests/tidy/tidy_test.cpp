// What a linter does not know about this project: sizes, layers, banned words. Each rule names the
// place.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Source {
  std::string path;  // from the root
  std::vector<std::string> lines;
};

const std::vector<std::string> kFolders{"analysis",  "calibration", "cli",    "models",
                                        "scenarios", "sim",         "traces", "tests"};

const std::vector<Source>& sources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> found;
    for (const std::string& folder : kFolders) {
      for (const auto& entry :
           fs::recursive_directory_iterator(fs::path(ORRERY_SOURCE_DIR) / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".cpp" && extension != ".hpp") continue;
        Source source{fs::relative(entry.path(), ORRERY_SOURCE_DIR).string(), {}};
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) source.lines.push_back(line);
        found.push_back(std::move(source));
      }
    }
    return found;
  }();
  return all;
}

bool under(const std::string& path, const std::string& folder) {
  return path.compare(0, folder.size() + 1, folder + "/") == 0;
}

std::string code_of(const std::string& line) {
  const std::size_t comment = line.find("//");
  return comment == std::string::npos ? line : line.substr(0, comment);
}

TEST(Tidy, FilesStayUnderFiveHundredLines) {
  // 400 is the aim; what is longer has to say why in its first paragraph ("One file because ...").
  for (const Source& source : sources()) {
    if (under(source.path, "tests")) continue;
    bool explained = false;
    for (std::size_t i = 0; i < std::min<std::size_t>(12, source.lines.size()); ++i) {
      explained = explained || source.lines[i].find("One file because") != std::string::npos;
    }
    EXPECT_TRUE(source.lines.size() <= 400 || explained)
        << source.path << ": " << source.lines.size() << " lines";
  }
}

TEST(Tidy, LinesStayWithinAHundredColumns) {
  for (const Source& source : sources()) {
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string& line = source.lines[i];
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // characters, not bytes
      });
      EXPECT_LE(columns, 100) << source.path << ":" << i + 1;
      EXPECT_EQ(line.find('\t'), std::string::npos) << source.path << ":" << i + 1;
    }
  }
}

// A function starts at a line that ends in "{" and is no namespace, class or lambda inside one; its
// body ends where the braces balance.
TEST(Tidy, FunctionsStayUnderSixtyLines) {
  const std::regex opener(R"(^\s*[\w:<>,&*~\[\]\s]+\([^;]*\)[\w\s:&,()<>{}]*\{$)"
                          R"(|^\s*.*\) (const |override |noexcept )*\{$)");
  for (const Source& source : sources()) {
    if (under(source.path, "tests")) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::string code = code_of(source.lines[i]);
      const std::size_t indent = code.find_first_not_of(' ');
      if (indent == std::string::npos || indent > 2 || !std::regex_match(code, opener)) continue;
      // The end is the first line that closes at the same indentation.
      std::size_t end = i + 1;
      const std::string closing = std::string(indent, ' ') + "}";
      while (end < source.lines.size() &&
             source.lines[end].compare(0, closing.size(), closing) != 0) {
        ++end;
      }
      EXPECT_LE(end - i, 62U) << source.path << ":" << i + 1;
    }
  }
}

TEST(Tidy, BannedWordsDoNotOccur) {
  struct Ban {
    std::regex word;
    std::set<std::string> folders;  // empty: everywhere but tests
    const char* reason;
  };
  const std::vector<Ban> bans{
      {std::regex(R"(\brand\()"), {}, "random numbers come from named streams"},
      {std::regex(R"(std::random_device|std::mt19937)"),
       {},
       "random numbers come from named streams"},
      {std::regex(R"(system_clock|steady_clock|gettimeofday|\btime\(nullptr\))"),
       {"sim", "models", "traces", "scenarios"},
       "the simulated world has one clock"},
      {std::regex(R"(for \(.*unordered_)"), {"sim"}, "the order of a hash table is no order"},
      {std::regex(R"(\b(TODO|FIXME|XXX)\b)"), {}, "do it, or write an issue"},
  };
  for (const Source& source : sources()) {
    if (under(source.path, "tests")) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      for (const Ban& ban : bans) {
        const bool applies =
            ban.folders.empty() ||
            std::any_of(ban.folders.begin(), ban.folders.end(),
                        [&](const std::string& f) { return under(source.path, f); });
        EXPECT_FALSE(applies && std::regex_search(source.lines[i], ban.word))
            << source.path << ":" << i + 1 << ": " << ban.reason;
      }
    }
  }
}

TEST(Tidy, HeadersGuardThemselvesAndOpenNoNamespaceForOthers) {
  for (const Source& source : sources()) {
    if (fs::path(source.path).extension() != ".hpp") continue;
    EXPECT_EQ(source.lines.empty() ? "" : source.lines.front(), "#pragma once") << source.path;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      EXPECT_EQ(code_of(source.lines[i]).find("using namespace"), std::string::npos)
          << source.path << ":" << i + 1;
    }
  }
}

// Data flows one way: cli -> {analysis, calibration} -> sim -> {scenarios, traces} -> models.
// sim/core lies at the bottom: it includes nothing of ours, and everybody may include it.
TEST(Tidy, IncludesFollowTheArrows) {
  const std::map<std::string, std::set<std::string>> allowed{
      {"models", {"models"}},
      {"traces", {"traces", "models", "scenarios/scenario.pb.h"}},
      {"scenarios", {"scenarios", "models"}},
      {"sim", {"sim", "scenarios", "traces", "models"}},
      {"calibration", {"calibration", "sim", "scenarios", "traces", "models"}},
      {"analysis", {"analysis", "sim", "scenarios", "traces", "models"}},
      {"cli", {"cli", "analysis", "calibration", "sim", "scenarios", "traces", "models"}},
  };
  const std::regex include(R"(^#include "([^"]+)\")");
  for (const Source& source : sources()) {
    const std::string folder = source.path.substr(0, source.path.find('/'));
    const auto rule = allowed.find(folder);
    if (rule == allowed.end()) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(source.lines[i], match, include)) continue;
      const std::string target = match[1];
      const bool core = under(target, "sim/core");
      bool fine = core;
      for (const std::string& name : rule->second)
        fine = fine || target == name || under(target, name);
      if (under(source.path, "sim/core")) fine = core;
      if (under(source.path, "sim/serving")) fine = fine && !under(target, "sim/training");
      if (under(source.path, "sim/training")) fine = fine && !under(target, "sim/serving");
      EXPECT_TRUE(fine) << source.path << ":" << i + 1 << " includes " << target;
    }
  }
}

TEST(Tidy, EverySourceFileIsBuilt) {
  std::string lists;
  for (const auto& entry : fs::recursive_directory_iterator(ORRERY_SOURCE_DIR)) {
    if (entry.path().string().find("/build/") != std::string::npos) continue;
    if (entry.path().filename() != "CMakeLists.txt") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    lists += text.str();
  }
  for (const Source& source : sources()) {
    if (fs::path(source.path).extension() != ".cpp") continue;
    EXPECT_NE(lists.find(fs::path(source.path).filename().string()), std::string::npos)
        << source.path;
  }
}

TEST(Tidy, NothingNamesAMachineOfOurs) {
  const std::regex machine(
      "/wor"
      "k/|/hom"
      "e/|/roo"
      "t/");
  std::vector<fs::path> files;
  for (const char* folder : {"docs", "scenarios", ".ci", "cmake", "calibration"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(ORRERY_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension().string();
      if (entry.is_regular_file() && extension != ".orp") files.push_back(entry.path());
    }
  }
  for (const char* file : {"README.md", "bootstrap.sh", "CMakeLists.txt", "packages.txt"}) {
    files.push_back(fs::path(ORRERY_SOURCE_DIR) / file);
  }
  for (const Source& source : sources()) files.push_back(fs::path(ORRERY_SOURCE_DIR) / source.path);
  for (const fs::path& path : files) {
    std::ifstream file(path);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, machine)) << path.string() << ":" << number;
    }
  }
}

}  // namespace
