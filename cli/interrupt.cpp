#include "cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace orrery::cli {
namespace {

std::atomic<int> count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal) {
  constexpr int kPatience = 3;
  if (count.fetch_add(1) + 1 >= kPatience) ::_exit(128 + signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return count.load(std::memory_order_relaxed) > 0; }
int interrupt_count() { return count.load(std::memory_order_relaxed); }

}  // namespace orrery::cli
