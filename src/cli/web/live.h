// The live stream for the page and other tools: changes of queues as the server records them, and each program's data
// twice a second. Asks the server once for all streams, and not at all while there is none. The first stream starts a
// thread for it, so a server that does not answer delays no other request.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/no_copies.h"
#include "cli/server_link.h"
#include "cli/top/rows.h"
#include "cli/web/http_door.h"

namespace xsched::cli {

class WebLive : base::NoCopies {
public:
    static constexpr int64_t kMostHz = 60;

    // Makes the sender of events for all live streams of `door`, which must outlive this object.
    explicit WebLive(HttpDoor& door);
    ~WebLive();

    // Starts a stream with at most `hz` events a second. Returns false if no thread can be started. Called by the
    // door's thread.
    bool join(int64_t hz);

private:
    void follow();
    // Sends the events that are due to all streams. Returns when the next ones will be due; 0: there is no stream.
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
    int64_t quiet_ns_ = 0;  // at this time an event is sent even if nothing changed
    std::thread thread_;
};

}  // namespace xsched::cli
