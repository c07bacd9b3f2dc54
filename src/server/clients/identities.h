// Tells which user is at the other end of a connection, as a number that can be compared. On the host that is the uid.
// A container's root may have any rights or none on the host, so a uid in a container gets a number that no uid of the
// machine has. All users of one container share one account. Front thread.
//
// Words: apart, said of a peer whose uid does not tell who it is; place, the container (as a rule) in which such a peer
// is (place.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "config/limit_setting.h"
#include "server/clients/peer.h"

namespace xsched::server {

class Identities {
public:
    static constexpr uid_t kFirstApart = config::kFirstApart;

    Identities();
    // Completes what the kernel said about the peer: its number, its account, and its rights.
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
