// A server that is spoken to at random, by two processes of an ordinary user at once, serves everybody else meanwhile
// and afterwards. With the server under a sanitizer this looks for faults in it.
//
// XSCHED_FUZZ_SECONDS: how long (make test-all: ten minutes); XSCHED_FUZZ_SEED: from which seed on.
#include <cinttypes>

#include "server/protocol_fuzzer.h"

namespace xsched::test {
namespace {

using ProtocolFuzz = UnderAttack;

uint64_t number_in(const char* variable, uint64_t fallback) {
    const char* text = getenv(variable);
    return text != nullptr ? strtoull(text, nullptr, 10) : fallback;
}

// Runs the fuzzer in a process of its own, which says at its end what it has tried. Returns the pid.
pid_t fuzz_beside(const std::string& path, uint64_t seed, int64_t seconds) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    if (!become(kAttackerUid)) _exit(1);
    die_with(parent);
    alarm(static_cast<unsigned>(seconds) + 60);
    const auto tries = ProtocolFuzzer(path, seed).run(seconds * base::kSecond);
    printf("seed %" PRIu64 ": %" PRIu64 " connections, %" PRIu64 " hellos, %" PRIu64 " clients, %" PRIu64
           " handovers, %" PRIu64 " requests, %" PRIu64 " answers, %" PRIu64 " words\n",
           seed, tries.connections, tries.hellos, tries.clients, tries.handovers, tries.requests, tries.answers,
           tries.words);
    fflush(stdout);
    _exit(tries.clients != 0 && tries.handovers != 0 && tries.answers != 0 ? 0 : 1);
}

TEST_F(ProtocolFuzz, OthersAreServedMeanwhile) {
    const auto seconds = static_cast<int64_t>(number_in("XSCHED_FUZZ_SECONDS", 5));
    const uint64_t seed = number_in("XSCHED_FUZZ_SEED", 1);
    const pid_t children[] = {fuzz_beside(socket(), seed, seconds), fuzz_beside(socket(), seed + 1, seconds)};
    for (const int64_t until_ns = base::now_ns() + seconds * base::kSecond; base::now_ns() < until_ns;) {
        server->process().take_output();
        EXPECT_GE(answer_ms(kVictimUid), 0) << "no answer to another user";
        usleep(100'000);
        if (HasFailure()) break;
    }
    for (const pid_t child : children) {
        int status = 0;
        if (HasFailure()) kill(child, SIGKILL);
        waitpid(child, &status, 0);
        EXPECT_EQ(exit_status(status), 0) << "it was not spoken to";
    }
    EXPECT_EQ(kill(server->pid(), 0), 0);
    expect_answers();
    expect_scheduling();
    server->process().take_output();
    EXPECT_EQ(server->process().err().find("runtime error"), std::string::npos);
    EXPECT_LE(resident_mib(), 200 * (kSlower > 1 ? 10 : 1)) << "within the user's limits";
    EXPECT_EQ(server->stop(), 0) << server->process().err();
}

}  // namespace
}  // namespace xsched::test
