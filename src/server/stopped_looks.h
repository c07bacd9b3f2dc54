// Finds the clients whose process is stopped or whose control group is frozen, with work or without, for answers to
// tools. The watch (stopped_watch.h) looks only at those that keep others off. Front thread.
//
// Another thread reads the files. An answer waits for 1 ms for it, which is enough for some 130 processes; of the
// others it has the state of an earlier look. (Measured 2026-11-30 on 2 busy processors with 300 programs: 0.5 ms for
// 64; an answer that waits for each file takes 3.7 ms for 256, and 2.9 ms for all else of 'xcli status'.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/clients/client.h"

namespace xsched::server {

class StoppedLooks {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;

    // `mounts`: where the hierarchy of control groups may be mounted.
    explicit StoppedLooks(std::vector<std::string> mounts) : mounts_(std::move(mounts)) {}

    // Begins a look at the clients with these numbers, unless the last look still goes on, and notes in the clients
    // (Client::seen_stopped) what is known within 1 ms.
    void look(const Clients& clients, const std::vector<uint32_t>& ids);

private:
    struct Look;
    void note(const Clients& clients);

    std::vector<std::string> mounts_;
    std::shared_ptr<Look> last_;
};

}  // namespace xsched::server
