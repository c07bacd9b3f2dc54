// The server's sleep: until a client rings, a descriptor is ready, or a time has come. Main thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/futex.h"
#include "ipc/layout.h"

namespace xsched::server {

class Doorbells {
public:
    // `waker` wakes for everything that is not a client; sleeping starts with up to `spin_ns` of looking.
    Doorbells(base::FutexWord& waker, int64_t spin_ns);

    void add(ipc::Header& header);
    void remove(ipc::Header& header);

    // Remembers what the waker's word is now: what comes later ends the sleep. Call before looking at descriptors.
    void note_waker();
    // The same for the clients' words. Call before reading the clients' states.
    void note_clients();

    // Returns at once if something rang since it was noted, else when something rings, or at `until_ns`
    // (0: no such time). May return early.
    void sleep(int64_t until_ns);

private:
    bool anything_rang() const;
    void set_asleep(uint32_t asleep);
    bool spin(int64_t until_ns);
    bool anybody_watched() const;
    void wait(int64_t timeout_ns);

    int64_t spin_ns_;
    int64_t rang_ns_ = 0;  // when a doorbell was last heard
    bool kernel_can_ = true;  // wait for several words
    std::vector<ipc::Header*> headers_;
    // Parallel: the waker's word, then one per client.
    std::vector<base::FutexWord*> words_;
    std::vector<uint32_t> noted_;
};

}  // namespace xsched::server
