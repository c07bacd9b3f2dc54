#include "server/limits/users.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/byte_size.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/clients/identities.h"
#include "xsched/types.h"

namespace xsched::server {
namespace {

// The range of account numbers of users, apart from those of processes (client.cpp).
constexpr uint64_t kUserAccounts = uint64_t{3} << 62;

constexpr int64_t kLookAtRangesEveryNs = 5 * base::kSecond;

// The part of a group's memory that is kept for the server itself (measured: 19 to 24 MiB under the attacks of
// docs/SECURITY.md).
constexpr int64_t kServerBytes = 24 << 20;
// Eighths of the remaining memory: some for clients, some for answers; the last is left for everything that is not
// counted.
constexpr int64_t kParts = 8;
constexpr int64_t kClientParts = 6;
constexpr int64_t kAnswerParts = 1;
// The memory that the server and the kernel keep of a client beside its shared memory (measured: some 10 KiB).
constexpr int64_t kClientBytes = 64 << 10;
// Memory for each queue (measured: 1.4 KiB for any that a client claims, up to 6 KiB if each is on a device of its
// own).
constexpr int64_t kQueueBytes = 6 << 10;
// If memory is short, the number of queues per client is reduced before the number of clients falls below this.
constexpr int64_t kManyClients = 256;
constexpr uint32_t kLeastSlots = 64;
// The server needs room for at least this many clients, however little memory there is.
constexpr int64_t kLeastClients = 4;
constexpr int64_t kLeastAnswerBytes = 256 << 10;
// Descriptors of the server's own, with some for the moment (measured: 13 to 17).
constexpr int64_t kServerDescriptors = 32;
constexpr int64_t kLeastDescriptors = 16;
// Clients per thread that waits for doorbells. Half of the processes and threads that the server's group allows may be
// such threads.
constexpr int64_t kClientsPerThread = 31;

// Returns the part that ordinary users together may have: three quarters.
constexpr int64_t ordinary_part(int64_t all) { return all * 3 / 4; }

size_t index_of(Limit limit) { return static_cast<size_t>(limit); }

// Returns the users of /etc/passwd. Asks no directory service, which could block.
std::map<std::string, uid_t> local_users() {
    std::map<std::string, uid_t> users;
    FILE* file = fopen("/etc/passwd", "re");
    if (file == nullptr) return users;
    while (const passwd* entry = fgetpwent(file)) users.emplace(entry->pw_name, entry->pw_uid);
    fclose(file);
    return users;
}

}  // namespace

Charge::Charge(User& user, Limit limit, int64_t amount) : user_(&user), limit_(limit), amount_(amount) {
    user.used_[index_of(limit)] += amount;
    user.users_.all_used_[index_of(limit)] += amount;
    if (!user.trusted_) user.users_.ordinary_used_[index_of(limit)] += amount;
}

Charge& Charge::operator=(Charge&& other) noexcept {
    if (this == &other) return *this;
    release();
    user_ = std::exchange(other.user_, nullptr);
    limit_ = other.limit_;
    amount_ = other.amount_;
    return *this;
}

void Charge::release() {
    if (user_ == nullptr) return;
    user_->used_[index_of(limit_)] -= amount_;
    user_->users_.all_used_[index_of(limit_)] -= amount_;
    if (!user_->trusted_) user_->users_.ordinary_used_[index_of(limit_)] -= amount_;
    user_ = nullptr;
}

User::User(Users& users, uid_t uid, std::string place)
    : users_(users), uid_(uid), place_(std::move(place)), shared_(std::make_shared<dispatch::UserLimits>()) {
    shared_->account = kUserAccounts | uid;
    shared_->shares_as_one = users.share_by_user_;
}

int64_t User::used(Limit limit) const {
    if (limit == Limit::kQueues) return shared_->queues_used.load(std::memory_order_relaxed);
    if (limit == Limit::kPriorities) return shared_->priorities_used.load(std::memory_order_relaxed);
    if (limit == Limit::kLogLines) return lines_;
    if (limit == Limit::kRefused) return handovers_->refused() - refused_before_;
    return used_[index_of(limit)];
}

int64_t User::most(Limit limit) const {
    const size_t at = index_of(limit);
    const LimitInfo& info = limit_info(limit);
    const int64_t usual = trusted_ ? info.trusted : users_.ordinary_set_[at].value_or(info.ordinary);
    return std::min(set_[at].value_or(usual), users_.most_together(limit, trusted_));
}

std::optional<Charge> User::charge(Limit limit, int64_t amount) {
    const size_t at = index_of(limit);
    if (used_[at] + amount > most(limit)) return std::nullopt;
    if (users_.all_used_[at] + amount > users_.most_together(limit, true)) return std::nullopt;
    if (!trusted_ && users_.ordinary_used_[at] + amount > users_.most_together(limit, false)) return std::nullopt;
    return Charge(*this, limit, amount);
}

void User::share() {
    shared_->highest_priority.store(static_cast<int32_t>(most(Limit::kHighestPriority)));
    shared_->queues.store(static_cast<uint32_t>(most(Limit::kQueues)));
    shared_->slots.store(users_.slots_);
    shared_->priorities.store(static_cast<uint32_t>(most(Limit::kPriorities)));
    shared_->units.store(static_cast<uint32_t>(most(Limit::kUnits)));
    shared_->share.store(static_cast<int32_t>(most(Limit::kShare)));
    shared_->limit.store(std::max(static_cast<int32_t>(most(Limit::kDeviceLimit)), 1));
    shared_->memory_limit.store(static_cast<uint64_t>(most(Limit::kMemoryLimit)));
    shared_->memory_guarantee.store(static_cast<uint64_t>(most(Limit::kMemoryGuarantee)));
}

bool User::may_hand_over(int64_t now_ns) {
    const int64_t minute = now_ns / (60 * base::kSecond);
    if (minute != minute_) refused_before_ = handovers_->refused();
    minute_ = minute;
    return used(Limit::kRefused) < most(Limit::kRefused);
}

bool User::may_log(int64_t now_ns) {
    const int64_t second = now_ns / base::kSecond;
    if (second != second_) {
        tell_left_out();
        second_ = second;
        lines_ = 0;
    }
    if (lines_ < most(Limit::kLogLines)) {
        ++lines_;
        return true;
    }
    ++left_out_;
    users_.left_out_due_ns_ = (second + 1) * base::kSecond;
    return false;
}

void User::tell_left_out() {
    if (left_out_ == 0) return;
    XLOG_INFO("%lld more lines about uid %u left out", static_cast<long long>(left_out_), uid_);
    left_out_ = 0;
}

Users::Users(std::string subordinates) : subordinates_(std::move(subordinates)) {
    for (size_t i = 0; i < kLimits; ++i) together_[i] = limit_info(static_cast<Limit>(i)).together;
}

User& Users::of(const Peer& peer) {
    const uid_t uid = owner_of(peer.account_uid());
    const bool apart = uid >= Identities::kFirstApart;
    if (apart && !users_.contains(uid)) forget_unused();
    auto& user = users_[uid];
    if (user == nullptr) user = std::make_unique<User>(*this, uid, apart && peer.place ? peer.place->name : "");
    if (peer.trusted && !user->trusted_) {
        for (size_t i = 0; i < kLimits; ++i) ordinary_used_[i] -= user->used_[i];
        user->trusted_ = true;
    }
    user->share();
    return *user;
}

User* Users::find(uid_t uid) {
    const auto found = users_.find(owner_of(uid));
    return found != users_.end() ? found->second.get() : nullptr;
}

void Users::set(const LimitSetting& setting) {
    const size_t at = index_of(setting.limit);
    const auto value = setting.taken_back ? std::nullopt : std::optional(setting.value);
    if (!setting.user) {
        ordinary_set_[at] = value;
    } else if (value || users_.contains(*setting.user)) {
        auto& user = users_[*setting.user];
        if (user == nullptr) user = std::make_unique<User>(*this, *setting.user);
        user->set_[at] = value;
    }
    for (const auto& [uid, user] : users_) user->share();
}

void Users::bound(Limit limit, int64_t all, int64_t ordinary) {
    const auto lower = [](int64_t& most, int64_t to) { most = most == 0 ? to : std::min(most, to); };
    lower(all_[index_of(limit)], all);
    lower(together_[index_of(limit)], ordinary);
}

void Users::set_descriptors(int64_t system) {
    const int64_t all = std::max<int64_t>(system - kServerDescriptors, kLeastDescriptors);
    bound(Limit::kDescriptors, all, std::min(all, ordinary_part(system)));
}

void Users::set_room(const GroupRoom& room) {
    room_ = room;
    const auto fit = [this](Limit limit, int64_t least, int64_t all) {
        bound(limit, std::max(all, least), std::max(ordinary_part(all), least));
    };
    if (room.memory_bytes != GroupRoom::kNoLimit) {
        const int64_t part = std::max<int64_t>(room.memory_bytes - kServerBytes, 0) / kParts;
        const auto clients = [&] {
            const auto region = static_cast<int64_t>(sizeof(ipc::Region));
            return kClientParts * part / (region + kClientBytes + slots_ * kQueueBytes);
        };
        while (clients() < kManyClients && slots_ > kLeastSlots) slots_ /= 2;
        fit(Limit::kClients, kLeastClients, clients());
        fit(Limit::kAnswerBytes, kLeastAnswerBytes, kAnswerParts * part);
    }
    if (room.processes != GroupRoom::kNoLimit)
        fit(Limit::kClients, kLeastClients, room.processes / 2 * kClientsPerThread);
}

int64_t Users::most_together(Limit limit, bool trusted) const {
    const int64_t most = (trusted ? all_ : together_)[index_of(limit)];
    return most == 0 ? GroupRoom::kNoLimit : most;
}

std::vector<User*> Users::all() {
    std::vector<User*> users;
    for (const auto& [uid, user] : users_) users.push_back(user.get());
    return users;
}

void Users::tell_left_out(int64_t now_ns) {
    if (left_out_due_ns_ == 0 || now_ns < left_out_due_ns_) return;
    left_out_due_ns_ = 0;
    for (const auto& [uid, user] : users_) user->tell_left_out();
}

// Forgets containers that are gone: none of their users is connected, nor known to the scheduling thread.
void Users::forget_unused() {
    std::erase_if(users_, [](const auto& it) {
        const User& user = *it.second;
        const auto unused = [](int64_t used) { return used == 0; };
        return it.first >= Identities::kFirstApart && user.left_out_ == 0 && user.shared_.use_count() == 1 &&
               std::all_of(user.used_.begin(), user.used_.end(), unused);
    });
}

// Returns the user that a uid counts for. A uid in a subordinate range counts for the range's owner. Ranges of root and
// of the server's own user count as ordinary users, one for each range.
uid_t Users::owner_of(uid_t uid) {
    read_subordinates();
    for (const Range& range : ranges_)
        if (uid >= range.first && uid - range.first < range.count)
            return range.owner == 0 || range.owner == geteuid() ? range.first : range.owner;
    return uid;
}

// Returns whether a range includes root or the server's own user: such a range is no container's, and is ignored.
// Otherwise its users would share root's account.
bool Users::has_ruler(const Range& range) {
    const auto has = [&](uid_t uid) { return uid >= range.first && uid - range.first < range.count; };
    return has(0) || has(geteuid());
}

// Reads /etc/subuid again if it has changed; looks at most every few seconds.
void Users::read_subordinates() {
    const int64_t now = base::now_ns();
    if (read_at_ns_ != 0 && now - read_at_ns_ < kLookAtRangesEveryNs) return;
    read_at_ns_ = now;
    struct stat info{};
    if (stat(subordinates_.c_str(), &info) != 0) return ranges_.clear();
    if (info.st_mtim.tv_sec == changed_.tv_sec && info.st_mtim.tv_nsec == changed_.tv_nsec) return;
    changed_ = info.st_mtim;
    ranges_.clear();
    FILE* file = fopen(subordinates_.c_str(), "re");
    if (file == nullptr) return;
    const auto names = local_users();
    char line[512];
    while (fgets(line, sizeof(line), file) != nullptr) {
        char name[256];
        unsigned first = 0;
        unsigned count = 0;
        int64_t number = 0;
        if (sscanf(line, "%255[^:#]:%u:%u", name, &first, &count) != 3 || has_ruler({first, count, 0})) continue;
        const auto known = names.find(name);
        if (known != names.end())
            ranges_.push_back({first, count, known->second});
        else if (read_number(name, &number) && number >= 0 && number < UINT32_MAX)
            ranges_.push_back({first, count, static_cast<uid_t>(number)});
    }
    fclose(file);
}

void Users::say_room() const {
    if (room_.memory_bytes == GroupRoom::kNoLimit) return;
    XLOG_INFO("this control group has %s: the programs of all ordinary users are %lld at most ('xcli status --limits')",
              base::size_text(static_cast<uint64_t>(room_.memory_bytes)).c_str(),
              static_cast<long long>(most_together(Limit::kClients, false)));
}

}  // namespace xsched::server
