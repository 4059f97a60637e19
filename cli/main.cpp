#include <fmt/format.h>

int main() {
  fmt::print(stderr, "orrery: no subcommand yet\n");
  return 2;
}
