// The server and programs of three priorities, two of them at level 3, are killed at random moments, one after the
// other: while anything goes on, after they stood still for a while, and in the middle of an interrupt or a short
// timeslice. Also while another program does not answer. After each kill no program stays suspended. Every program left
// goes on, computes what it should (cuda_program.cpp), has all its channels and the timeslices that the driver had set.
//
// Mechanisms that would put things right by themselves after a while are off: the starvation limit and
// interrupt_limit of XSCHED_DEBUG.
//
// An ordinary run kills 30 times; a long one, as often as XSCHED_TEST_KILLS says. XSCHED_TEST_SEED repeats the choices:
//   XSCHED_TEST_KILLS=1000 ctest --test-dir build -R cuda_kill_storm --verbose
#include <random>

#include "system/rm_rig.h"

namespace xsched::test {
namespace {

constexpr int kUsualKills = 30;
constexpr uint32_t kPauseUs = 3000;  // longer than any anticipation: the less urgent are let in
constexpr const char* kControlUs = "1400";  // about what disabling channels takes

struct Guest {
    const char* name;
    int priority;
    const char* kernel_us;
    const char* level3;  // XSCHED_INTERRUPT
    uint64_t some;  // kernels that show that it goes on
    std::unique_ptr<CudaProgram> program{};
    std::unique_ptr<RmFile> rm{};
    bool lives() const { return program != nullptr; }
};

enum Way { kAtOnce, kStoppedFirst, kInAnInterrupt, kInAShortTimeslice, kWhileAnotherIsStopped, kWays };
constexpr const char* kWayNames[kWays] = {"at once", "stopped first", "in an interrupt", "in a short timeslice",
                                          "while another is stopped"};
constexpr unsigned kServer = 3;  // else one of the guests
constexpr unsigned kDraw[] = {0, 0, 1, 1, 2, kServer};  // after the server's end some seconds pass with less going on
constexpr const char* kVictimNames[] = {"urgent", "long", "gated", "server"};

class CudaKillStorm : public CudaOnRm {
protected:
    CudaKillStorm() { server_words_ = {"--starvation-limit-ms", "0"}; }
    void SetUp() override {
        CudaOnRm::SetUp();
        for (Guest& guest : guests_) ASSERT_NO_FATAL_FAILURE(start(guest));
    }
    void start(Guest& guest) {
        const std::string name = guest.name + std::to_string(++started_);
        guest.program = start_on_rm(name, guest.priority, guest.kernel_us,
                                    {{"XSCHED_INTERRUPT", guest.level3},
                                     {"XSCHED_DEBUG", "interrupt_limit=0"},
                                     {"FAKE_RM_DELAY_US", kControlUs}});
        ASSERT_TRUE(goes_on(guest));
        guest.rm = rm_of(guest.program->pid());
        ASSERT_TRUE(guest.rm->there());
    }

