// xserver: accepts processes, sleeps on their doorbells, asks the scheduler, answers tools. One thread does all of it
// (the socket waker only wakes it), so that nothing here needs a lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dispatch/dispatcher.h"
#include "server/checkpoint.h"
#include "server/client.h"
#include "server/doorbells.h"
#include "server/interrupter.h"
#include "server/listener.h"
#include "server/options.h"
#include "server/socket_waker.h"
#include "server/tools.h"

namespace xsched::server {

class Server {
public:
    // Throws std::runtime_error with a sentence.
    Server(const Options& options, Listener listener);
    ~Server();

    // Returns after SIGTERM or SIGINT, or when idle for long enough; everybody has been resumed then.
    void run();

private:
    // A connection that has not said Hello.
    struct Newcomer {
        base::UniqueFd socket;
        Peer peer;
        int64_t deadline_ns;
    };
    struct Tool {
        base::UniqueFd socket;
        Peer peer;
    };

    void handle_event(uint64_t token);
    void accept_newcomers();
    void greet(uint32_t id);
    void admit_client(uint32_t id, Newcomer& newcomer, const std::string& program);
    void admit_tool(uint32_t id, Newcomer& newcomer);
    void serve_tool(uint32_t id);
    void hear_client(uint32_t id);
    void remove_client(uint32_t id);
    void suspend_again(int64_t now_ns);
    bool expect(pid_t pid);
    void drop_silent_newcomers(int64_t now_ns);
    bool should_leave(int64_t now_ns);
    int64_t next_wake(int64_t planned_ns) const;
    int64_t look_after_clients(int64_t planned_ns, int64_t now_ns);
    void let_everybody_go();

    Options options_;
    int64_t started_ns_;
    Listener listener_;
    base::UniqueFd signals_;
    Checkpoint checkpoint_;
    dispatch::Dispatcher dispatcher_;
    SocketWaker waker_;
    Doorbells doorbells_;
    Interrupter interrupter_;

    uint32_t next_id_ = 1;
    std::map<uint32_t, Newcomer> newcomers_;
    std::map<uint32_t, std::unique_ptr<Client>> clients_;
    std::map<uint32_t, Tool> tools_;
    std::map<uint32_t, base::UniqueFd> expected_;  // processes that will come (xcli run): as good as a client
    ToolHost host_;

    bool stop_ = false;
    int64_t accept_again_ns_ = 0;  // out of descriptors until then; 0: not
    int64_t idle_since_ns_;        // 0: somebody is here
};

}  // namespace xsched::server
