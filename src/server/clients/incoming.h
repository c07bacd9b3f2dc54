// Looking at what a peer has sent without taking it: descriptors may be in it, and taking them means closing them,
// which may last as long as the peer likes. Any thread.
#pragma once

namespace xsched::server {

enum class Incoming {
    kNothing,      // yet
    kEnd,          // the peer has gone
    kPlain,        // a packet without descriptors: it may be received
    kDescriptors,  // a packet that has some
};
Incoming look_at_incoming(int socket);

// True: the peer has read everything that was sent to it.
bool has_read_all(int socket);

}  // namespace xsched::server
