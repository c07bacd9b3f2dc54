// The stream that the page and other tools follow as it happens: changes of queues as the server records them, and
// twice a second the data of each program. The server is asked once for all streams, and not at all while there is
// none. It has a thread of its own from the first stream on: while the server does not answer, everything else does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/server_link.h"
#include "cli/top/rows.h"
#include "cli/web/http_door.h"

namespace xsched::cli {

class WebLive {
public:
    static constexpr int64_t kMostHz = 60;

    // Tells the door's streams. The door must last longer.
    explicit WebLive(HttpDoor& door);
    ~WebLive();
    WebLive(const WebLive&) = delete;
    WebLive& operator=(const WebLive&) = delete;

    // A stream begins; it wants at most this many events a second. False: there is no thread to have for the streams.
    // The door's thread.
    bool join(int64_t hz);

private:
    void follow();
    // Tells what is due. Returns when something will be; 0: there is no stream.
    int64_t tick(int64_t now_ns);
    ServerLink& connected();
    void tell_programs(ServerLink& link);
    void tell_changes(ServerLink& link, int64_t now_ns);

    HttpDoor& door_;
    std::mutex mutex_;  // of the four below
    std::condition_variable changed_;
    bool over_ = false;
    int64_t joined_ns_ = 0;  // when a stream began last
    int64_t asked_every_ns_ = 0;  // what newcomers want; 0: none came

    // The thread's own.
    std::optional<ServerLink> link_;
    TopRows rows_;
    Json reasons_ = Json::array();  // [number, sentence]
    bool has_cursor_ = false;
    uint64_t next_ = 0;
    int64_t every_ns_ = 0;
    int64_t programs_ns_ = 0;  // due then
    int64_t changes_ns_ = 0;
    int64_t quiet_ns_ = 0;  // then an event comes even if nothing changed
    std::thread thread_;
};

}  // namespace xsched::cli
