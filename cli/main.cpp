// The `orrery` binary; the subcommands are listed in dispatch.cpp.

#include "cli/command.hpp"
#include "cli/interrupt.hpp"

int main(int count, char** values) {
  orrery::cli::catch_interrupts();
  return orrery::cli::dispatch({values + (count > 0 ? 1 : 0), values + count});
}
