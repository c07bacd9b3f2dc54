// The user at the other end of a connection, to be compared with others. On the host that is a uid. A container's root
// may be any uid, so each uid in a container is somebody of its own: it gets a number that no uid of the machine has,
// and all of the container share one account. Front thread.
//
// Words: apart, of a peer whose uid does not say who it is; place, where such a peer is (place.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "server/clients/peer.h"

namespace xsched::server {

class Identities {
public:
    // Uids from here on are used by nobody: many programs take them for negative (systemd's UIDS-GIDS says so).
    static constexpr uid_t kFirstApart = 0x80000000;
    static constexpr uid_t kNumbersOfPlace = 256;
    static constexpr size_t kMostIdle = 1024;  // places of which nobody is connected

    Identities();
    // Completes what the kernel said of the peer: number, account, and what it may.
    void settle(Peer& peer);

private:
    std::string place_of(const Peer& peer) const;
    std::shared_ptr<Place> find(const std::string& name);
    void forget_idle(int64_t now_ns);
    uint32_t fresh_block();

    std::map<std::string, std::shared_ptr<Place>> places_;
    std::set<uint32_t> blocks_;
    uint32_t next_block_;
};

}  // namespace xsched::server
