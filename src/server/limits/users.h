// How much of the server each user uses and may use (limits.def). Front thread.
//
// Words: user, a uid. A uid inside a range of /etc/subuid counts for the range's owner; each range of root is a user of
// its own. All users of one container are one user, with a number of its own (identities.h). Charge, an amount of an
// account that is in use; it is returned when the charge is destroyed.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/no_copies.h"
#include "config/limit_setting.h"
#include "dispatch/user_limits.h"
#include "ipc/layout.h"
#include "server/clients/peer.h"
#include "server/interrupts/handover_account.h"
#include "server/limits/group_room.h"

namespace xsched::server {

using config::kLimits;
using config::Limit;
using config::limit_info;
using config::LimitInfo;
using config::LimitSetting;
using config::read_limit;
using config::read_number;

class User;

class Charge {
public:
    Charge() = default;
    Charge(User& user, Limit limit, int64_t amount);
    Charge(Charge&& other) noexcept { *this = std::move(other); }
    Charge& operator=(Charge&& other) noexcept;
    ~Charge() { release(); }
    void release();

private:
    User* user_ = nullptr;
    Limit limit_ = Limit::kClients;
    int64_t amount_ = 0;
};

class Users;

class User {
public:
    // `place`: the container of a user that this machine does not know (identities.h).
    User(Users& users, uid_t uid, std::string place = {});

    uid_t uid() const { return uid_; }
    const std::string& place() const { return place_; }
    bool trusted() const { return trusted_; }
    int64_t used(Limit limit) const;
    int64_t most(Limit limit) const;
    // Returns what a person set for this user.
    std::optional<int64_t> set_by_person(Limit limit) const { return set_[static_cast<size_t>(limit)]; }
    // Charges the user. Returns nothing if the user, or all ordinary users together, would have too much.
    std::optional<Charge> charge(Limit limit, int64_t amount = 1);
    const std::shared_ptr<dispatch::UserLimits>& shared() const { return shared_; }

    // Returns the cost of its clients' handovers (interrupter.h).
    const std::shared_ptr<HandoverAccount>& handovers() const { return handovers_; }
    // Returns whether the user's clients may hand over sets: not if too many proved false in this minute. Only the
    // server's help is lost; programs still interrupt their own work.
    bool may_hand_over(int64_t now_ns);

    // Returns whether a line about this user may be logged now. Refused lines are counted.
    bool may_log(int64_t now_ns);

    int64_t virtual_ns = 0;  // how much of the server's time its tools had (tool_desk.h)

private:
    friend class Users;
    friend class Charge;
    void share();
    void tell_left_out();

    Users& users_;
    uid_t uid_;
    std::string place_;
    bool trusted_ = false;
    std::array<int64_t, kLimits> used_{};
    std::array<std::optional<int64_t>, kLimits> set_{};
    std::shared_ptr<dispatch::UserLimits> shared_;
    std::shared_ptr<HandoverAccount> handovers_ = std::make_shared<HandoverAccount>();
    int64_t minute_ = 0;
    uint32_t refused_before_ = 0;  // this minute
    int64_t second_ = 0;
    int64_t lines_ = 0;
    int64_t left_out_ = 0;
};

class Users : base::NoCopies {
public:
    explicit Users(std::string subordinates = "/etc/subuid");

    User& of(const Peer& peer);
    // Returns the user; nullptr if no client or tool of that uid was here yet.
    User* find(uid_t uid);
    void set(const LimitSetting& setting);
    // Returns what a person set for every ordinary user.
    std::optional<int64_t> set_for_ordinary(Limit limit) const { return ordinary_set_[static_cast<size_t>(limit)]; }
    // Makes all programs of a user share a device as one, whatever the user's settings. Call before there are users.
    void share_by_user() { share_by_user_ = true; }
    // Limits the descriptors that clients may use, given how many the server may have open. Ordinary users together get
    // at most three quarters of that number.
    void set_descriptors(int64_t system);
    // Sets the limits of the server's control group. Call before there are users.
    void set_room(const GroupRoom& room);
    // Logs what room this control group leaves for the programs of ordinary users.
    void say_room() const;
    const GroupRoom& room() const { return room_; }
    uint32_t slots() const { return slots_; }
    // Returns the most of `limit` that all users together may have, or all ordinary users if not `trusted`. kNoLimit:
    // only the limit of each user counts.
    int64_t most_together(Limit limit, bool trusted) const;
    std::vector<User*> all();
    // Logs how many lines were left out in the seconds before.
    void tell_left_out(int64_t now_ns);
    // Returns when tell_left_out is due; 0: no need.
    int64_t due_ns() const { return left_out_due_ns_; }

private:
    friend class User;
    friend class Charge;
    // Sets the most that all users together may have (`all`), and that all ordinary users together may have
    // (`ordinary`).
    void bound(Limit limit, int64_t all, int64_t ordinary);
    uid_t owner_of(uid_t uid);
    void forget_unused();
    void read_subordinates();

    struct Range {
        uid_t first;
        uid_t count;
        uid_t owner;
    };
    // Returns whether a range includes root or the server's own user.
    static bool has_ruler(const Range& range);

    GroupRoom room_;
    bool share_by_user_ = false;
    std::string subordinates_;
    int64_t read_at_ns_ = 0;
    timespec changed_{};
    std::vector<Range> ranges_;
    std::map<uid_t, std::unique_ptr<User>> users_;
    std::array<int64_t, kLimits> ordinary_used_{};
    std::array<int64_t, kLimits> all_used_{};
    std::array<std::optional<int64_t>, kLimits> ordinary_set_{};
    std::array<int64_t, kLimits> together_{};  // for all ordinary users; 0: no limit
    std::array<int64_t, kLimits> all_{};  // for all users; 0: no limit
    uint32_t slots_ = ipc::kMostQueues;  // number of slots of each client that are read
    int64_t left_out_due_ns_ = 0;
};

}  // namespace xsched::server
