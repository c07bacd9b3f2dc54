// The arguments of a tool's command: the objects that it works on, and the asking user. Plain data; front thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "server/checkpoint.h"
#include "server/clients/client.h"
#include "server/clients/gone_clients.h"
#include "server/clients/identities.h"
#include "server/device_numbers.h"
#include "server/device_use.h"
#include "server/driver_queues.h"
#include "server/habit_book.h"
#include "server/hold_book.h"
#include "server/kept_orders.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"
#include "server/options.h"
#include "server/promise_book.h"
#include "server/returning.h"
#include "server/rules/rule_book.h"
#include "server/stopped_looks.h"
#include "server/thread/scheduler.h"
#include "server/tools/order_notes.h"

namespace xsched::server {

// The objects that the commands work on.
struct ToolHost {
    const Options& options;
    const int64_t& started_ns;
    const std::map<uint32_t, std::unique_ptr<Client>>& clients;
    Scheduler& scheduler;
    Users& users;
    Identities& identities;
    Cgroups& cgroups;
    RuleBook& rules;
    Checkpoint& checkpoint;
    DeviceUse& use;
    HoldBook& holds;
    const HabitBook& habits;
    PromiseBook& promises;
    const GoneClients& gone;
    DeviceNumbers& devices;
    DriverQueues& driver_queues;
    KeptOrders& orders;
    OrderNotes& notes;
    const Returning& returning;
    StoppedLooks& stopped;
    // Keeps the server running until the process at the other end of the connection ends.
    std::function<bool(const Peer& peer, int connection, User& user)> expect;
    // Announced programs that still run: their pids and users.
    struct Announced {
        pid_t pid;
        uid_t user;
    };
    std::function<std::vector<Announced>()> announced;
    // Returns programs that ended lately where neither they nor their children had used a device.
    std::function<std::vector<Announced>()> ended_unused;
    // Reads the configuration again. Returns false if something in it is wrong, so that nothing has changed.
    std::function<bool()> reload;
};

// The asking process.
struct Asking {
    const Peer& peer;
    User& user;
    int connection;
};

}  // namespace xsched::server
