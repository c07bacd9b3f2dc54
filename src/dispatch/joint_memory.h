// Limits and guarantees of memory that the programs of one user, or of one control group, have together on one device.
// Each program may count some bytes without asking (DeviceMemory::may_have); all of these together are never more than
// the limit. The rest of it is divided evenly among the programs that share it. Dispatcher's thread alone.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dispatch/client_slots.h"
#include "ipc/device_memory.h"

namespace xsched::dispatch {

class JointMemory {
public:
    // Adds a program that has a joint limit or guarantee. `words` is used until divide() has returned.
    void add(const ClientSlots& client, ipc::DeviceMemory& words);
    // Writes how much each of the programs may have, how much of its memory stays, and the answers to requests. Then
    // forgets the programs.
    void divide();

private:
    // The memory of one user or control group on the device.
    struct Account {
        uint64_t limit = 0;
        uint64_t guarantee = 0;  // what is left of it
        uint64_t used = 0;
        uint64_t programs = 0;
    };
    struct Program {
        ipc::DeviceMemory* words;
        int32_t priority;
        Account* user;  // nullptr: it has no such account
        Account* group;
        uint64_t may_have = 0;
    };

    Account* account(uint64_t number, uint64_t limit, uint64_t guarantee);
    static uint64_t take_back(ipc::DeviceMemory& words);
    static uint64_t room(const Program& program);
    void answer(Program& program);
    void guarantee(Program& program);

    std::map<uint64_t, Account> accounts_;
    std::vector<Program> programs_;
};

}  // namespace xsched::dispatch
