#include "traces/transform.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "models/registry.hpp"
#include "models/shipped_data.hpp"
#include "scenarios/scenario.pb.h"
#include "traces/check_workload.hpp"
#include "traces/generators/generator.hpp"
#include "traces/reader.hpp"
#include "traces/workload_source.hpp"

namespace orrery::traces {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSampleFolder = "traces/samples";

fs::path sample_path(const std::string& name) {
  for (const char* ending : {".csv.zst", ".jsonl.zst"}) {
    fs::path path = shipped_data(kSampleFolder) / (name + ending);
    std::error_code error;
    if (fs::exists(path, error)) return path;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RequestSource>> open_trace(const config::Trace& trace) {
  const fs::path sample = sample_path(trace.path());
  const std::string path = sample.empty() ? trace.path() : sample.string();
  Result<std::unique_ptr<ByteSource>> bytes = open_file(path);
  if (!bytes) {
    Diagnostics faults = bytes.faults();
    faults.front().field = "workload.trace.path";
    faults.front().nearest = nearest_name(trace.path(), sample_names());
    return faults;
  }
  return read_trace(*std::move(bytes), path, trace.format(), trace.columns());
}

Result<std::unique_ptr<RequestSource>> make_source(const config::Workload& workload,
                                                   std::uint64_t seed) {
  Diagnostics faults = check_workload(workload);
  if (!faults.empty()) return faults;
  OpenSource open;
  if (workload.has_trace()) {
    open = [trace = workload.trace()] { return open_trace(trace); };
  } else if (workload.has_generate()) {
    open = [generator = workload.generate(), seed] { return make_generator(generator, seed); };
  } else {
    Diagnostic fault;
    fault.field = "workload";
    fault.message = "neither trace nor generate";
    fault.allowed = "one of them";
    return fault;
  }
  Result<std::unique_ptr<RequestSource>> first = open();
  if (!first) return first;
  return change_source(workload, seed, std::move(open), *std::move(first));
}

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(shipped_data(kSampleFolder), error)) {
    const std::string file = entry.path().filename().string();
    for (const std::string_view ending : {".csv.zst", ".jsonl.zst"}) {
      if (file.size() > ending.size() &&
          file.compare(file.size() - ending.size(), ending.size(), ending) == 0) {
        names.push_back(file.substr(0, file.size() - ending.size()));
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names = entry_names(formats());
  names.insert(names.begin(), "auto");
  return names;
}

}  // namespace orrery::traces
