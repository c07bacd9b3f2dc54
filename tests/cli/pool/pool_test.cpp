// xcli pool and xcli run --pool, with a stand-in for NVIDIA's service.
#include <filesystem>
#include <fstream>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

// The stand-in for NVIDIA's service. It makes and removes the file by which programs find the service, and says that
// two programs use it.
constexpr const char* kService = R"(#!/bin/sh
place=$CUDA_MPS_PIPE_DIRECTORY/control
if [ "$1" = -d ]; then
    [ -n "$REFUSES" ] || : > "$place"
    exit
fi
[ -e "$place" ] || { echo "Cannot find MPS control daemon process"; exit 1; }
read -r word number
case $word in
    get_server_list) echo 4242 ;;
    get_client_list) [ "$number" = 4242 ] && printf '17\n18\n' ;;
    quit) rm "$place" ;;
esac
)";

class Pools : public WithCli {
protected:
    Pools() {
        std::filesystem::create_directory(programs());
        std::ofstream(programs() + "/nvidia-cuda-mps-control") << kService;
        std::filesystem::permissions(programs() + "/nvidia-cuda-mps-control", std::filesystem::perms::owner_all);
    }
    std::string programs() const { return directory / "programs"; }
    Outcome run(const std::vector<std::string>& words, const Environment& more = {}) {
        Environment environment{{"PATH", programs() + ":/usr/bin:/bin"}};
        for (const auto& [name, value] : more) environment[name] = value;
        return xcli(words, environment);
    }
};

TEST_F(Pools, AreStartedShownAndStopped) {
    EXPECT_TRUE(has(run({"pool"}).out, "there is no pool"));
    const Outcome started = run({"pool", "start"});
    ASSERT_EQ(started.status, 0) << started.err;
    EXPECT_TRUE(has(run({"pool"}).out, "has the programs 17, 18")) << run({"pool"}).out;
    const Json shown = run({"pool", "--json"}).json();
    EXPECT_EQ(shown["runs"], true);
    EXPECT_EQ(shown["pids"], (Json{17, 18}));
    EXPECT_EQ(run({"pool", "start"}).status, 0) << "it runs already";
    EXPECT_EQ(run({"pool", "stop"}).status, 0);
    EXPECT_TRUE(has(run({"pool"}).out, "there is no pool"));
    EXPECT_EQ(run({"pool", "stop"}).status, 0) << "there is none to stop";
}

TEST_F(Pools, AProgramIsPutIntoOneThatStartsByItself) {
    const Outcome ran = run({"run", "--pool", "--", "sh", "-c", "echo $CUDA_MPS_PIPE_DIRECTORY $XSCHED_SIDE_BY_SIDE"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, "/pool 1\n")) << ran.out;
    EXPECT_TRUE(has(run({"pool"}).out, "has the programs")) << "it stays for the next program";
    const Outcome apart =
        run({"run", "--pool", "--no-side-by-side", "--", "sh", "-c", "echo apart=$XSCHED_SIDE_BY_SIDE"});
    EXPECT_TRUE(has(apart.out, "apart=0")) << apart.out;
}

// MPS has two priorities: normal (0) and below.
TEST_F(Pools, UrgentProgramsComeFirstInIt) {
    const std::vector<std::string> show{"--", "sh", "-c", "echo priority=$CUDA_MPS_CLIENT_PRIORITY"};
    const auto priority = [&](std::vector<std::string> words, const Environment& more = {}) {
        words.insert(words.end(), show.begin(), show.end());
        return run(words, more).out;
    };
    EXPECT_EQ(priority({"run", "--pool"}), "priority=1\n");
    EXPECT_EQ(priority({"run", "--pool", "-p", "10"}), "priority=0\n");
    EXPECT_EQ(priority({"run", "--pool"}, {{"CUDA_MPS_CLIENT_PRIORITY", "0"}}), "priority=0\n") << "the user's";
    EXPECT_EQ(priority({"run", "-p", "10"}), "priority=\n");
}

TEST_F(Pools, NoProgramIsPutIntoOneUnasked) {
    EXPECT_EQ(run({"run", "--", "sh", "-c", "echo $CUDA_MPS_PIPE_DIRECTORY"}).out, "\n");
    EXPECT_TRUE(has(run({"pool"}).out, "there is no pool"));
}

TEST_F(Pools, WhereThereIsNoneTheProgramRunsOutside) {
    std::filesystem::remove(programs() + "/nvidia-cuda-mps-control");
    const Outcome ran = run({"run", "--pool", "--", "echo", "ran"}, {{"XSCHED_CUDA_LIB", ""}});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, "ran\n");
    EXPECT_TRUE(has(ran.err, "there is no nvidia-cuda-mps-control")) << ran.err;
    EXPECT_TRUE(has(ran.err, "runs outside of a pool")) << ran.err;
}

// A service in another folder, such as the machine's own, is no pool: xcli pool shows and ends only the user's own.
TEST_F(Pools, AnotherServiceIsLeftAlone) {
    const std::string other = directory / "other";
    std::filesystem::create_directory(other);
    std::ofstream(other + "/control") << "";
    const Environment named{{"CUDA_MPS_PIPE_DIRECTORY", other}};
    EXPECT_TRUE(has(run({"pool"}, named).out, "there is no pool"));
    EXPECT_EQ(run({"pool", "start"}, named).status, 0);
    EXPECT_TRUE(has(run({"pool"}).out, "has the programs")) << "ours has started";
    EXPECT_EQ(run({"pool", "stop"}, named).status, 0);
    EXPECT_TRUE(has(run({"pool"}).out, "there is no pool"));
    EXPECT_EQ(access((other + "/control").c_str(), F_OK), 0);
}

TEST_F(Pools, AServiceThatDoesNotStartIsTold) {
    const Outcome started = run({"pool", "start"}, {{"REFUSES", "1"}});
    EXPECT_EQ(started.status, 2);
    EXPECT_TRUE(has(started.err, "did not start: ")) << started.err;
    EXPECT_EQ(run({"run", "--pool", "--", "echo", "ran"}, {{"REFUSES", "1"}}).out, "ran\n");
}

}  // namespace
}  // namespace xsched::test
