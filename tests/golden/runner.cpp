// Runs the commands of a .golden file and compares what they print and how they exit.
//
//   # comment
//   $ orrery query nosuch        a command for /bin/sh, in a fresh folder, one after the other
//   > a line of stdout           compared in full; {*} stands for any text within the line
//   ! a line of stderr           a line that is only {*} stands for any number of lines
//   [2]                          exit code, 0 when left out
//
// Usage: golden_runner BINARY FILE. With ORRERY_GOLDEN_UPDATE=1 blocks that differ are rewritten.
// In the environment: $SOURCE is the source tree, $AS_USER runs a command without root's rights.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Step {
  Lines before;  ///< Comments and blank lines above the command.
  std::string command;
  Lines out;
  Lines err;
  int exit_code = 0;
};

struct GoldenFile {
  std::vector<Step> steps;
  Lines tail;
};

Lines split(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool starts(const std::string& line, std::string_view prefix) { return line.rfind(prefix, 0) == 0; }
std::string after_mark(const std::string& line) { return line.size() > 2 ? line.substr(2) : ""; }

GoldenFile parse(const fs::path& path) {
  GoldenFile golden;
  Lines pending;
  for (const std::string& line : split(read(path))) {
    if (starts(line, "$ ")) {
      golden.steps.push_back({std::exchange(pending, {}), line.substr(2), {}, {}, 0});
    } else if (golden.steps.empty() || line.empty() || line[0] == '#') {
      pending.push_back(line);
    } else if (line[0] == '>') {
      golden.steps.back().out.push_back(after_mark(line));
    } else if (line[0] == '!') {
      golden.steps.back().err.push_back(after_mark(line));
    } else if (line[0] == '[') {
      golden.steps.back().exit_code = std::atoi(line.c_str() + 1);
    } else {
      std::fprintf(stderr, "%s: unknown line: %s\n", path.c_str(), line.c_str());
      std::exit(2);
    }
  }
  golden.tail = pending;
  return golden;
}

constexpr std::string_view kAny = "{*}";

// Whether `text` fits `pattern`, in which {*} stands for any text. Tries every split at a wildcard.
bool fits(std::string_view pattern, std::string_view text) {
  const auto wildcard = pattern.find(kAny);
  if (wildcard == pattern.npos) return pattern == text;
  if (text.substr(0, wildcard) != pattern.substr(0, wildcard)) return false;
  const std::string_view rest = pattern.substr(wildcard + kAny.size());
  for (std::size_t at = wildcard; at <= text.size(); ++at) {
    if (fits(rest, text.substr(at))) return true;
  }
  return false;
}

bool fits(const Lines& patterns, std::size_t p, const Lines& lines, std::size_t l) {
  if (p == patterns.size()) return l == lines.size();
  if (patterns[p] == kAny) {
    for (std::size_t skip = l; skip <= lines.size(); ++skip) {
      if (fits(patterns, p + 1, lines, skip)) return true;
    }
    return false;
  }
  return l < lines.size() && fits(patterns[p], lines[l]) && fits(patterns, p + 1, lines, l + 1);
}

Step run(const Step& step, const fs::path& folder) {
  Step result = step;
  const fs::path out = folder / ".golden-out";
  const fs::path err = folder / ".golden-err";
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool opened = std::freopen(out.c_str(), "w", stdout) != nullptr &&
                        std::freopen(err.c_str(), "w", stderr) != nullptr &&
                        std::freopen("/dev/null", "r", stdin) != nullptr &&
                        ::chdir((folder / "work").c_str()) == 0;
    if (opened) ::execl("/bin/sh", "sh", "-c", step.command.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = split(read(out));
  result.err = split(read(err));
  return result;
}

void append_marked(std::string& text, char mark, const Lines& lines) {
  for (const std::string& line : lines) {
    text += mark;
    if (!line.empty()) text += ' ';
    text += line;
    text += '\n';
  }
}

std::string block(const Step& step) {
  std::string text = "$ ";
  text += step.command;
  text += '\n';
  append_marked(text, '>', step.out);
  append_marked(text, '!', step.err);
  if (step.exit_code != 0) {
    text += '[';
    text += std::to_string(step.exit_code);
    text += "]\n";
  }
  return text;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += '\n';
  }
  return text;
}

void prepare_environment(const fs::path& binary) {
  const char* path = std::getenv("PATH");
  std::string folders = binary.parent_path().string();
  folders += ':';
  folders += path == nullptr ? "" : path;
  ::setenv("PATH", folders.c_str(), 1);
  ::setenv("TERM", "dumb", 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  ::setenv("AS_USER", ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "",
           1);
  for (const char* name : {"NO_COLOR", "COLUMNS"}) ::unsetenv(name);
}

}  // namespace

int main(int count, char** values) {
  if (count != 3) {
    std::fprintf(stderr, "usage: golden_runner BINARY FILE.golden\n");
    return 2;
  }
  prepare_environment(fs::absolute(values[1]));
  const fs::path file = fs::absolute(values[2]);
  const GoldenFile golden = parse(file);
  std::string pattern = (fs::temp_directory_path() / "orrery-golden-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return 2;
  const fs::path folder = pattern;
  fs::create_directory(folder / "work");
  // Under a name without blanks, wherever the source tree lies.
  fs::create_directory_symlink(ORRERY_SOURCE_DIR, folder / "source");
  ::setenv("SOURCE", (folder / "source").c_str(), 1);
  // Commands that drop root's rights work there too.
  fs::permissions(folder, fs::perms::owner_all | fs::perms::others_exec);
  int failures = 0;
  std::string updated;
  for (const Step& step : golden.steps) {
    const Step actual = run(step, folder);
    const bool same = actual.exit_code == step.exit_code && fits(step.out, 0, actual.out, 0) &&
                      fits(step.err, 0, actual.err, 0);
    updated += joined(step.before) + block(same ? step : actual);
    if (same) continue;
    ++failures;
    std::printf("---- expected\n%s---- got\n%s", block(step).c_str(), block(actual).c_str());
  }
  updated += joined(golden.tail);
  std::error_code error;
  fs::permissions(folder / "work", fs::perms::owner_all, error);
  fs::remove_all(folder, error);
  const bool update = std::getenv("ORRERY_GOLDEN_UPDATE") != nullptr;
  if (update && failures > 0) std::ofstream(file, std::ios::binary) << updated;
  if (golden.steps.empty()) std::printf("%s holds no command\n", file.c_str());
  return golden.steps.empty() || (failures > 0 && !update) ? 1 : 0;
}
