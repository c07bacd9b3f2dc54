#include "server/clients/identities.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/printable.h"
#include "ipc/user_namespace.h"
#include "server/limits/cgroups.h"

namespace xsched::server {
namespace {

using Answer = Standing::Answer;

constexpr uid_t kNumbersOfPlace = 256;
constexpr size_t kMostIdle = 1024;  // most places without a connection
constexpr uint32_t kBlocks = (UINT32_MAX - Identities::kFirstApart) / kNumbersOfPlace;
// How long a program that left can be asked about (gone_clients.h).
constexpr int64_t kIdleNs = 60 * base::kSecond;

// Returns whether the uid is the one that the kernel shows for every user without a mapping. Several users share that
// number, so it names none of them.
bool is_unmapped(uid_t uid) {
    static const uid_t unmapped = ipc::unmapped_uid();
    return uid == unmapped;
}
bool is_servers(uid_t uid) { return uid == geteuid() && !is_unmapped(uid); }

bool is_own_namespaces(const Peer& peer) {
    const Standing& standing = peer.standing;
    if (standing.in_container != Answer::kNo) return false;
    return standing.same_users == Answer::kYes ||
           (standing.same_users == Answer::kUnknown && standing.same_mapping && peer.told_uid != 0);
}

bool administers(const Peer& peer) {
    if (peer.guest || !is_own_namespaces(peer)) return false;
    return peer.told_uid == 0 ? peer.standing.has_rights : is_servers(peer.told_uid);
}

// Returns a place for a process by its control group. If the group is not known, the process has a place of its own.
std::string group_place_of(pid_t pid) {
    bool known = true;
    const std::string group = cgroup_of(pid, &known);
    if (known && group.empty()) return "a control group that this server does not see";
    return known ? "control group " + base::printable(group)
                 : "a control group that cannot be read (pid " + std::to_string(pid) + ")";
}

}  // namespace

// Numbers of places (containers) begin at a random one, so that what an earlier server kept about its containers is
// not taken for something about this server's.
Identities::Identities() : next_block_(std::random_device{}() % kBlocks) {}

// Returns the name of the place of a peer whose uid does not say who it is; empty if the uid does.
std::string Identities::place_of(const Peer& peer) const {
    const Standing& standing = peer.standing;
    if (standing.container != 0) return "pid namespace " + std::to_string(standing.container);
    if (standing.in_container == Answer::kYes) return "a pid namespace";
    const bool is_ours = peer.told_uid == 0 || peer.told_uid == geteuid();
    const bool says_nothing = (is_ours && !peer.administers) || is_unmapped(peer.told_uid);
    if (says_nothing && standing.user_namespace != 0)
        return "user namespace " + std::to_string(standing.user_namespace);
    if (says_nothing || peer.guest || peer.told_uid >= kFirstApart) return group_place_of(peer.pid);
    return "";
}

void Identities::settle(Peer& peer) {
    peer.administers = administers(peer);
    peer.trusted = peer.administers || (peer.of_trusted_group && !peer.guest && is_own_namespaces(peer));
    peer.uid = peer.told_uid;
    peer.account = peer.told_uid;
    const std::string name = place_of(peer);
    if (name.empty()) return;
    peer.place = find(name);
    peer.trusted = false;
    auto& numbers = peer.place->numbers;
    const uid_t first = kFirstApart + peer.place->block * kNumbersOfPlace;
    numbers.emplace(0, first);
    // The last number of a place is shared by all uids that come when the other numbers are used up.
    const auto fresh = static_cast<uid_t>(std::min<size_t>(numbers.size(), kNumbersOfPlace - 1));
    const auto known = numbers.find(peer.told_uid);
    peer.uid = known != numbers.end() ? known->second : first + fresh;
    if (known == numbers.end() && fresh < kNumbersOfPlace - 1) numbers.emplace(peer.told_uid, peer.uid);
    // In a container that an ordinary user has made, each uid belongs to that user, or is one that /etc/subuid gives
    // him.
    const bool is_users_own = peer.standing.container != 0 && !peer.standing.made_by_administrator && !peer.guest &&
                              peer.told_uid != 0 && peer.told_uid != geteuid() && !is_unmapped(peer.told_uid);
    if (!is_users_own) peer.account = first;
}

std::shared_ptr<Place> Identities::find(const std::string& name) {
    const int64_t now_ns = base::now_ns();
    auto at = places_.find(name);
    if (at == places_.end()) {
        if (places_.size() >= kMostIdle) forget_idle(now_ns);
        at = places_.emplace(name, std::make_shared<Place>(Place{name, fresh_block(), {}, 0})).first;
    }
    at->second->seen_ns = now_ns;
    return at->second;
}

// Forgets places that are old and have no connection. Places with connections are few, since connections are limited.
void Identities::forget_idle(int64_t now_ns) {
    const auto forget = [this](auto is_old) {
        for (auto at = places_.begin(); at != places_.end();) {
            const bool gone = at->second.use_count() == 1 && is_old(*at->second);
            if (gone) blocks_.erase(at->second->block);
            at = gone ? places_.erase(at) : std::next(at);
        }
    };
    forget([now_ns](const Place& place) { return now_ns - place.seen_ns > kIdleNs; });
    if (places_.size() >= kMostIdle) forget([](const Place&) { return true; });
}

uint32_t Identities::fresh_block() {
    while (!blocks_.insert(next_block_).second) next_block_ = (next_block_ + 1) % kBlocks;
    const uint32_t block = next_block_;
    next_block_ = (next_block_ + 1) % kBlocks;
    return block;
}

}  // namespace xsched::server
