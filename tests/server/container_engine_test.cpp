// Programs in containers of a real engine (runc, which podman, docker and Kubernetes use), against a system server.
#include <fstream>

#include "server/hostile.h"

namespace xsched::test {
namespace {

class ContainerEngine : public UnderAttack {
protected:
    void SetUp() override {
        NEEDS_ROOT("to run containers");
        for (const char* place : {"/usr/bin/runc", "/usr/sbin/runc"})
            if (access(place, X_OK) == 0) runc_ = place;
        if (runc_.empty()) GTEST_SKIP() << "there is no runc here (see ContainerAttack for the same without an engine)";
        Process probe(run("probe", {"/usr/bin/true"}), directory.environment());
        if (probe.wait() != 0) GTEST_SKIP() << "runc cannot run a container here: " << probe.err();
        UnderAttack::SetUp();
    }
    void TearDown() override {
        for (const std::string& name : made_)
            Process({runc_, "--root", state(), "delete", "--force", id(name)}, directory.environment()).wait();
    }
    static std::string id(const std::string& name) { return "xsched-test-" + std::to_string(getpid()) + "-" + name; }
    std::string state() const { return directory / "runc"; }

    // The command line that runs `words` in a container of that name, as podman would set it up.
    std::vector<std::string> run(const std::string& name, const std::vector<std::string>& words) {
        const std::string bundle = directory / name;
        std::filesystem::create_directories(bundle + "/rootfs/usr");
        for (const char* link : {"bin", "lib", "lib64", "sbin"})
            symlink(("usr/" + std::string(link)).c_str(), (bundle + "/rootfs/" + link).c_str());
        Json mounts = Json::array({{{"destination", "/proc"}, {"type", "proc"}, {"source", "proc"}}});
        const auto bind = [&mounts](const std::string& place) {
            mounts.push_back({{"destination", place},
                              {"type", "bind"},
                              {"source", place},
                              {"options", Json::array({"rbind", "ro"})}});
        };
        bind("/usr");
        bind(std::filesystem::path(binary("xcli")).parent_path().parent_path());
        bind(directory.path());
        const Json usual = {"CAP_CHOWN",  "CAP_DAC_OVERRIDE", "CAP_FOWNER",  "CAP_FSETID",           "CAP_KILL",
                            "CAP_SETGID", "CAP_SETUID",       "CAP_SETPCAP", "CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT",
                            "CAP_SETFCAP"};
        Json namespaces = Json::array();
        for (const char* one : {"pid", "ipc", "uts", "mount"}) namespaces.push_back({{"type", one}});
        const Json config = {{"ociVersion", "1.0.2"},
                             {"process",
                              {{"user", {{"uid", 0}, {"gid", 0}}},
                               {"args", words},
                               {"cwd", "/"},
                               {"env", {"PATH=/usr/bin", "XSCHED_SOCKET=" + socket()}},
                               {"capabilities", {{"bounding", usual}, {"effective", usual}, {"permitted", usual}}}}},
                             {"root", {{"path", "rootfs"}}},
                             {"mounts", mounts},
                             {"linux", {{"namespaces", namespaces}, {"cgroupsPath", "/" + id(name)}}}};
        std::ofstream(bundle + "/config.json") << config;
        made_.push_back(name);
        return {runc_, "--root", state(), "run", "--no-pivot", "--bundle", bundle, id(name)};
    }
    // Returns the server's list, as the host's root sees it, once it has one queue.
    Json list_of_one() const {
        Json list;
        eventually([&] { return (list = answer_of_server(socket(), {{"cmd", "list"}}))["queues"].size() == 1; });
        return list;
    }
    // Runs a command in the container. Returns its exit status.
    int in_container(const std::string& name, std::vector<std::string> words) {
        words[0] = binary(words[0].c_str());
        Process process(run(name, words), directory.environment());
        const int status = process.wait();
        said_ = process.out() + process.err();
        return status;
    }

    std::string runc_;
    std::vector<std::string> made_;
    std::string said_;
};

TEST_F(ContainerEngine, RootOfOneDoesNotSteerAnother) {
    Process victim(run("victim", {binary("sitting_client"), socket(), "victim"}), directory.environment());
    ASSERT_TRUE(victim.wait_for_output("sits")) << victim.err();
    const Json list = list_of_one();
    ASSERT_EQ(list["queues"].size(), 1U) << list;
    const std::string pid = std::to_string(list["queues"][0]["pid"].get<int>());
    const std::string group = list["queues"][0]["cgroup"];
    const std::vector<std::vector<std::string>> attacks{
        {"xcli", "suspend", pid},
        {"xcli", "hint", pid, "--priority", "200"},
        {"xcli", "policy", "-s", "CFS"},
        {"xcli", "log", "ERRO"},
        {"xcli", "limit", "highest-priority=255"},
        {"xcli", "limit", "0:highest-priority=255"},
        {"xcli", "limit", group + ":share=90"},
    };
    for (size_t i = 0; i < attacks.size(); ++i) {
        EXPECT_GT(in_container("attacker" + std::to_string(i), attacks[i]), 0) << attacks[i][1] << ": " << said_;
        EXPECT_EQ(said_.find("unable"), std::string::npos) << "the engine's, not the server's: " << said_;
    }
    EXPECT_EQ(in_container("attackers_list", {"xcli", "list", "--json"}), 0) << said_;
    EXPECT_NE(said_.find("\"queues\": []"), std::string::npos) << said_;
    const Json after = answer_of_server(socket(), {{"cmd", "list"}});
    EXPECT_EQ(after["policy"], "HPF");
    EXPECT_EQ(after["queues"][0]["priority"], 0);
    EXPECT_EQ(after["queues"][0]["suspended"], false);
}

// A highest priority is set on the host for the container's control group. The program in the container cannot raise
// it, and a hint of 100 counts as the highest priority.
TEST_F(ContainerEngine, ACeilingIsSetFromOutside) {
    Process victim(run("program", {binary("sitting_client"), socket(), "program"}), directory.environment());
    ASSERT_TRUE(victim.wait_for_output("sits")) << victim.err();
    const Json list = list_of_one();
    ASSERT_EQ(list["queues"].size(), 1U) << list;
    const std::string group = list["queues"][0]["cgroup"];
    if (group.empty() || group == "/") GTEST_SKIP() << "the engine makes no control groups of version 2 here";
    EXPECT_TRUE(answer_of_server(socket(), {{"cmd", "limit"}, {"set", group + ":highest-priority=5"}})["ok"]);
    EXPECT_GT(in_container("raiser", {"xcli", "limit", group + ":highest-priority=255"}), 0) << said_;
    TestClient rival(socket(), "rival");
    ASSERT_TRUE(rival.connected());
    rival.add_queue(0, 6, 0x2);
    EXPECT_TRUE(answer_of_server(socket(), {{"cmd", "hint"}, {"queue", 0x1}, {"priority", 100}})["ok"]);
    rival.submit(0);
    EXPECT_TRUE(eventually([&] {
        const Json now = answer_of_server(socket(), {{"cmd", "list"}});
        for (const Json& queue : now["queues"])
            if (queue["program"] == "program" && queue["suspended"] == true) return true;
        return false;
    })) << "100 counts as 5, and 6 is more";
}

}  // namespace
}  // namespace xsched::test
