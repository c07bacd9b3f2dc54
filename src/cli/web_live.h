// What the page and other tools follow as it happens: changes of queues as the server records them, and twice a second
// what there is of each program. The server is asked once for all streams, and not at all while there is none. One
// thread.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/http_door.h"
#include "cli/server_link.h"
#include "cli/top_rows.h"

namespace xsched::cli {

class WebLive {
public:
    static constexpr int64_t kMostHz = 60;

    // A stream begins that wants so many events a second, at most.
    void join(int64_t hz);
    // Tells what is due. Returns when something will be; 0: there is no stream.
    int64_t tick(HttpDoor& door, int64_t now_ns);

private:
    void connect();
    void tell_programs(HttpDoor& door);
    void tell_changes(HttpDoor& door, int64_t now_ns);

    std::optional<ServerLink> link_;
    TopRows rows_;
    Json reasons_ = Json::array();  // [number, sentence]
    bool has_cursor_ = false;
    uint64_t next_ = 0;
    int64_t every_ns_ = 0;
    int64_t programs_ns_ = 0;  // due then
    int64_t changes_ns_ = 0;
    int64_t quiet_ns_ = 0;  // then an event comes even if nothing changed
};

}  // namespace xsched::cli
