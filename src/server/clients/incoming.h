// Looks at a packet without taking it. The packet may hold descriptors; to take it means to close them, which may block
// for as long as the peer likes. Any thread.
#pragma once

namespace xsched::server {

enum class Incoming {
    kNothing,  // yet
    kEnd,  // the peer has gone
    kPlain,  // a packet without descriptors: receiving it cannot block
    kDescriptors,  // a packet with descriptors
};
Incoming look_at_incoming(int socket);

// Returns whether the peer has read everything that was sent to it.
bool has_read_all(int socket);

}  // namespace xsched::server
