#include "dispatch/joint_memory.h"

#include <algorithm>

namespace xsched::dispatch {
namespace {

using ipc::DeviceMemory;

uint64_t bytes_in(const std::atomic<uint64_t>& word) {
    return std::min(word.load(std::memory_order_seq_cst), ipc::kMostMemoryBytes);
}

}  // namespace

JointMemory::Account* JointMemory::account(uint64_t number, uint64_t limit, uint64_t guarantee) {
    if (limit == 0 && guarantee == 0) return nullptr;
    Account& account = accounts_[number];
    account.limit = limit;
    account.guarantee = guarantee;
    return &account;
}

void JointMemory::add(const ClientSlots& client, DeviceMemory& words) {
    const UserLimits* user = client.view().limits.get();
    const GroupShare* group = client.view().group.get();
    Program program{&words, client.memory_priority(), nullptr, nullptr};
    if (user != nullptr) program.user = account(user->account, user->memory_limit, user->memory_guarantee);
    if (group != nullptr) program.group = account(group->memory_account, group->memory_limit, group->memory_guarantee);
    if (program.user != nullptr || program.group != nullptr) programs_.push_back(program);
}

// Lowers the limit up to which the program may allocate without asking to what it has allocated. Returns that number.
// If the program allocates at the same time, either it sees the lower limit, or its bytes are seen here: it counts an
// allocation before it checks the limit. The limit is never raised here.
uint64_t JointMemory::take_back(DeviceMemory& words) {
    words.may_have.store(std::min(bytes_in(words.may_have), bytes_in(words.counted)), std::memory_order_seq_cst);
    return bytes_in(words.counted);
}

// Returns how many more bytes the program may have on the device: the smaller rest of its two accounts, the user's and
// the control group's.
uint64_t JointMemory::room(const Program& program) {
    uint64_t least = ipc::kMostMemoryBytes;
    for (const Account* account : {program.user, program.group})
        if (account != nullptr && account->limit != 0)
            least = std::min(least, account->limit > account->used ? account->limit - account->used : 0);
    return least;
}

// Answers the program's request for more memory of the device, if there is one: grants all of it, or nothing if an
// account has too little left.
void JointMemory::answer(Program& program) {
    DeviceMemory& words = *program.words;
    const uint32_t asked = words.limit_asked.load(std::memory_order_acquire);
    if (asked == words.limit_answered.load(std::memory_order_relaxed)) return;
    const uint64_t wanted = bytes_in(words.limit_wanted);
    if (wanted <= room(program)) {
        program.may_have += wanted;
        for (Account* account : {program.user, program.group})
            if (account != nullptr) account->used += wanted;
        words.may_have.store(program.may_have, std::memory_order_seq_cst);
    }
    words.limit_answered.store(asked, std::memory_order_release);
}

// Gives the program what is left of the guarantees of its user and control group. Called for the most urgent programs
// first.
void JointMemory::guarantee(Program& program) {
    DeviceMemory& words = *program.words;
    const uint64_t has = bytes_in(words.on_card) + bytes_in(words.on_host) + bytes_in(words.fixed);
    uint64_t stays = 0;
    for (Account* account : {program.user, program.group}) {
        if (account == nullptr) continue;
        const uint64_t part = std::min(has, account->guarantee);
        account->guarantee -= part;
        stays = std::max(stays, part);
    }
    words.joint_guarantee.store(stays, std::memory_order_relaxed);
}

void JointMemory::divide() {
    std::stable_sort(programs_.begin(), programs_.end(),
                     [](const Program& one, const Program& other) { return one.priority > other.priority; });
    for (Program& program : programs_) {
        program.may_have = take_back(*program.words);
        for (Account* account : {program.user, program.group}) {
            if (account == nullptr) continue;
            account->used += program.may_have;
            ++account->programs;
        }
        guarantee(program);
    }
    for (Program& program : programs_) answer(program);
    for (const Program& program : programs_) {
        const uint64_t left = room(program);
        uint64_t most_programs = 1;
        for (const Account* account : {program.user, program.group})
            if (account != nullptr) most_programs = std::max(most_programs, account->programs);
        program.words->joint_most.store(program.may_have + left, std::memory_order_relaxed);
        if (left > 0) program.words->may_have.store(program.may_have + left / most_programs, std::memory_order_seq_cst);
    }
    accounts_.clear();
    programs_.clear();
}

}  // namespace xsched::dispatch
