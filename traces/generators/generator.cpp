#include "traces/generators/generator.hpp"

#include <fmt/format.h>

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
constexpr std::int64_t kMostBlockIds = std::int64_t{1} << 20U;  // Of one request: 8 MiB.

/// Whose content a block holds.
enum class Family : std::uint64_t { kGroup = 1, kSession = 2, kRequest = 3 };

// Scatters (family, owner, block) into an id (finaliser of SplitMix64).
std::uint64_t block_id(Family family, std::int64_t owner, std::int64_t block) {
  std::uint64_t x = (static_cast<std::uint64_t>(family) << 60U) ^
                    (static_cast<std::uint64_t>(owner) * 0x9e3779b97f4a7c15ULL) ^
                    (static_cast<std::uint64_t>(block) + 0x632be59bd9b4e019ULL);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Adds ids of the full blocks up to `tokens`, of which the first have been added before.
void extend_ids(Request& request, Family family, std::int64_t owner, std::int64_t tokens) {
  request.hash_block_tokens = kBlockTokens;
  const std::int64_t blocks = std::min(tokens / kBlockTokens, kMostBlockIds);
  for (auto block = static_cast<std::int64_t>(request.block_hashes.size()); block < blocks;
       ++block) {
    request.block_hashes.push_back(block_id(family, owner, block));
  }
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
  struct Prefix {
    std::int64_t group = 0;
    std::int64_t tokens = 0;  // 0: none
  };

  PrefixGroups(const config::Generator& config, const LengthLaw* length, std::uint64_t seed)
      : groups_(static_cast<std::uint64_t>(config.shared_prefixes().groups())),
        exponent_(config.shared_prefixes().zipf()),
        share_(config.shared_prefixes().share()),
        length_(length),
        use_(seed, "prefix/use"),
        choice_(seed, "prefix/choice"),
        lengths_(seed, "prefix/length") {}

  bool any() const { return length_ != nullptr; }

  /// The next request's or session's prefix. Its group does not depend on the share.
  Prefix next() {
    if (!any()) return {};
    const bool used = use_.uniform() < share_;
    const std::uint64_t group = choice_.zipf(groups_, exponent_);
    if (!used) return {};
    sim::RandomStream own = lengths_.split(group);
    return {static_cast<std::int64_t>(group), length_->draw(own)};
  }

 private:
  std::uint64_t groups_;
  double exponent_;
  double share_;
  const LengthLaw* length_;
  sim::RandomStream use_;
  sim::RandomStream choice_;
  sim::RandomStream lengths_;
};

/// What both kinds of workload share: numbering, and the end of representable time.
class GeneratedRequests : public RequestSource {
 public:
  explicit GeneratedRequests(std::int64_t requests) : requests_(requests) {}
  const Diagnostics& faults() const override { return faults_; }
  std::int64_t expected_requests() const override { return requests_; }

 protected:
  bool done() const { return issued_ == requests_; }

  Pull issue(double seconds, Request& out) {
    constexpr double kLatest = 9e9;  // 285 years, within int64 nanoseconds.
    if (!(seconds <= kLatest)) {
      if (faults_.empty()) {
        Diagnostic fault;
        fault.field = "workload.generate";
        fault.message = fmt::format("request {} would arrive after 285 years", issued_ + 1);
        fault.allowed = "a higher rate, shorter think times or fewer requests";
        faults_.push_back(std::move(fault));
      }
      return Pull::kFault;
    }
    // Extreme laws may round two arrivals the wrong way round.
    latest_ = std::max(latest_, std::chrono::nanoseconds(std::llround(seconds * 1e9)));
    out.arrival = latest_;
    out.id = issued_++;
    return Pull::kRequest;
  }

  std::int64_t requests_;

 private:
  std::int64_t issued_ = 0;
  std::chrono::nanoseconds latest_{0};
  Diagnostics faults_;
};

class IndependentRequests final : public GeneratedRequests {
 public:
  IndependentRequests(const config::Generator& config, Laws laws, std::uint64_t seed)
      : GeneratedRequests(config.requests()),
        laws_(std::move(laws)),
        arrivals_(seed, "arrivals"),
        prompts_(seed, "lengths/prompt"),
        outputs_(seed, "lengths/output"),
        prefixes_(config, laws_.prefix.get(), seed) {}

  Pull next(Request& out) override {
    if (done()) return Pull::kEnd;
    const Pull pull = issue(laws_.arrivals->next(arrivals_), out);
    if (pull != Pull::kRequest) return pull;
    out.session = -1;
    out.turn = 0;
    out.block_hashes.clear();
    out.hash_block_tokens = 0;
    out.prompt_tokens = laws_.prompt->draw(prompts_);
    out.output_tokens = laws_.output->draw(outputs_);
    if (prefixes_.any()) {
      const PrefixGroups::Prefix prefix = prefixes_.next();
      out.prompt_tokens = std::min(prefix.tokens + out.prompt_tokens, kMostTokens);
      extend_ids(out, Family::kGroup, prefix.group, std::min(prefix.tokens, kMostTokens));
      extend_ids(out, Family::kRequest, out.id, out.prompt_tokens);
    }
    return Pull::kRequest;
  }

 private:
  Laws laws_;
  sim::RandomStream arrivals_;
  sim::RandomStream prompts_;
  sim::RandomStream outputs_;
  PrefixGroups prefixes_;
};

/// Conversations: sessions begin by the arrival law, turns follow after think times. Turns of many
/// sessions are merged in order of time; only sessions that are going on are kept. There are as
/// many sessions as it takes for the turns to be as many as the requests; the last one is cut.
class SessionRequests final : public GeneratedRequests {
 public:
  SessionRequests(const config::Generator& config, Laws laws, std::uint64_t seed)
      : GeneratedRequests(config.requests()),
        laws_(std::move(laws)),
        mean_turns_(config.sessions().turns()),
        think_time_(config.sessions().think_time()),
        arrivals_(seed, "arrivals"),
        turns_(seed, "sessions/turns"),
        thinking_(seed, "sessions/think"),
        prompts_(seed, "lengths/prompt"),
        outputs_(seed, "lengths/output"),
        prefixes_(config, laws_.prefix.get(), seed) {
    next_start_ = laws_.arrivals->next(arrivals_);
  }

  Pull next(Request& out) override {
    if (done()) return Pull::kEnd;
    while (planned_ < requests_ && (active_.empty() || !(active_.top().time < next_start_))) {
      begin_session();
    }
    Session session = active_.top();
    active_.pop();
    const Pull pull = issue(session.time, out);
    if (pull != Pull::kRequest) return pull;
    fill(session, out);
    if (--session.turns_left > 0) {
      session.time += draw_stream(thinking_, session).exponential(think_time_);
      ++session.turn;
      active_.push(session);
    }
    return Pull::kRequest;
  }

 private:
  struct Session {
    double time = 0.0;
    std::int64_t id = 0;
    std::int64_t turns_left = 0;
    std::int32_t turn = 0;
    std::int64_t history = 0;  // tokens of the prefix and of all turns before
    PrefixGroups::Prefix prefix;
  };
  struct Later {
    bool operator()(const Session& a, const Session& b) const {
      return a.time != b.time ? a.time > b.time : a.id > b.id;
    }
  };

  // Draws of a turn depend on the session and the turn only, not on the order of time.
  static sim::RandomStream draw_stream(const sim::RandomStream& of, const Session& session) {
    return of.split(static_cast<std::uint64_t>(session.id))
        .split(static_cast<std::uint64_t>(session.turn));
  }

  void begin_session() {
    Session session;
    session.time = next_start_;
    session.id = next_session_++;
    session.turns_left = std::min(turns_.geometric(mean_turns_), requests_ - planned_);
    session.prefix = prefixes_.next();
    session.history = session.prefix.tokens;
    planned_ += session.turns_left;
    next_start_ = laws_.arrivals->next(arrivals_);
    active_.push(session);
  }

  void fill(Session& session, Request& out) {
    sim::RandomStream prompt = draw_stream(prompts_, session);
    sim::RandomStream output = draw_stream(outputs_, session);
    out.session = session.id;
    out.turn = session.turn;
    out.prompt_tokens = std::min(session.history + laws_.prompt->draw(prompt), kMostTokens);
    out.output_tokens = laws_.output->draw(output);
    session.history = std::min(out.prompt_tokens + out.output_tokens, kMostTokens);
    out.block_hashes.clear();
    extend_ids(out, Family::kGroup, session.prefix.group, session.prefix.tokens);
    extend_ids(out, Family::kSession, session.id, session.history);
  }

  Laws laws_;
  double mean_turns_;
  double think_time_;
  sim::RandomStream arrivals_;
  sim::RandomStream turns_;
  sim::RandomStream thinking_;
  sim::RandomStream prompts_;
  sim::RandomStream outputs_;
  PrefixGroups prefixes_;
  std::priority_queue<Session, std::vector<Session>, Later> active_;
  double next_start_ = 0.0;
  std::int64_t next_session_ = 0;
  std::int64_t planned_ = 0;  // turns of all sessions begun
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
