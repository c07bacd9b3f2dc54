#include "server/server.h"

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/log.h"
#include "base/options.h"
#include "base/time.h"
#include "policy/policy.h"
#include "sched/facts/mechanism.h"
#include "server/ending_signals.h"
#include "server/interrupts/interrupts.h"
#include "server/loaded_policy.h"
#include "server/service_manager.h"
#include "server/source.h"
#include "server/supervisor.h"
#include "server/thread/front_nice.h"

namespace xsched::server {
namespace {

// Returns a descriptor that reports the ending signals, which are blocked in this thread and all later ones. Also
// blocks the signal that the undertaker's threads take.
base::UniqueFd open_signals() {
    const sigset_t signals = ending_signals();
    sigset_t blocked = signals;
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    base::UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
    return fd;
}

// Returns the longest hardware timeslice that the scheduler gives any process (sched/facts/mechanism.h,
// sched/pattern/long_timeslice.h).
uint32_t most_timeslice_us() {
    return std::max(sched::kDriversTimesliceUs, static_cast<uint32_t>(base::options().urgent_timeslice));
}

// `policy`: the policy that a person chose at run time; empty: none.
sched::Core make_core(const Options& options, const std::string& policy) {
    sched::Settings settings;
    settings.starvation_limit_ns = options.starvation_limit_ns;
    settings.claim_limit_ns = options.claim_limit_ns;
    settings.foresight = static_cast<sched::Foresight>(base::options().foresight);
    settings.precautions = base::options().precautions != 0;
    settings.urgent_timeslice_us = static_cast<uint32_t>(base::options().urgent_timeslice);
    const policy::PolicyInfo* info = policy.empty() ? nullptr : policy::find_policy(policy.c_str());
    if (info == nullptr) info = policy::find_policy(options.policy.c_str());
    sched::Core core(info->make(), settings);
    if (options.supervised != nullptr) core.take_over(options.supervised->accounts.kept());
    return core;
}

// Loads policies that are not built in, before there is a scheduling thread. A policy whose code ended the earlier
// server is left out.
Options with_own_policy(Options options) {
    if (!options.policy_line.empty()) options.policy = register_expression(options.policy_line);
    if (options.policy_file.empty()) return options;
    std::atomic<uint32_t>* inside = options.supervised != nullptr ? &options.supervised->in_loaded_policy : nullptr;
    if (inside != nullptr && inside->exchange(0) != 0) {
        XLOG_WARN("the server before this one ended in the policy of %s: going on with %s, and without that policy",
                  options.policy_file.c_str(), options.policy.c_str());
        options.supervised->leave_out_policy.store(1);
    }
    if (options.supervised != nullptr && options.supervised->leave_out_policy.load() != 0) return options;
    options.policy = load_policy(options.policy_file, inside);
    return options;
}

int64_t descriptor_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, 1 << 20))
                                                 : 1024;
}

// Logs what the server cannot see outside its container: processes or control groups. The line is a warning from a
// server for all users, and INFO from a user's own server, which mostly serves programs in its own container.
void tell_blind_spots(ipc::SocketScope scope) {
    std::string all;
    for (const std::string& spot : blind_spots()) all += (all.empty() ? "" : ". And ") + spot;
    if (all.empty()) return;
    if (scope == ipc::SocketScope::kSystem)
        XLOG_WARN("%s", all.c_str());
    else
        XLOG_INFO("%s", all.c_str());
}

using base::earlier;

}  // namespace

Server::Server(const Options& options, std::vector<Listener> listeners)
    : options_(with_own_policy(options)),
      beats_(options.supervised != nullptr ? options.supervised->beats : own_beats_),
      is_watched_(options.supervised != nullptr || (options.manager != nullptr && options.manager->watches())),
      started_ns_(base::now_ns()),
      trusted_group_(trusted_group()),
      listeners_(std::move(listeners)),
      signals_(open_signals()),
      undertaker_(is_interrupt_descriptor),
      checkpoint_(options.supervised != nullptr ? &options.supervised->checkpoint : nullptr),
      interrupter_(most_timeslice_us()),
      scheduler_(make_core(options_, checkpoint_.policy()), options.spin_ns, options.flight_recorder,
                 [this](int64_t now_ns) { return look(now_ns); }),
      stopped_(scheduler_),
      cpu_priorities_(scheduler_),
      device_use_(options.supervised != nullptr ? &options.supervised->use : nullptr),
      holds_(scheduler_.holds()),
      orders_(checkpoint_),
      returning_(options.supervised != nullptr ? &options.supervised->programs : nullptr, started_ns_),
      host_{options_,
            started_ns_,
            clients_,
            scheduler_,
            users_,
            identities_,
            cgroups_,
            rules_,
            checkpoint_,
            device_use_,
            holds_,
            habits_,
            promises_,
            gone_,
            device_numbers_,
            driver_queues_,
            orders_,
            notes_,
            returning_,
            stopped_looks_,
            [this](const Peer& peer, int connection, User& user) { return expect(peer, connection, user); },
            [this] { return announced(); },
            [this] { return ended_unused(); },
            [this] { return reload(); }},
      desk_(host_, events_, undertaker_) {
    set_limits_and_rules(options);
    tell_blind_spots(options.scope);
    watch_sources();
    take_up_checkpoint();
    scheduler_.start();
}

