// The signals that end a server, and the one that has it read its configuration again. Any thread.
#pragma once

#include <csignal>

namespace xsched::server {

bool is_ending(int number);
sigset_t ending_signals();  // SIGTERM, SIGINT and SIGHUP, which end a server in order
// Returns whether a signal asks for the configuration to be read again: SIGHUP, unless the kernel sends it because the
// terminal is closed. `code`: the signal's si_code.
bool asks_to_reload(int number, int code);
// Blocks the ending signals: they stay pending until a server or its supervisor listens for them.
void block_ending_signals();

}  // namespace xsched::server
