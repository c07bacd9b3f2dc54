// A program that faults takes its pool with it: the users of its neighbours are told, and these are ended or begun
// again.
#include "cli/pool/pool_rig.h"

namespace xsched::test {
namespace {

class PoolFaults : public WithPool {
protected:
    std::string name(const Process& program) const {
        return "mps_program (pid " + std::to_string(pid_of(program)) + ")";
    }
    // Lets a program of the pool fault, and returns its name.
    std::string fault_beside(Process& neighbour) {
        const Program faulty = begin("fault");
        EXPECT_TRUE(is_seen(neighbour));
        let_it_fault();
        EXPECT_EQ(faulty->wait(), 1) << "the status is its own";
        EXPECT_TRUE(has(faulty->err(), name(*faulty) + " ended with status 1")) << faulty->err();
        return name(*faulty);
    }
};

TEST_F(PoolFaults, ANeighbourIsToldAndEndedInsteadOfHanging) {
    const Program neighbour = begin("hang");
    const std::string faulty = fault_beside(*neighbour);
    EXPECT_EQ(neighbour->wait(), 75);
    const std::string err = neighbour->err();
    EXPECT_TRUE(
        has(err, "the pool in which " + name(*neighbour) + " runs cannot be used any more: it had a device fault at "))
        << err;
    EXPECT_TRUE(has(err, "UTC, which " + faulty + " caused: it ended with status 1")) << err;
    EXPECT_TRUE(has(err, "is ended if it goes on for another 300 ms (--max-restarts 3 would begin it again)")) << err;
    EXPECT_TRUE(has(err, "was ended, since it could not go on in its pool: exit status 75")) << err;
    EXPECT_EQ(sentences(*neighbour), 2) << err;
    const std::string shown = pool_tool({"pool"}).out;
    EXPECT_TRUE(has(shown, faulty + " caused: it ended with status 1")) << shown;
    EXPECT_TRUE(has(shown, name(*neighbour) + " was ended")) << shown;
    const Json fault = pool_tool({"pool", "--json"}).json()["last_fault"];
    EXPECT_EQ(fault["kind"], "fault");
    EXPECT_EQ(fault["failed"][0]["outcome"], "ended with status 1");
    EXPECT_EQ(fault["neighbours"][0]["pid"], pid_of(*neighbour));
    const Outcome explained = pool_tool({"explain", std::to_string(pid_of(*neighbour))});
    EXPECT_TRUE(has(explained.err, "was ended, because of the pool that it was in (xcli pool)")) << explained.err;
}

TEST_F(PoolFaults, NeighboursAreBegunAgainIfAsked) {
    const Program one = begin("hang", {"--max-restarts", "5"});
    const Program two = begin("fail", {"--max-restarts", "2"});
    fault_beside(*one);
    let_them_end();
    EXPECT_EQ(one->wait(), 0) << one->err();
    EXPECT_EQ(two->wait(), 0) << two->err();
    EXPECT_TRUE(has(one->out(), "worked"));
    EXPECT_TRUE(has(two->out(), "worked"));
    EXPECT_TRUE(has(one->err(), "and begun again in a fresh pool (restart 1 of 5)")) << one->err();
    EXPECT_TRUE(has(two->err(), "is begun again in a fresh pool (restart 1 of 2)")) << two->err();
    const std::string shown = pool_tool({"pool"}).out;
    EXPECT_TRUE(has(shown, "was begun again as pid " + std::to_string(pid_of(*one)))) << shown;
    EXPECT_FALSE(has(shown, "cannot be used")) << shown;
}

TEST_F(PoolFaults, NoProgramIsBegunAgainForEver) {
    const Program neighbour = begin("hang", {"--max-restarts", "1"});
    fault_beside(*neighbour);
    ASSERT_TRUE(eventually([&] {
        neighbour->take_output();
        return neighbour->out().find("joined") != neighbour->out().rfind("joined");
    }));
    std::filesystem::remove(go());
    fault_beside(*neighbour);
    EXPECT_EQ(neighbour->wait(), 75);
    EXPECT_TRUE(has(neighbour->err(), "was begun again 1 time and lost its pool each time")) << neighbour->err();
}

TEST_F(PoolFaults, AProgramMayEndItselfInTime) {
    const Program neighbour = begin("save", {"--max-restarts", "5"});
    fault_beside(*neighbour);
    EXPECT_EQ(neighbour->wait(), 0);
    EXPECT_TRUE(has(neighbour->out(), "saved"));
    EXPECT_FALSE(has(neighbour->err(), "was ended")) << neighbour->err();
    EXPECT_FALSE(has(neighbour->err(), "is begun again")) << neighbour->err();
}

TEST_F(PoolFaults, AProgramThatDoesNotListenIsKilled) {
    const Program neighbour = begin("stay");
    fault_beside(*neighbour);
    EXPECT_EQ(neighbour->wait(), 75);
}

// The service forgets the fault as soon as all have failed: the log tells.
TEST_F(PoolFaults, ProgramsThatFailAtOnceAreBegunAgain) {
    const Program one = begin("fail", {"--max-restarts", "1"});
    const Program two = begin("fail");
    fault_beside(*one);
    EXPECT_EQ(two->wait(), 3);
    EXPECT_TRUE(has(two->err(), "cannot be used any more: it had a device fault at ")) << two->err();
    EXPECT_TRUE(has(two->err(), "which one of several programs caused: ")) << two->err();
    let_them_end();
    EXPECT_EQ(one->wait(), 0) << one->err();
    EXPECT_TRUE(has(one->err(), "is begun again in a fresh pool (restart 1 of 1)")) << one->err();
}

// A program that is killed in a kernel is not among the programs that the MPS server names.
TEST_F(PoolFaults, AProgramThatIsKilledInAKernelIsNamed) {
    const Program neighbour = begin("hang");
    const Program killed = begin("killed");
    ASSERT_TRUE(is_seen(*neighbour) && is_seen(*killed));
    let_it_fault();
    EXPECT_EQ(killed->wait(), 1000 + SIGKILL);
    EXPECT_EQ(neighbour->wait(), 75);
    EXPECT_TRUE(has(neighbour->err(), name(*killed) + " caused: it was ended by signal 9 (Killed)"))
        << neighbour->err();
}

TEST_F(PoolFaults, ADaemonThatIsBusyIsAskedAgain) {
    const Program neighbour = begin("hang");
    std::ofstream(pool() + "/refuse") << "";
    ASSERT_TRUE(is_seen(*neighbour));
    let_them_end();
    EXPECT_EQ(neighbour->wait(), 0) << neighbour->err();
    EXPECT_FALSE(std::filesystem::exists(pool() + "/refuse"));
    EXPECT_EQ(sentences(*neighbour), 0) << neighbour->err();
}

TEST_F(PoolFaults, TheProgramAtFaultIsNotBegunAgain) {
    const Program faulty = begin("fault", {"--max-restarts", "5"});
    let_it_fault();
    EXPECT_EQ(faulty->wait(), 1);
    EXPECT_TRUE(has(faulty->err(), "after a fault on the device")) << faulty->err();
}

TEST_F(PoolFaults, TheEndOfTheMpsServerIsTold) {
    const Program neighbour = begin("hang");
    const Program again = begin("hang", {"--max-restarts", "1"});
    ASSERT_TRUE(is_seen(*neighbour) && is_seen(*again));
    const std::string killed = std::to_string(number_in("server"));
    kill_one("server", SIGKILL);
    EXPECT_EQ(neighbour->wait(), 75);
    EXPECT_TRUE(has(neighbour->err(), "its MPS server (pid " + killed + ") ended at ")) << neighbour->err();
    let_them_end();
    EXPECT_EQ(again->wait(), 0) << again->err();
    EXPECT_TRUE(has(again->out(), "worked"));
}

// Programs go on without the daemon. The next one finds no remains of it.
TEST_F(PoolFaults, AnotherPoolIsBegunAfterTheDaemonHasEnded) {
    const Program neighbour = begin("hang");
    ASSERT_TRUE(is_seen(*neighbour));
    const pid_t daemon = number_in("nvidia-cuda-mps-control.pid");
    const pid_t before = number_in("server");
    kill(daemon, SIGKILL);
    EXPECT_TRUE(eventually([&] { return has(neighbour->err(), "has ended: the program goes on"); }))
        << neighbour->err();
    let_them_end();
    EXPECT_EQ(neighbour->wait(), 0) << neighbour->err();
    const Program next = begin("hang");
    EXPECT_EQ(next->wait(), 0) << next->err();
    EXPECT_FALSE(has(next->err(), "outside of a pool")) << "the stand-in makes its pipe and fails if one is left";
    EXPECT_NE(number_in("nvidia-cuda-mps-control.pid"), daemon);
    EXPECT_NE(number_in("server"), before) << "that of the old daemon has no programs and is ended";
}

TEST_F(PoolFaults, AStoppedPoolIsToldAndItsProgramsStayEnded) {
    const Program neighbour = begin("hang", {"--max-restarts", "5"});
    ASSERT_TRUE(is_seen(*neighbour));
    EXPECT_EQ(pool_tool({"pool", "stop"}).status, 0);
    EXPECT_EQ(neighbour->wait(), 75);
    EXPECT_TRUE(has(neighbour->err(), "it was stopped by 'xcli pool stop' at ")) << neighbour->err();
    EXPECT_FALSE(has(neighbour->err(), "begun again")) << neighbour->err();
}

}  // namespace
}  // namespace xsched::test