void Server::set_limits_and_rules(const Options& options) {
    rules_.set(options.configuration.rules);
    users_.set_descriptors(descriptor_limit());
    users_.set_room(room_of_groups());
    users_.say_room();
    if (!ipc::can_seal_regions())
        XLOG_WARN(
            "this kernel cannot seal memory that is mapped (Linux 5.1 can): other users' programs can delay decisions");
    if (options.share_unit == "user") users_.share_by_user();
    if (options.share_unit == "cgroup") cgroups_.share_by_group();
    for (const LimitSetting& setting : options.limits) users_.set(setting);
    for (const GroupSetting& setting : options.groups)
        if (const char* refusal = cgroups_.set(setting, nullptr))
            XLOG_WARN("--limit of %s: %s", setting.path.c_str(), refusal);
}

void Server::watch_sources() {
    for (const Listener& listener : listeners_)
        if (!events_.watch(listener.fd(), token(Source::kListener)))
            throw std::system_error(errno, std::generic_category(), "epoll");
    if (!events_.watch(signals_.get(), token(Source::kSignals)) ||
        !events_.watch(undertaker_.fd(), token(Source::kUndertaker)) ||
        !events_.watch(scheduler_.attention_fd(), token(Source::kKeepingOff)))
        throw std::system_error(errno, std::generic_category(), "epoll");
}

// Takes over the orders given to the earlier server, if that crashed.
void Server::take_up_checkpoint() {
    base::LogLevel level{};
    const nlohmann::json told = checkpoint_.value("log_level");
    if (told.is_string() && base::find_log_level(told.get<std::string>().c_str(), &level)) base::set_log_level(level);
    for (const auto& text : checkpoint_.value("limits"))
        if (text.is_string()) users_.set(read_limit(text.get<std::string>(), false));
    for (const bool trusted : {true, false})
        for (const nlohmann::json& group : checkpoint_.value(trusted ? kGroupsOfTrusted : kGroupsOfUsers))
            cgroups_.take_up({{.share = group.value("share", 0),
                               .limit = group.value("limit", 100),
                               .highest_priority = group.value("highest_priority", int32_t{PRIORITY_MAX}),
                               .memory_limit = group.value("memory_limit", uint64_t{0}),
                               .memory_guarantee = group.value("memory_guarantee", uint64_t{0}),
                               .account = group.value("account", uint64_t{0}),
                               .by = group.value("by", uid_t{0}),
                               .trusted = trusted},
                              group.value("path", "")});
    habits_.take_up(checkpoint_.value(kHabits));
    promises_.take_up(checkpoint_.value(kPromises));
    rules_.take_up(checkpoint_.value(kUsersRules));
    for (const pid_t pid : checkpoint_.expected()) {
        Peer peer;
        if (!identify_process(pid, &peer)) continue;
        identities_.settle(peer);
        expect(peer, -1, users_.of(peer));
    }
}

// Runs after each pass, on the scheduling thread. Returns when to look again at the latest, or 0.
int64_t Server::look(int64_t now_ns) {
    std::vector<uint32_t>& together = scheduler_.together();
    if (!together.empty()) interrupter_.follow_together(together);
    together.clear();
    for (const uint32_t id : interrupter_.take_changed()) scheduler_.act_for(id, interrupter_.devices_of(id));
    const int64_t again_ns = interrupter_.look(now_ns);
    if (!is_watched_) return again_ns;
    Beats::beat(beats_.scheduling);
    if (options_.supervised != nullptr && now_ns - kept_accounts_ns_ >= base::kSecond) {
        kept_accounts_ns_ = now_ns;
        options_.supervised->accounts.keep(scheduler_.accounts());
    }
    return earlier(again_ns, now_ns + kMostSilentSleepNs);
}

void Server::run() {
    FrontNice nice(base::now_ns());
    while (!stop_) {
        const auto ready = events_.wait(next_wake());
        const int64_t now = base::now_ns();
        Beats::beat(beats_.front);
        if (options_.manager != nullptr) options_.manager->feed(beats_, now);
        nice.look(now);
        for (const uint64_t one : ready) handle_event(one, now);
        if (accept_again_ns_ != 0 && now >= accept_again_ns_) accept_newcomers(now);
        drop_silent_newcomers(now);
        drop_unmapped(now);
        tell_scheduler();
        if (checkpoint_.due_ns() != 0 && now >= checkpoint_.due_ns()) suspend_again(now);
        take_parcels(now);
        read_groups(now);
        stopped_.look(clients_, now);
        cpu_priorities_.look(clients_, now);
        look_at_use(now);
        if (holds_.due(now)) holds_.look(clients_, now);
        returning_.keep(clients_, now);
        desk_.serve(now);
        users_.tell_left_out(now);
        if (should_leave(now)) break;
    }
    let_everybody_go();
}

