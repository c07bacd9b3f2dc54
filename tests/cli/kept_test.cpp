// Orders for processes without queues, which the server keeps until the process connects.
#include <fstream>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

using Kept = WithTrainer;

TEST_F(Kept, OrdersAreKeptForWhatIsToCome) {
    client.slot(0).state = static_cast<uint32_t>(ipc::SlotState::kFree);
    EXPECT_EQ(xcli({"hint", "trainer", "--share", "30"}).out,
              "kept for the queues that pid " + std::to_string(getpid()) + " makes later\n");
    EXPECT_EQ(client.header().default_share.load(), 30);
    Process later({"/bin/sleep", "60"}, directory.environment());
    const std::string pid = std::to_string(later.pid());
    const char* const without =
        " runs without XSched: start it with 'xcli run -- PROGRAM'; the order is kept in case it connects";
    expect_sentence({"hint", pid, "-p", "7"}, without, 4);
    expect_sentence({"suspend", pid}, without, 4);
    kill(later.pid(), SIGKILL);
    later.wait();
    expect_sentence({"hint", pid, "-p", "7"}, "no process " + pid, 4);
}

// Runs Python with a mapping of a file that is named as a shim, and the statements in `more`.
Process with_shim(const PrivateDirectory& directory, const std::string& more) {
    const std::string library = directory / "libshimother.so";
    std::ofstream(library) << "mapped";
    const std::string script =
        "import mmap, os, sys, time\nwith open(sys.argv[1]) as f:\n"
        "    m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)\n" +
        more + "time.sleep(60)";
    return Process({"/usr/bin/python3", "-c", script, library}, directory.environment());
}

// Such as a child of a shell that 'xcli run' started.
TEST_F(Kept, AProcessThatHasUsedNoDeviceIsNotAnotherServers) {
    const Process other = with_shim(directory, "");
    const std::string pid = std::to_string(other.pid());
    const std::string told =
        "has XSched loaded, and is connected to no server: it has used no device so far, or schedules itself";
    EXPECT_TRUE(eventually([&] { return has(xcli({"explain", pid}).err, told); })) << xcli({"explain", pid}).err;
    expect_sentence({"status", pid}, told, 4);
    expect_sentence({"suspend", pid}, told + "; the order is kept", 4);
}

TEST_F(Kept, AnOrderForAProcessOfAnotherServerIsTold) {
    const Process other = with_shim(directory,
                                    "region = os.memfd_create('xsched-region')\nos.ftruncate(region, 4096)\n"
                                    "used = mmap.mmap(region, 4096)\n");
    const std::string pid = std::to_string(other.pid());
    const std::string told = "has XSched loaded, and is not connected to this server: 'xcli doctor' shows which others";
    ASSERT_TRUE(eventually([&] { return has(xcli({"explain", pid}).err, told); })) << xcli({"explain", pid}).err;
    for (const std::vector<std::string>& order :
         std::vector<std::vector<std::string>>{{"hint", pid, "-p", "7"}, {"config", pid, "-b", "2"}, {"suspend", pid}})
        expect_sentence(order, told + " there are; the order is kept in case it connects", 4);
    // A program that was started for this server is waited for.
    const Process ours({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    const std::string its = std::to_string(ours.pid());
    ASSERT_TRUE(eventually([&] { return has(xcli({"explain", its}).err, "has used no device so far"); }));
    EXPECT_EQ(xcli({"hint", its, "-p", "7"}).out, "kept for the queues that pid " + its + " makes later\n");
}

}  // namespace
}  // namespace xsched::test
