#pragma once
// Traces from text in memory, and everything a source gives.

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.pb.h"
#include "traces/reader.hpp"
#include "traces/transform.hpp"

namespace orrery::traces {

struct Drained {
  std::vector<Request> requests;
  Diagnostics faults;
  std::vector<std::string> notes;
};

inline Drained drain(RequestSource& source) {
  Drained out;
  Request request;
  Pull pull = source.next(request);
  for (; pull == Pull::kRequest; pull = source.next(request)) out.requests.push_back(request);
  if (pull == Pull::kFault) out.faults = source.faults();
  out.notes = source.notes();
  return out;
}

inline Drained drain(Result<std::unique_ptr<RequestSource>> source) {
  if (source) return drain(**source);
  Drained out;
  out.faults = source.faults();
  return out;
}

inline Drained read_text(std::string_view text, std::string_view format = "auto",
                         const config::TraceColumns& columns = {}) {
  return drain(read_trace(open_memory(text), "t", format, columns));
}

inline Drained read_bytes(std::unique_ptr<ByteSource> bytes) {
  return drain(read_trace(std::move(bytes), "t", "auto", {}));
}

inline bool equal(const Request& a, const Request& b) {
  return a.id == b.id && a.arrival == b.arrival && a.prompt_tokens == b.prompt_tokens &&
         a.output_tokens == b.output_tokens && a.session == b.session && a.turn == b.turn &&
         a.block_hashes == b.block_hashes && a.hash_block_tokens == b.hash_block_tokens;
}

inline bool equal(const std::vector<Request>& a, const std::vector<Request>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

inline double seconds(const Request& request) {
  return static_cast<double>(request.arrival.count()) / 1e9;
}

/// A folder of its own for a test, removed at its end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

 private:
  std::filesystem::path path_;
};

/// The same text as a gzip member or a zstd frame.
std::string gzipped(std::string_view text);
std::string zstandard(std::string_view text);

/// One small trace of each registered format, of five requests (some with more rows).
struct FormatSample {
  const char* format;
  std::string text;
};
const std::vector<FormatSample>& format_samples();

}  // namespace orrery::traces