uint32_t Server::fresh_id() {
    return ids_.take([this](uint32_t id) {
        return clients_.contains(id) || newcomers_.contains(id) || welcomed_.contains(id) || expected_.contains(id) ||
               desk_.has(id) ||
               std::any_of(leaving_.begin(), leaving_.end(), [id](const auto& client) { return client->id() == id; });
    });
}

void Server::look_at_use(int64_t now_ns) {
    const std::vector<uint32_t> unheard = device_use_.look(clients_, now_ns);
    if (unheard.empty()) return;
    scheduler_.run([&unheard](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : unheard) dispatcher.look_at(id);
    });
}

// Ends the server, or reads the configuration again: for SIGHUP by a person, not by a terminal that is closed.
void Server::hear_signal() {
    signalfd_siginfo info{};
    const bool known = read(signals_.get(), &info, sizeof(info)) == sizeof(info);
    if (known && asks_to_reload(static_cast<int>(info.ssi_signo), info.ssi_code)) {
        reload();
        return events_.rearm(signals_.get(), token(Source::kSignals));
    }
    XLOG_INFO("told to end");
    stop_ = true;
}

void Server::handle_event(uint64_t ready, int64_t now_ns) {
    const auto id = static_cast<uint32_t>(ready);
    switch (static_cast<Source>(ready >> 32)) {
        case Source::kListener: return accept_newcomers(now_ns);
        case Source::kSignals: return hear_signal();
        case Source::kUndertaker: take_parcels(now_ns); return events_.rearm(undertaker_.fd(), ready);
        case Source::kKeepingOff:
            scheduler_.hear_attention();
            stopped_.begin(now_ns);
            device_use_.begin(now_ns);
            holds_.begin(now_ns);
            return events_.rearm(scheduler_.attention_fd(), ready);
        case Source::kNewcomer: return answer_handshake(id, now_ns);
        case Source::kWelcomed: return hear_welcomed(id, now_ns);
        case Source::kClient: return hear_client(id);
        case Source::kClientEnd:
            if (welcomed_.contains(id)) return drop_welcomed(id, nullptr, now_ns);
            return remove_client(id);
        case Source::kTool: return desk_.hear(id, now_ns);
        case Source::kExpected: return end_expectation(id);
    }
}

bool Server::should_leave(int64_t now_ns) {
    const bool busy =
        !clients_.empty() || !welcomed_.empty() || !desk_.empty() || !newcomers_.empty() || !expected_.empty();
    if (busy)
        idle_since_ns_ = 0;
    else if (idle_since_ns_ == 0)
        idle_since_ns_ = now_ns;
    if (busy || options_.idle_exit_ns == 0 || now_ns - idle_since_ns_ < options_.idle_exit_ns) return false;
    XLOG_INFO("no client and no tool for %lld s: exiting",
              static_cast<long long>(options_.idle_exit_ns / base::kSecond));
    return true;
}

int64_t Server::next_wake() const {
    int64_t wake = earlier(accept_again_ns_, tell_again_ns_);
    wake = earlier(wake, desk_.due_ns());
    wake = earlier(wake, stopped_.due_ns());
    wake = earlier(wake, cpu_priorities_.due_ns());
    wake = earlier(wake, clients_.empty() ? 0 : device_use_.due_ns());
    wake = earlier(wake, holds_.due_ns());
    wake = earlier(wake, undertaker_.due_ns());
    wake = earlier(wake, users_.due_ns());
    wake = earlier(wake, checkpoint_.due_ns());
    if (!ungrouped_.empty()) wake = earlier(wake, groups_due_ns_);
    if (!newcomers_.empty()) wake = earlier(wake, newcomers_.begin()->second.deadline_ns);
    if (!welcomed_.empty()) wake = earlier(wake, welcomed_.begin()->second.deadline_ns);
    if (options_.idle_exit_ns != 0 && idle_since_ns_ != 0) wake = earlier(wake, idle_since_ns_ + options_.idle_exit_ns);
    return is_watched_ ? earlier(wake, base::now_ns() + kMostSilentSleepNs) : wake;
}

void Server::let_everybody_go() {
    // First note that the server ends in order: if anything below failed, a successor would find no socket.
    if (options_.supervised != nullptr) options_.supervised->ended_in_order.store(1);
    for (Listener& listener : listeners_) listener.leave();
    if (options_.manager != nullptr) options_.manager->tell("STOPPING=1");
    if (!scheduler_.stop())
        XLOG_WARN("the scheduling thread does not respond: clients go on once this process has ended");
    for (const auto& [id, client] : clients_) {
        interrupter_.release(id);
        client->header().detached.store(1);
        ipc::ring_directive(client->header());
    }
    interrupter_.finish();
}

}  // namespace xsched::server
