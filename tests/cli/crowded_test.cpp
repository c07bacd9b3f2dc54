// More compute queues in AMD's kernel driver than a GPU takes at once: what xcli says of it, on a real server with
// staged files of the driver.
#include <optional>

#include "cli/cli_rig.h"
#include "support/child.h"
#include "support/kfd_files.h"
#include "support/own_mounts.h"

namespace xsched::test {
namespace {

constexpr uint64_t kGpu = uint64_t{kDeviceTypeGPU} << 32 | 0xc100;

class Crowded : public WithCli {
protected:
    void SetUp() override {
        NEEDS_ROOT("to mount files of a kernel driver");
        files_.add_gpu("1", "4711", 0, 0xc100);
        files_.add_gpu("2", "4712", 0, 0xc200);
        files_.add_queues("7", "4711", 20);
        files_.add_queues("8", "4712", 30);
    }
    // Starts a server whose files only the server can see, as if xcli ran in a container.
    void serve() {
        server_.emplace([this] {
            static std::optional<ServerProcess> serving;
            if (!enter_own_mounts()) return false;
            const std::string staged = files_.root() + "/sys/class";
            if (mount(staged.c_str(), "/sys/class", "", MS_BIND, "") != 0) return false;
            serving.emplace(directory);
            return serving->ready();
        });
        ASSERT_TRUE(server_->ready());
        ASSERT_TRUE(program_.connect(socket(), "trainer"));
        program_.add_queue(0, 0, 0xab1, kGpu);
        program_.submit(0);
        ASSERT_TRUE(eventually([&] { return has(xcli({"explain"}).out, "trainer"); }));
    }
    KfdFiles files_;
    std::optional<Sitter> server_;
    TestClient program_;
};

TEST_F(Crowded, StatusAndExplainNameIt) {
    files_.add_queues("9", "4711", 5);
    serve();
    const std::string sentence =
        "has 25 compute queues of all programs and takes 24 at once: the kernel gives them the GPU in turns, urgent "
        "ones "
        "as well";
    const Json status = xcli({"status", "--json"}).json();
    ASSERT_EQ(status["crowded_devices"].size(), 1u) << "the other GPU has no queue of a program here: " << status;
    EXPECT_TRUE(has(status["crowded_devices"][0], sentence + "; run fewer programs")) << status;
    const Json explained = xcli({"explain", "--json"}).json()["programs"][0];
    EXPECT_EQ(explained["finding"], "crowded") << explained;
    EXPECT_TRUE(has(explained["headline"], sentence)) << explained;
    EXPECT_TRUE(has(explained["advice"], "GPU_MAX_HW_QUEUES=2")) << explained;
    std::string printed = xcli({"status"}).out;  // folded
    std::replace(printed.begin(), printed.end(), '\n', ' ');
    EXPECT_TRUE(has(printed, "25 compute queues")) << printed;
}

TEST_F(Crowded, AsManyAsItTakesAreNone) {
    files_.add_queues("9", "4711", 4);
    serve();
    EXPECT_TRUE(xcli({"status", "--json"}).json()["crowded_devices"].empty());
    const Json explained = xcli({"explain", "--json"}).json()["programs"][0];
    EXPECT_NE(explained["finding"], "crowded") << explained;
    EXPECT_EQ(explained["facts"]["devices"][0]["driver_queues"], 24) << explained;
    EXPECT_EQ(explained["facts"]["devices"][0]["most_driver_queues"], 24) << explained;
}

}  // namespace
}  // namespace xsched::test
