// xserver in two threads. The scheduling thread (scheduler.h) reads shared memory, decides and writes directives. The
// front, which is the main thread, accepts connections, checks limits, answers tools and releases clients. It closes
// nothing that a peer sent (undertaker.h), since that may block as long as the peer likes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/no_copies.h"
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
#include "server/promise_book.h"
#include "server/returning.h"
#include "server/rules/rule_book.h"
#include "server/stopped_looks.h"
#include "server/stopped_watch.h"
#include "server/thread/cpu_priorities.h"
#include "server/thread/scheduler.h"
#include "server/tools/tool_desk.h"
#include "server/undertaker/undertaker.h"

namespace xsched::server {

class Server : base::NoCopies {
public:
    // Starts to listen and to schedule. `listeners`: the first is for users of this machine, the others for containers.
    // Throws std::runtime_error with a sentence.
    Server(const Options& options, std::vector<Listener> listeners);

    // Serves until SIGTERM or SIGINT, or until idle for long enough, and resumes all queues then. The process must exit
    // right after it, without destroying this object, since peers' descriptors stay open.
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
    // A client between Hello and service: a thread of the undertaker makes its Region, the client maps it and says so,
    // then a thread of the undertaker seals the file.
    struct Welcomed {
        std::unique_ptr<Client> client;
        int64_t deadline_ns = 0;
        bool said_so = false;
    };
    // A process that will become a client (xcli run). The server does not exit for idleness meanwhile.
    struct Expected {
        base::UniqueFd process;
        Charge place;
        Charge descriptors;
        uid_t user;
        uint64_t number;  // of the process
        pid_t pid = 0;
        bool came = false;  // the process, or one that it started, has connected
    };
    // An announced program that ended without using a device; xcli run reports that (ended_unused).
    struct EndedUnused {
        ToolHost::Announced program;
        int64_t ended_ns;
    };

    uint32_t fresh_id();
    void look_at_use(int64_t now_ns);
    void handle_event(uint64_t token, int64_t now_ns);
    int64_t next_wake() const;
    void hear_signal();
    void set_limits_and_rules(const Options& options);
    void watch_sources();
    void take_up_checkpoint();
    int64_t look(int64_t now_ns);
    void suspend_again(int64_t now_ns);
    bool should_leave(int64_t now_ns);
    void let_everybody_go();

    // Reads the configuration again (reload.cpp). Returns false if something in it is wrong.
    bool reload();
    std::string change_settings(const config::Configuration& now);
    void use_until_next_start(const std::string& name, const config::Value& before, const config::Value& now);
    size_t change_limits(const config::Configuration& now);
    void change_limit(const std::string& text);

    // Newcomers (newcomers.cpp).
    void accept_newcomers(int64_t now_ns);
    bool accept_some(Listener& listener, int64_t now_ns);
    void take_in(base::UniqueFd socket, bool guest, int64_t now_ns);
    void answer_handshake(uint32_t id, int64_t now_ns);
    void judge(uint32_t id, Newcomer newcomer, const Handshake& handshake, int64_t now_ns);
    // Refuses a newcomer, and logs that. `why`: for the log, if it is not the sentence of the status.
    void refuse(Newcomer& newcomer, ipc::WelcomeStatus status, int64_t now_ns, const std::string& why = "");
    void admit_client(uint32_t id, Newcomer& newcomer, const Handshake& handshake, int64_t now_ns);
    void drop_silent_newcomers(int64_t now_ns);

    // Clients that are not served yet (welcomed.cpp).
    void welcome(uint32_t id, ipc::Region* region, const std::string& facts, int64_t now_ns);
    bool apply_rules(Client& client, const std::string& facts, int64_t now_ns);
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
    static host::DeviceCosts known_costs();
    void keep_habits(std::span<const std::unique_ptr<Client>> leaving, int64_t now_ns);
    void keep_score(std::span<const std::unique_ptr<Client>> leaving);
    bool expect(const Peer& peer, int connection, User& user);
    std::vector<ToolHost::Announced> announced() const;
    std::vector<ToolHost::Announced> ended_unused() const;
    void note_arrival(const Client& client);
    void read_groups(int64_t now_ns);
    void end_expectation(uint32_t id);

    Options options_;
    Beats own_beats_{};
    Beats& beats_;
    bool is_watched_;  // a supervisor or manager ends this server if a thread stops beating
    int64_t started_ns_;
    gid_t trusted_group_;
    Identities identities_;
    std::vector<Listener> listeners_;
    base::UniqueFd signals_;
    EventLoop events_;
    Users users_;
    Cgroups cgroups_;
    RuleBook rules_;
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
    // News for the scheduling thread: clients to admit, and clients to expel.
    std::vector<uint32_t> coming_;
    std::vector<std::unique_ptr<Client>> leaving_;
    StoppedWatch stopped_;
    StoppedLooks stopped_looks_{GroupView::ours().mounts()};
    CpuPriorities cpu_priorities_;
    DeviceUse device_use_;
    HoldBook holds_;
    GoneClients gone_;
    HabitBook habits_;
    PromiseBook promises_;
    host::DeviceCosts device_costs_ = known_costs();  // costs measured by xcli doctor --run
    OrderNotes notes_;
    DeviceNumbers device_numbers_;
    DriverQueues driver_queues_;
    KeptOrders orders_;
    Returning returning_;
    ToolHost host_;
    ToolDesk desk_;

    bool stop_ = false;
    int64_t accept_again_ns_ = 0;  // no new connections until then, since descriptors have run out; 0: accept
    int64_t kept_accounts_ns_ = 0;  // the scheduling thread's
    int64_t kept_habits_ns_ = 0;
    std::vector<uint32_t> ungrouped_;  // clients whose control group could not be read in time
    int64_t groups_due_ns_ = 0;
    int64_t tell_again_ns_ = 0;  // when to repeat an order that the scheduling thread did not take
    int64_t idle_since_ns_ = started_ns_;  // since when there is no client and no tool; 0: there is one
};

}  // namespace xsched::server
