#include "traces/convert.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "traces/output.hpp"

namespace orrery::traces {
namespace {

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

void append_arrival(std::chrono::nanoseconds arrival, std::string& out) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  fmt::format_to(std::back_inserter(out), FMT_STRING("{}.{:09}"), arrival.count() / kSecond,
                 arrival.count() % kSecond);
}

void append_ids(const Request& request, std::string_view separator, std::string& out) {
  bool first = true;
  for (const std::uint64_t id : request.block_hashes) {
    if (!first) out += separator;
    first = false;
    const fmt::format_int digits(id);
    out.append(digits.data(), digits.size());
  }
}

void append_csv(const Request& request, std::string& out) {
  append_arrival(request.arrival, out);
  fmt::format_to(std::back_inserter(out), FMT_STRING(",{},{},"), request.prompt_tokens,
                 request.output_tokens);
  if (request.session >= 0) out += fmt::format_int(request.session).str();
  fmt::format_to(std::back_inserter(out), FMT_STRING(",{},"), request.hash_block_tokens);
  append_ids(request, " ", out);
  out += '\n';
}

void append_json(const Request& request, std::string& out) {
  out += "{\"arrival_s\": ";
  append_arrival(request.arrival, out);
  fmt::format_to(std::back_inserter(out),
                 FMT_STRING(", \"prompt_tokens\": {}, \"output_tokens\": {}, \"session\": {}, "
                            "\"hash_block_tokens\": {}, \"block_hashes\": ["),
                 request.prompt_tokens, request.output_tokens, request.session,
                 request.hash_block_tokens);
  append_ids(request, ", ", out);
  out += "]}\n";
}

}  // namespace

Result<std::int64_t> write_trace(RequestSource& source, const std::string& path) {
  std::string_view name = path;
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (ends_with(name, ending)) name.remove_suffix(ending.size());
  }
  const bool csv = ends_with(name, ".csv");
  if (!csv && !ends_with(name, ".jsonl")) {
    Diagnostic diagnostic;
    diagnostic.where.file = path;
    diagnostic.message = "unknown kind of output file";
    diagnostic.allowed = "a name that ends in .csv or .jsonl, with .gz or .zst behind it if wanted";
    return diagnostic;
  }
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return std::move(file).faults();
  constexpr std::size_t kChunk = std::size_t{64} << 10U;
  std::string rows;
  if (csv) rows = "arrival_s,prompt_tokens,output_tokens,session,hash_block_tokens,block_hashes\n";
  std::int64_t written = 0;
  Request request;
  for (;;) {
    const Pull pull = source.next(request);
    if (pull == Pull::kFault) return source.faults();
    const bool end = pull == Pull::kEnd;
    if (!end) {
      csv ? append_csv(request, rows) : append_json(request, rows);
      ++written;
    }
    if (end || rows.size() >= kChunk) {
      if (!file->write(rows)) return file->fault();
      rows.clear();
    }
    if (end) break;
  }
  Diagnostics faults = file->commit();
  if (!faults.empty()) return faults;
  return written;
}

}  // namespace orrery::traces
