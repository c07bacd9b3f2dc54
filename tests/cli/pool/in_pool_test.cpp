// xcli run --pool beside its program: it stands for the program, whatever happens, and to programs outside nothing
// does.
#include "cli/pool/pool_rig.h"

namespace xsched::test {
namespace {

class InPool : public WithPool {
protected:
    Outcome run_sh(const std::string& script, const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words{"run", "--pool"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", "/bin/sh", "-c", script});
        return pool_tool(words);
    }
};

TEST_F(InPool, TheExitStatusIsTheProgramsOwn) {
    EXPECT_EQ(run_sh("exit 0").status, 0);
    EXPECT_EQ(run_sh("exit 7").status, 7);
    EXPECT_EQ(run_sh("kill -9 $$").status, 1009);
    EXPECT_EQ(run_sh("exit 7", {"--max-restarts", "5"}).status, 7) << "nothing has happened to its pool";
    EXPECT_EQ(pool_tool({"run", "--pool", "--", "no-such-program"}).status, 127);
}

TEST_F(InPool, ASignalToXcliReachesTheProgram) {
    Process program({binary("xcli"), "run", "--pool", "--max-restarts", "5", "--", "/bin/sh", "-c",
                     "trap 'echo heard; exit 5' TERM; echo ready; while :; do sleep 0.05; done"},
                    environment());
    ASSERT_TRUE(program.wait_for_output("ready")) << program.err();
    kill(program.pid(), SIGTERM);
    EXPECT_EQ(program.wait(), 5);
    EXPECT_TRUE(has(program.out(), "heard"));
}

// As without a pool, where xcli becomes the program.
TEST_F(InPool, WhoeverKillsXcliEndsTheProgramAndNoOther) {
    const Program killed = begin("hang");
    const Program other = begin("hang");
    ASSERT_TRUE(is_seen(*other));
    const pid_t pid = pid_of(*killed);
    kill(killed->pid(), SIGKILL);
    EXPECT_EQ(killed->wait(), 1009);
    EXPECT_TRUE(eventually([&] {
        return kill(pid, 0) != 0 || has(base::text_of_file("/proc/" + std::to_string(pid) + "/stat"), ") Z ");
    }));
    let_them_end();
    EXPECT_EQ(other->wait(), 0);
    EXPECT_TRUE(has(other->out(), "worked"));
    EXPECT_EQ(sentences(*other), 0) << other->err();
}

TEST_F(InPool, RestartsAreForPools) {
    const Outcome refused = pool_tool({"run", "--max-restarts", "5", "--", "true"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.err, "add --pool")) << refused.err;
    EXPECT_TRUE(has(run_sh("true", {"--max-restarts", "many"}).err, "many"));
    EXPECT_TRUE(has(run_sh("true", {"--grace-period=soon"}).err, "soon"));
}

TEST_F(InPool, ProgramsOutsideNeverNotice) {
    Process outside({binary("xcli"), "run", "--", "mps_program", "hang"}, environment());
    ASSERT_TRUE(outside.wait_for_output("joined")) << outside.err();
    const Program faulty = begin("fault");
    const Program neighbour = begin("hang");
    let_it_fault();
    EXPECT_EQ(faulty->wait(), 1);
    EXPECT_EQ(neighbour->wait(), 75);
    let_them_end();
    EXPECT_EQ(outside.wait(), 0);
    EXPECT_TRUE(has(outside.out(), "worked"));
    EXPECT_EQ(sentences(outside), 0) << outside.err();
}

}  // namespace
}  // namespace xsched::test
