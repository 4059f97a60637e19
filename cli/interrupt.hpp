#pragma once
// Ctrl-C (and SIGTERM) as a question: has someone asked to stop?

namespace orrery::cli {

/// From now on the signals set a flag; a third one ends the process at once. Writing beyond a limit
/// on file sizes becomes an error of the write instead of a signal.
void catch_interrupts();

/// True once a signal has come.
bool interrupted();
/// How many have come.
int interrupt_count();

}  // namespace orrery::cli
