// Names of places: where a uid does not say who a peer is.
#include "server/clients/identities.h"

#include <gtest/gtest.h>

namespace xsched::server {
namespace {

TEST(Identities, AGroupThatIsNotSeenIsNamedAsThat) {
    Identities identities;
    Peer peer;
    peer.pid = 0;  // of no process that this machine knows, so that its group is not known either
    peer.guest = true;
    identities.settle(peer);
    ASSERT_NE(peer.place, nullptr);
    EXPECT_EQ(peer.place->name, "a control group that this server does not see");
}

}  // namespace
}  // namespace xsched::server
