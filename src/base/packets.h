// Packets on Unix seqpacket sockets, each with at most one descriptor. Any thread.
#pragma once

#include <cstddef>

namespace xsched::base {

// Sends `bytes` with at most one descriptor (fd < 0: none). Never waits: false if it does not go at once.
bool send_packet(int socket, const void* data, size_t bytes, int fd = -1);
// Receives one packet. Returns its length; 0: the other side closed; -1 with errno ETIMEDOUT, EMSGSIZE (longer than
// `bytes`) or others. `fd`: receives the descriptor that came, or -1; null: descriptors are refused. timeout_ms 0: does
// not wait.
long receive_packet(int socket, void* data, size_t bytes, int* fd, int timeout_ms);

}  // namespace xsched::base
