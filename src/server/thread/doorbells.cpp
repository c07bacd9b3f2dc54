#include "server/thread/doorbells.h"

#include <algorithm>
#include <system_error>

#include "base/clock.h"
#include "base/log.h"
#include "base/spin.h"
#include "base/time.h"

namespace xsched::server {
namespace {

// Most words of one futex_wait_any, the waker's among them. Each word costs 0.2 us per sleep and again per wake
// ("measured").
constexpr size_t kMostWords = 16;

}  // namespace

Doorbells::Doorbells(base::FutexWord& waker, int64_t spin_ns)
    : spin_ns_(spin_ns), words_{&waker}, noted_{0}, rests_(1), news_(waker) {}

Doorbells::~Doorbells() = default;

void Doorbells::add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns) {
    if (words_.size() >= kMostWords && !make_place(rests_until_ns))
        if (DoorbellGroup* group = group_with_room()) return group->add(id, header, rests_until_ns);
    header.server_asleep.store(0);
    headers_.push_back(&header);
    ids_.push_back(id);
    words_.push_back(&header.doorbell);
    noted_.push_back(header.doorbell.load());
    rests_.push_back({.account_ns = rests_until_ns});
}

size_t Doorbells::heard_here(const std::atomic<int64_t>* user) const {
    const auto is_its = [user](const Rest& rest) { return rest.account_ns == user; };
    return static_cast<size_t>(std::count_if(rests_.begin() + 1, rests_.end(), is_its));
}

// Makes room among the first places for a client of `user`: the user with the most clients there gives up the newest,
// if he has at least two more than `user`. Returns false otherwise.
bool Doorbells::make_place(const std::atomic<int64_t>* user) {
    size_t found = 0;
    size_t most = heard_here(user) + 1;
    for (size_t i = 1; i < rests_.size(); ++i) {
        const size_t here = heard_here(rests_[i].account_ns);
        if (here < most || (here == most && found == 0)) continue;
        most = here;
        found = i;
    }
    DoorbellGroup* const group = found != 0 ? group_with_room() : nullptr;
    if (group == nullptr) return false;
    const uint32_t id = ids_[found - 1];
    const uint32_t noted = noted_[found];
    ipc::Header& header = *headers_[found - 1];
    group->add(id, header, rests_[found].account_ns);
    if (header.doorbell.load() != noted) news_.tell({id});  // it rang before the group watched it
    forget(found);
    return true;
}

// Returns a group with room. Returns none if the system has no threads left: then the scheduling thread itself waits
// for more words.
DoorbellGroup* Doorbells::group_with_room() {
    for (const auto& group : groups_)
        if (group->size() < DoorbellGroup::kMost) return group.get();
    try {
        groups_.push_back(std::make_unique<DoorbellGroup>(news_));
    } catch (const std::system_error& error) {
        if (!said_no_threads_) XLOG_WARN("no thread can be started for clients' doorbells (%s)", error.what());
        said_no_threads_ = true;
        return nullptr;
    }
    return groups_.back().get();
}

void Doorbells::remove(uint32_t id) {
    const auto found = std::find(ids_.begin(), ids_.end(), id);
    if (found == ids_.end()) {
        std::any_of(groups_.begin(), groups_.end(), [id](const auto& group) { return group->remove(id); });
        std::erase_if(groups_, [](const auto& group) { return group->size() == 0; });
        return;
    }
    forget(static_cast<size_t>(found - ids_.begin()) + 1);
}

void Doorbells::forget(size_t place) {
    const auto index = static_cast<std::ptrdiff_t>(place);
    ids_.erase(ids_.begin() + index - 1);
    headers_.erase(headers_.begin() + index - 1);
    words_.erase(words_.begin() + index);
    noted_.erase(noted_.begin() + index);
    rests_.erase(rests_.begin() + index);
}

void Doorbells::note_waker() { noted_[0] = words_[0]->load(); }

