// The client's end of the connection to xserver. After the handshake only descriptors are sent that the server may need
// (handovers); the socket has to stay open. A guest may close descriptors it did not open, so the number is checked to be
// still ours before each use.
// Used by the agent's thread, and by whoever starts the agent, never at once.
#pragma once

#include <sys/types.h>

#include "ipc/layout.h"
#include "ipc/protocol.h"

namespace xsched::agent {

class Connection {
public:
    // Null: no server, or it refused (`refusal` then says why; empty if nobody answered).
    ipc::Region* open(char (&path)[ipc::kSocketPathBytes], const char** refusal);
    // The server's end is gone, or the guest closed ours. One system call or two.
    bool lost() const;
    // Sends what the backends have handed over since; what does not go now goes with the next call.
    void send_handovers();
    void close();

private:
    bool ours() const;

    int socket_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace xsched::agent
