#include "traces/generators/generator.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

#include "scenarios/scenario.pb.h"
#include "sim/core/random.hpp"
#include "traces/generators/arrivals.hpp"
#include "traces/generators/lengths.hpp"
#include "traces/reader.hpp"

namespace orrery::traces {
namespace {

constexpr std::int32_t kBlockTokens = 16;

std::chrono::nanoseconds to_nanoseconds(double seconds) {
  constexpr double kMost = 9.2e18;
  return std::chrono::nanoseconds(std::llround(std::min(seconds * 1e9, kMost)));
}

// Scatters (family, a, b) into an id (finaliser of SplitMix64).
std::uint64_t block_id(std::uint64_t family, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (family << 60U) ^ (a * 0x9e3779b97f4a7c15ULL) ^ (b + 0x632be59bd9b4e019ULL);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

struct Laws {
  std::unique_ptr<ArrivalLaw> arrivals;
  std::unique_ptr<LengthLaw> prompt;
  std::unique_ptr<LengthLaw> output;
  std::unique_ptr<LengthLaw> prefix;
};

/// Prefixes that groups of requests share.
class PrefixGroups {
 public:
  PrefixGroups(const config::SharedPrefixes& config, const LengthLaw* length, std::uint64_t seed)
      : config_(config),
        length_(length),
        choice_(seed, "prefix/choice"),
        lengths_(seed, "prefix/length") {}

  /// Puts a group's prefix before the prompt, or leaves the request alone.
  void apply(Request& request) {
    if (choice_.uniform() >= config_.share()) return;
    const std::uint64_t group =
        choice_.zipf(static_cast<std::uint64_t>(config_.groups()), config_.zipf());
    sim::RandomStream own = lengths_.split(group);
    const std::int64_t prefix = length_->draw(own);
    request.prompt_tokens = std::min(request.prompt_tokens + prefix, kMostTokens);
    request.hash_block_tokens = kBlockTokens;
    const auto shared = static_cast<std::uint64_t>(prefix / kBlockTokens);
    for (std::uint64_t block = 0; block < shared; ++block) {
      request.block_hashes.push_back(block_id(1, group, block));
    }
  }

 private:
  config::SharedPrefixes config_;
  const LengthLaw* length_;
  sim::RandomStream choice_;
  sim::RandomStream lengths_;
};

class IndependentRequests final : public RequestSource {
 public:
  IndependentRequests(const config::Generator& config, Laws laws, std::uint64_t seed)
      : config_(config),
        laws_(std::move(laws)),
        arrivals_(seed, "arrivals"),
        prompts_(seed, "lengths/prompt"),
        outputs_(seed, "lengths/output"),
        prefixes_(config.shared_prefixes(), laws_.prefix.get(), seed) {}

  Pull next(Request& out) override {
    if (issued_ == config_.requests()) return Pull::kEnd;
    now_ = laws_.arrivals->next(now_, arrivals_);
    out.id = issued_++;
    out.arrival = to_nanoseconds(now_);
    out.session = -1;
    out.turn = 0;
    out.block_hashes.clear();
    out.hash_block_tokens = 0;
    out.prompt_tokens = laws_.prompt->draw(prompts_);
    out.output_tokens = laws_.output->draw(outputs_);
    if (config_.has_shared_prefixes()) prefixes_.apply(out);
    return Pull::kRequest;
  }

  const Diagnostics& faults() const override { return faults_; }
  std::int64_t expected_requests() const override { return config_.requests(); }

 private:
  config::Generator config_;
  Laws laws_;
  sim::RandomStream arrivals_;
  sim::RandomStream prompts_;
  sim::RandomStream outputs_;
  PrefixGroups prefixes_;
  double now_ = 0.0;
  std::int64_t issued_ = 0;
  Diagnostics faults_;
};

/// Conversations: sessions begin by the arrival law, turns follow after think times. Turns of many
/// sessions are merged in order of time; only sessions that are going on are kept.
class SessionRequests final : public RequestSource {
 public:
  SessionRequests(const config::Generator& config, Laws laws, std::uint64_t seed)
      : config_(config),
        laws_(std::move(laws)),
        arrivals_(seed, "arrivals"),
        sessions_(seed, "sessions"),
        prefixes_(config.shared_prefixes(), laws_.prefix.get(), seed) {
    next_start_ = laws_.arrivals->next(0.0, arrivals_);
  }

  Pull next(Request& out) override {
    if (issued_ == config_.requests()) return Pull::kEnd;
    while (active_.empty() || next_start_ <= active_.top().time) begin_session();
    Session session = active_.top();
    active_.pop();
    fill(session, out);
    if (--session.turns_left > 0) {
      session.time += session.random.exponential(config_.sessions().think_time());
      ++session.turn;
      active_.push(std::move(session));
    }
    return Pull::kRequest;
  }

  const Diagnostics& faults() const override { return faults_; }
  std::int64_t expected_requests() const override { return config_.requests(); }

 private:
  struct Session {
    double time = 0.0;
    std::int64_t id = 0;
    std::int64_t turns_left = 0;
    std::int32_t turn = 0;
    std::int64_t history = 0;           // tokens of all turns before
    std::vector<std::uint64_t> shared;  // blocks of the group's prefix
    sim::RandomStream random;
  };
  struct Later {
    bool operator()(const Session& a, const Session& b) const {
      return a.time != b.time ? a.time > b.time : a.id > b.id;
    }
  };

  void begin_session() {
    sim::RandomStream random = sessions_.split(static_cast<std::uint64_t>(next_session_));
    Session session{
        next_start_, next_session_++, random.geometric(config_.sessions().turns()), 0, 0,
        {},          random};
    if (config_.has_shared_prefixes()) {
      Request probe;
      prefixes_.apply(probe);
      session.history = probe.prompt_tokens;
      session.shared = std::move(probe.block_hashes);
    }
    next_start_ = laws_.arrivals->next(next_start_, arrivals_);
    active_.push(std::move(session));
  }

  void fill(Session& session, Request& out) {
    out.id = issued_++;
    out.arrival = to_nanoseconds(session.time);
    out.session = session.id;
    out.turn = session.turn;
    out.prompt_tokens = std::min(session.history + laws_.prompt->draw(session.random), kMostTokens);
    out.output_tokens = laws_.output->draw(session.random);
    session.history = std::min(out.prompt_tokens + out.output_tokens, kMostTokens);
    out.hash_block_tokens = kBlockTokens;
    out.block_hashes = session.shared;
    const std::int64_t blocks = session.history / kBlockTokens;
    for (auto block = static_cast<std::int64_t>(session.shared.size()); block < blocks; ++block) {
      out.block_hashes.push_back(
          block_id(2, static_cast<std::uint64_t>(session.id), static_cast<std::uint64_t>(block)));
    }
  }

  config::Generator config_;
  Laws laws_;
  sim::RandomStream arrivals_;
  sim::RandomStream sessions_;
  PrefixGroups prefixes_;
  std::priority_queue<Session, std::vector<Session>, Later> active_;
  double next_start_ = 0.0;
  std::int64_t next_session_ = 0;
  std::int64_t issued_ = 0;
  Diagnostics faults_;
};

}  // namespace

Result<std::unique_ptr<RequestSource>> make_generator(const config::Generator& config,
                                                      std::uint64_t seed) {
  Laws laws;
  Diagnostics faults;
  const auto take = [&faults](Result<std::unique_ptr<LengthLaw>> law,
                              std::unique_ptr<LengthLaw>& into) {
    if (law) {
      into = *std::move(law);
    } else {
      faults.insert(faults.end(), law.faults().begin(), law.faults().end());
    }
  };
  take(make_length_law(config.prompt(), LengthOf::kPrompt, "workload.generate.prompt"),
       laws.prompt);
  take(make_length_law(config.output(), LengthOf::kOutput, "workload.generate.output"),
       laws.output);
  if (config.has_shared_prefixes()) {
    take(make_length_law(config.shared_prefixes().length(), LengthOf::kPrompt,
                         "workload.generate.shared_prefixes.length"),
         laws.prefix);
  }
  if (!faults.empty()) return faults;
  const double turns = config.has_sessions() ? config.sessions().turns() : 1.0;
  laws.arrivals = make_arrival_law(config.arrivals(), turns);
  if (config.has_sessions()) {
    return std::unique_ptr<RequestSource>(
        std::make_unique<SessionRequests>(config, std::move(laws), seed));
  }
  return std::unique_ptr<RequestSource>(
      std::make_unique<IndependentRequests>(config, std::move(laws), seed));
}

}  // namespace orrery::traces