const std::vector<uint32_t>& Doorbells::note_clients() {
    rung_.clear();
    if (any_rests_) let_in_again();
    for (size_t i = 1; i < words_.size(); ++i) {
        if (rests_[i].until_ns != 0) continue;
        const uint32_t now = words_[i]->load();
        if (now == noted_[i]) continue;
        noted_[i] = now;
        rung_.push_back(ids_[i - 1]);
    }
    news_.take(rung_);
    return rung_;
}

bool Doorbells::anything_rang() const {
    for (size_t i = 0; i < words_.size(); ++i)
        if (rests_[i].until_ns == 0 && words_[i]->load() != noted_[i]) return true;
    return false;
}

void Doorbells::set_asleep(uint32_t asleep) {
    for (size_t i = 0; i < headers_.size(); ++i)
        headers_[i]->server_asleep.store(rests_[i + 1].until_ns == 0 ? asleep : 0);
}

bool Doorbells::anybody_watched() const {
    return std::any_of(headers_.begin(), headers_.end(),
                       [](const ipc::Header* header) { return header->watching.load(std::memory_order_relaxed) != 0; });
}

// Polls the doorbells for a short time. Returns true if the thread need not sleep. Does so only while clients compete,
// and only shortly after a ring.
bool Doorbells::spin(int64_t until_ns) {
    if (!anybody_watched()) return false;
    for (int64_t now = base::now_ns(); now - rang_ns_ < spin_ns_; now = base::now_ns()) {
        if (anything_rang()) {
            rang_ns_ = now;
            return true;
        }
        if (until_ns != 0 && now >= until_ns) return true;
        base::pause_processor();
    }
    return false;
}

void Doorbells::let_in_again() {
    const int64_t now_ns = base::now_ns();
    any_rests_ = false;
    for (Rest& rest : rests_) {
        if (rest.until_ns <= now_ns) rest.until_ns = 0;
        any_rests_ |= rest.until_ns != 0;
    }
}

// Leaves out clients of users whose account says so. Returns when the first of them is listened to again; 0: none
// rests.
int64_t Doorbells::leave_out_resting(int64_t now_ns) {
    int64_t first_ns = 0;
    for (Rest& rest : rests_) {
        if (rest.until_ns == 0) rest.until_ns = news_.rests_until_ns(rest.account_ns, now_ns);
        first_ns = base::earlier(first_ns, rest.until_ns);
    }
    any_rests_ = first_ns != 0;
    return first_ns;
}

void Doorbells::wait(int64_t timeout_ns) {
    const std::vector<base::FutexWord*>& words = any_rests_ ? heard_words_ : words_;
    const std::vector<uint32_t>& noted = any_rests_ ? heard_noted_ : noted_;
    if (any_rests_) {
        heard_words_.clear();
        heard_noted_.clear();
        for (size_t i = 0; i < words_.size(); ++i) {
            if (rests_[i].until_ns != 0) continue;
            heard_words_.push_back(words_[i]);
            heard_noted_.push_back(noted_[i]);
        }
    }
    if (kernel_can_ && words.size() <= base::kMostWaitedFor) {
        kernel_can_ = base::futex_wait_any(words.data(), noted.data(), static_cast<unsigned>(words.size()), timeout_ns);
        if (kernel_can_) return;
    }
    if (!headers_.empty()) timeout_ns = timeout_ns < 0 ? kPollNs : std::min(timeout_ns, kPollNs);
    base::futex_wait(*words_[0], noted_[0], timeout_ns);
}

void Doorbells::sleep(int64_t until_ns) {
    if (news_.several_users.load(std::memory_order_relaxed) || any_rests_)
        until_ns = base::earlier(until_ns, leave_out_resting(base::now_ns()));
    if (anything_rang()) {
        rang_ns_ = base::now_ns();
        return;
    }
    if (spin_ns_ > 0 && spin(until_ns)) return;
    set_asleep(1);
    // Looks again after announcing the sleep: a client that rang before the announcement did not wake this thread.
    if (!anything_rang()) {
        const int64_t left = until_ns == 0 ? base::kForever : until_ns - base::now_ns();
        if (until_ns == 0 || left > 0) wait(left);
    }
    set_asleep(0);
    if (anything_rang()) rang_ns_ = base::now_ns();
}

}  // namespace xsched::server
