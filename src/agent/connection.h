// The client's end of the connection to xserver. After the handshake only descriptors are sent that the server may need
// (handovers); the socket has to stay open. A guest may close descriptors it did not open, so the number is checked to
// be still ours before each use. Opened and closed by the agent's thread, and by whoever starts the agent, never at
// once; any thread may ask.
#pragma once

#include <sys/types.h>

#include "base/mutex.h"
#include "ipc/layout.h"
#include "ipc/protocol.h"

namespace xsched::agent {

class Connection {
public:
    // Null: no server, or it refused (`refusal` then says why; empty if nobody answered). `warn`: places that cannot be
    // used are worth a line in the log.
    ipc::Region* open(char (&path)[ipc::kSocketPathBytes], const char** refusal, bool warn);
    // Of the last try: a server answered, and will say the same the next time.
    bool refused() const { return refused_; }
    // The server's end is gone, or the guest closed ours. One system call or two.
    bool lost();
    // The number to wait on; -1: there is none.
    int watched();
    // Sends what the backends have handed over since; what does not go now goes with the next call.
    void send_handovers();
    // The server sees the end at once, whoever else has a copy of the descriptor.
    void hang_up();
    // Only our copy: in fork's child.
    void close();

private:
    bool ours() const;
    void forget(bool hang_up);

    bool refused_ = false;
    base::Mutex mutex_;  // guards the three
    int socket_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace xsched::agent
