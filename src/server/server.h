// xserver in two threads. The scheduling thread (scheduler.h) reads shared memory, decides and writes directives. This
// is the front, the main thread: it accepts, shakes hands, limits, answers tools and lets go. Nothing that a peer sends
// is closed here (undertaker.h), since that may take as long as the peer likes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/device_costs.h"
#include "server/beats.h"
#include "server/checkpoint.h"
#include "server/clients/client.h"
#include "server/clients/connection_ids.h"
#include "server/clients/gone_clients.h"
#include "server/clients/handshake.h"
#include "server/clients/identities.h"
#include "server/device_numbers.h"
#include "server/device_use.h"
#include "server/event_loop.h"
#include "server/habit_book.h"
#include "server/hold_book.h"
#include "server/interrupts/interrupter.h"
#include "server/kept_orders.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"
#include "server/listener.h"
#include "server/options.h"
#include "server/stopped_watch.h"
#include "server/thread/cpu_priorities.h"
#include "server/thread/scheduler.h"
#include "server/tools/tool_desk.h"
#include "server/undertaker/undertaker.h"

namespace xsched::server {

class Server {
public:
    // Listens by `listeners` from here on, and schedules: those behind the first are for guests. Throws
    // std::runtime_error with a sentence.
    Server(const Options& options, std::vector<Listener> listeners);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Returns after SIGTERM or SIGINT, or when idle for long enough; everybody has been resumed then. The process must
    // end right after it, without destroying this: peers' descriptors are left open.
    void run();

private:
    // A connection that has not said Hello.
    struct Newcomer {
        base::UniqueFd socket;
        Peer peer;
        User* user;
        Charge silent;
        Charge descriptors;
        int64_t deadline_ns;
    };
    // A client that has said hello and is not served yet: an undertaker's thread makes its Region, it maps the memory
    // and says so, then an undertaker's thread seals the file.
    struct Welcomed {
        std::unique_ptr<Client> client;
        int64_t deadline_ns = 0;
        bool said_so = false;
    };
    // A process that will come (xcli run): as good as a client.
    struct Expected {
        base::UniqueFd process;
        Charge place;
        Charge descriptors;
        uid_t user;
        uint64_t number;  // of the process
        pid_t pid = 0;
        bool came = false;  // itself, or a process that it started
    };
    // A program that ended and had not come: xcli run says so (ended_unused).
    struct EndedUnused {
        ToolHost::Announced program;
        int64_t ended_ns;
    };

    uint32_t fresh_id();
    void look_at_use(int64_t now_ns);
    void handle_event(uint64_t token, int64_t now_ns);
    int64_t next_wake() const;
    void set_limits(const Options& options);
    void watch_sources();
    void take_up_checkpoint();
    int64_t look(int64_t now_ns);
    void suspend_again(int64_t now_ns);
    bool should_leave(int64_t now_ns);
    void let_everybody_go();

    // Newcomers (newcomers.cpp).
    void accept_newcomers(int64_t now_ns);
    bool accept_some(Listener& listener, int64_t now_ns);
    void take_in(base::UniqueFd socket, bool guest, int64_t now_ns);
    void answer_handshake(uint32_t id, int64_t now_ns);
    void judge(uint32_t id, Newcomer newcomer, const Handshake& handshake, int64_t now_ns);
    void refuse(Newcomer& newcomer, ipc::WelcomeStatus status, int64_t now_ns);
    void admit_client(uint32_t id, Newcomer& newcomer, const Handshake& handshake, int64_t now_ns);
    void drop_silent_newcomers(int64_t now_ns);

    // Clients that are not served yet (welcomed.cpp).
    void welcome(uint32_t id, ipc::Region* region, int64_t now_ns);
    void hear_welcomed(uint32_t id, int64_t now_ns);
    void serve_sealed(uint32_t id, bool sealed, int64_t now_ns);
    void drop_welcomed(uint32_t id, const char* why, int64_t now_ns);
    void drop_unmapped(int64_t now_ns);

    // Clients (clients.cpp).
    void hear_client(uint32_t id);
    void take_parcels(int64_t now_ns);
    void take_handover(Client& client, const std::string& packet, base::UniqueFd fd);
    void remove_client(uint32_t id);
    void bury(std::unique_ptr<Client> client);
    void tell_scheduler();
    bool tell_some();
    void keep_habits(std::span<const std::unique_ptr<Client>> leaving, int64_t now_ns);
    bool expect(const Peer& peer, int connection, User& user);
    std::vector<ToolHost::Announced> announced() const;
    std::vector<ToolHost::Announced> ended_unused() const;
    void note_arrival(const Client& client);
    void read_groups(int64_t now_ns);
    void end_expectation(uint32_t id);

    Options options_;
    Beats own_beats_{};
    Beats& beats_;
    bool is_watched_;  // somebody ends a server of which a thread does not beat
    int64_t started_ns_;
    gid_t trusted_group_;
    Identities identities_;
    std::vector<Listener> listeners_;
    base::UniqueFd signals_;
    EventLoop events_;
    Users users_;
    Cgroups cgroups_;
    Undertaker undertaker_;
    Checkpoint checkpoint_;
    Interrupter interrupter_;
    Scheduler scheduler_;

    ConnectionIds ids_;
    std::map<uint32_t, Newcomer> newcomers_;
    std::map<uint32_t, Welcomed> welcomed_;
    std::map<uint32_t, std::unique_ptr<Client>> clients_;  // sealed
    std::map<uint32_t, Expected> expected_;
    std::deque<EndedUnused> ended_unused_;  // the last ones
    // What the scheduling thread does not know yet: clients that are to come, and those that have gone.
    std::vector<uint32_t> coming_;
    std::vector<std::unique_ptr<Client>> leaving_;
    StoppedWatch stopped_;
    CpuPriorities cpu_priorities_;
    DeviceUse device_use_;
    HoldBook holds_;
    GoneClients gone_;
    HabitBook habits_;
    host::DeviceCosts device_costs_;  // as xcli doctor --run has measured them
    OrderNotes notes_;
    DeviceNumbers device_numbers_;
    DriverQueues driver_queues_;
    KeptOrders orders_;
    ToolHost host_;
    ToolDesk desk_;

    bool stop_ = false;
    int64_t accept_again_ns_ = 0;  // out of descriptors until then; 0: not
    int64_t kept_accounts_ns_ = 0;  // the scheduling thread's
    int64_t kept_habits_ns_ = 0;
    std::vector<uint32_t> ungrouped_;  // clients whose control group could not be read in time
    int64_t groups_due_ns_ = 0;
    int64_t tell_again_ns_ = 0;  // the scheduling thread did not take an order
    int64_t idle_since_ns_;  // 0: somebody is here
};

}  // namespace xsched::server
