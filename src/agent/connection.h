// The client's end of the connection to xserver. After the handshake only descriptors are sent that the server may need
// (handovers); the socket has to stay open. A guest may close descriptors it did not open, so the number is checked to
// be still ours before each use. Opened and closed by the agent's thread, and by the thread that starts the agent,
// never at once; any thread may ask.
#pragma once

#include <sys/types.h>

#include "base/mutex.h"
#include "ipc/layout.h"
#include "ipc/protocol.h"

namespace xsched::agent {

class Connection {
public:
    // Connects and returns the shared memory. Returns null if there is no server, or if it refused: `refusal` then says
    // why (empty if no server answered), until the next call. `warn`: log socket paths that cannot be used.
    ipc::Region* open(char (&path)[ipc::kSocketPathBytes], const char** refusal, bool warn);
    // Returns whether the last try reached a server that refused. A retry would be refused again.
    bool refused() const { return refused_; }
    // Returns whether the server has closed its end, or the guest has closed ours. Costs one or two system calls.
    bool lost();
    // Returns the descriptor to poll; -1 if there is no connection.
    int watched();
    // Sends the server the descriptors and names that the backends of the platforms have handed over since the last
    // call. If not all can be sent now, the next call sends the rest.
    void send_handovers();
    // Ends the connection. The server sees the end at once, even if other processes hold copies of the descriptor.
    void hang_up();
    // Closes only this process's copy of the descriptor, for a forked child.
    void close();

private:
    bool ours() const;
    void forget(bool hang_up);

    bool refused_ = false;
    char refusal_text_[ipc::kRefusalBytes] = "";
    base::Mutex mutex_;  // guards the three
    int socket_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace xsched::agent
