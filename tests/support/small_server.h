// The server's half of the protocol on a thread of the test, doing only what the test says: accepts one client after
// another, gives it a Region, keeps its heartbeat alive (or not), suspends and resumes its first queue.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "ipc/layout.h"

namespace xsched::test {

class SmallServer {
public:
    explicit SmallServer(const std::string& path);
    ~SmallServer();  // as kill -9 would: nothing is resumed or said

    bool wait_for_client();          // false: none came
    bool client_gone();              // end of file on the first one's lifeline
    unsigned clients();              // so many came
    ipc::Region& region() { return *region_; }
    void set_suspended(bool suspended);  // every used slot, as xserver writes it
    std::atomic<bool> beating{true};

private:
    void serve();

    std::string path_;
    base::UniqueFd listener_;
    std::mutex mutex_;
    std::vector<base::UniqueFd> clients_;  // under mutex_
    std::atomic<ipc::Region*> region_{nullptr};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace xsched::test