    unsigned random(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
    void wait_at_random(unsigned most_us) { usleep(random(most_us)); }

    // Waits for what must come, and notes how long the slowest took.
    template <typename Condition>
    bool soon(const char* what, Condition condition) {
        const int64_t began = base::now_ns();
        const bool came = eventually(condition);
        const int64_t took = base::now_ns() - began;
        if (took > slowest_ns_) {
            slowest_ns_ = took;
            slowest_ = what;
        }
        return came;
    }
    bool goes_on(Guest& guest) {
        const uint64_t wanted = guest.program->done() + guest.some;
        guest.program->work();
        const bool went = soon("goes on", [&] { return guest.program->done() >= wanted; });
        guest.program->rest();
        return went;
    }
    template <typename Test>
    bool all_living(Test test) {
        return std::all_of(guests_.begin(), guests_.end(), [&](Guest& it) { return !it.lives() || test(it); });
    }
    bool nobody_is_suspended() {
        const Json answer = answer_of_server(socket(), {{"cmd", "list"}});
        if (!answer.contains("queues")) return false;
        return std::none_of(answer["queues"].begin(), answer["queues"].end(),
                            [](const Json& it) { return it.value("suspended", true); });
    }

    // Changes which programs work, and in which bursts: back to back, with pauses that make interrupts worth it, and
    // with such that make short timeslices (sched/facts/mechanism.h).
    void stir() {
        for (Guest& guest : guests_) {
            const unsigned pattern = random(3);
            guest.program->pause(pattern == 0 ? 0 : pattern == 1 ? 4 : 1, kPauseUs);
            if (random(4) != 0) guest.program->work();
        }
    }
    // Waits until the long kernel is off the device. Returns whether it is.
    bool interrupt() {
        urgent_.program->pause(4, kPauseUs);
        urgent_.program->work();
        long_.program->work();
        return eventually([&] { return long_.rm->disabled() != 0; });
    }
    // Waits until the long kernel's program has a short timeslice. Returns whether it has.
    bool shorten() {
        urgent_.program->pause(1, kPauseUs);
        urgent_.program->work();
        long_.program->work();
        return eventually([&] { return !has_own_timeslice(long_); });
    }
    void strike(unsigned victim, Way way) {
        const pid_t pid = victim == kServer ? server->pid() : guests_[victim].program->pid();
        stir();
        wait_at_random(30'000);
        pid_t other = 0;
        if (way == kStoppedFirst) {
            kill(pid, SIGSTOP);
            wait_at_random(20'000);
        } else if (way == kInAnInterrupt) {
            ASSERT_TRUE(interrupt()) << "no interrupt";
            wait_at_random(random(2) != 0 ? 2'000 : 1);  // the call that did it may still be on its way
        } else if (way == kInAShortTimeslice) {
            ASSERT_TRUE(shorten()) << "no short timeslice";
        } else if (way == kWhileAnotherIsStopped) {
            other = guests_[(victim + 1 + random(2)) % 3].program->pid();
            kill(other, SIGSTOP);
            wait_at_random(20'000);
        }
        kill(pid, SIGKILL);
        if (other != 0) {
            wait_at_random(20'000);
            kill(other, SIGCONT);
        }
        bury(victim);
    }
    void bury(unsigned victim) {
        if (victim == kServer) {
            server->process().wait();
            server.reset();
            return;
        }
        Guest& guest = guests_[victim];
        guest.program->process().wait();
        guest.program.reset();
        EXPECT_TRUE(soon("a killed one's channels", [&] { return guest.rm->disabled() == 0; }));
        EXPECT_TRUE(soon("a killed one's timeslice", [&] { return has_own_timeslice(guest); }))
            << guest.rm->timeslice_us();
    }
    static bool has_own_timeslice(const Guest& guest) { return guest.rm->timeslice_us() == fake::rm::kTimesliceUs; }

    static bool has_no_short_timeslice(const Guest& guest) {
        return guest.rm->timeslice_us() >= fake::rm::kTimesliceUs;
    }

    void look_after_the_others() {
        for (Guest& guest : guests_)
            if (guest.lives()) guest.program->rest();
        for (Guest& guest : guests_) {
            if (!guest.lives()) continue;
            EXPECT_TRUE(goes_on(guest)) << guest.name << ": " << log_of(guest);
        }
        for (Guest& guest : guests_)
            if (guest.lives()) guest.program->work();
        Guest& first = urgent_.lives() ? urgent_ : long_;
        EXPECT_TRUE(goes_on(first)) << first.name << ", the most urgent: " << log_of(first);
        for (Guest& guest : guests_)
            if (guest.lives()) guest.program->rest();
        EXPECT_TRUE(
            soon("nothing is disabled", [&] { return all_living([](Guest& it) { return it.rm->disabled() == 0; }); }));
        if (server != nullptr) {
            EXPECT_TRUE(soon("nobody is suspended", [&] { return nobody_is_suspended(); }));
        }
        // While a more urgent program is there, a short timeslice may be set beforehand. The most urgent one that is
        // left may have a longer one (docs/decisions/015).
        if (server == nullptr) {
            EXPECT_TRUE(soon("timeslices", [&] { return all_living(has_own_timeslice); })) << long_.rm->timeslice_us();
        } else if (!urgent_.lives()) {
            EXPECT_TRUE(soon("timeslices", [&] { return all_living(has_no_short_timeslice); }))
                << long_.rm->timeslice_us();
        }
    }
    std::string log_of(Guest& guest) {
        guest.program->process().take_output();
        return guest.program->process().err();
    }
    void revive(unsigned victim) {
        if (victim == kServer)
            ASSERT_NO_FATAL_FAILURE(start_with_rm());
        else
            ASSERT_NO_FATAL_FAILURE(start(guests_[victim]));
    }
    void note_interrupts(unsigned victim) {
        if (victim == kServer) return;
        interrupts_ += guests_[victim].rm->state().disables.load();
        timeslices_ += guests_[victim].rm->state().timeslices.load();
    }

    std::array<Guest, 3> guests_{
        {{"urgent", 10, "100", "1", 40}, {"long", 5, "20000", "1", 2}, {"gated", 0, "100", "0", 40}}};
    Guest& urgent_ = guests_[0];
    Guest& long_ = guests_[1];
    unsigned seed_ = static_cast<unsigned>(count_of("XSCHED_TEST_SEED", static_cast<int>(base::now_ns() & 0xffffff)));
    std::mt19937 random_{seed_};
    unsigned started_ = 0;
    uint64_t interrupts_ = 0, timeslices_ = 0;
    int64_t slowest_ns_ = 0;
    const char* slowest_ = "";
};

TEST_F(CudaKillStorm, WhoeverIsKilledTheOthersGoOnAsTheyWere) {
    const int kills = count_of("XSCHED_TEST_KILLS", kUsualKills);
    const int64_t began = base::now_ns();
    unsigned by_victim[4] = {};
    unsigned by_way[kWays] = {};
    std::printf("seed %u\n", seed_);
    std::fflush(stdout);
    for (int i = 0; i < kills; ++i) {
        const unsigned victim = kDraw[random(6)];
        const auto way = static_cast<Way>(random(kWays));
        SCOPED_TRACE("seed " + std::to_string(seed_) + ", kill " + std::to_string(i) + ": " + kVictimNames[victim] +
                     ", " + kWayNames[way]);
        ASSERT_NO_FATAL_FAILURE(strike(victim, way));
        look_after_the_others();
        note_interrupts(victim);
        ASSERT_FALSE(HasFailure());
        ASSERT_NO_FATAL_FAILURE(revive(victim));
        ++by_victim[victim];
        ++by_way[way];
    }
    for (unsigned i = 0; i < 3; ++i) {
        note_interrupts(i);
        EXPECT_EQ(guests_[i].program->end(), 0) << guests_[i].program->process().err();
    }
    std::printf("%d kills in %.1f s:", kills, static_cast<double>(base::now_ns() - began) / base::kSecond);
    for (unsigned i = 0; i < 4; ++i) std::printf(" %s %u,", kVictimNames[i], by_victim[i]);
    for (unsigned i = 0; i < kWays; ++i) std::printf(" %s %u,", kWayNames[i], by_way[i]);
    std::printf(" interrupts %llu, timeslices set %llu; the slowest to come was \"%s\", after %.0f ms\n",
                static_cast<unsigned long long>(interrupts_), static_cast<unsigned long long>(timeslices_), slowest_,
                static_cast<double>(slowest_ns_) / base::kMillisecond);
}

}  // namespace
}  // namespace xsched::test
