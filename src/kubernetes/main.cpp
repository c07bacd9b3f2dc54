// xsched-kubernetes [options]: the node's part of the cluster's GPU driver gpu.xsched.io (docs/KUBERNETES.md).
#include <CLI/CLI.hpp>
#include <curl/curl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>

#include "base/log.h"
#include "console/checks.h"
#include "console/command_line.h"
#include "console/man_page.h"
#include "kubernetes/device_plugin.h"
#include "kubernetes/driver.h"
#include "kubernetes/host_copy.h"
#include "kubernetes/kubelet_plugin.h"

namespace {

using namespace xsched::kubernetes;

constexpr const char* kHybrid = "/sys/fs/cgroup/unified";  // systemd's, beside version 1
constexpr int kSoonS = 1;  // judgement: a pod's group comes within moments of its claim

struct CommandLine {
    Place place;
    ApiAccess access = access_of_pod();
    std::string kubelet = "/var/lib/kubelet";
    int look_every_s = 10;
    bool device_plugin = false;
    std::string install;
};

std::string name_of_node() {
    if (const char* told = getenv("NODE_NAME"); told != nullptr) return told;
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    return name;
}

void describe(CLI::App& app, CommandLine& line) {
    const bool hybrid = access(kHybrid, F_OK) == 0;
    line.place = {name_of_node(), "", hybrid ? kHybrid : "/sys/fs/cgroup", "/var/run/cdi", "", "/usr/bin/xcli"};
    app.add_option("--node", line.place.node, "this node's name in the cluster (NODE_NAME, otherwise the host's name)");
    app.add_option("--kubelet", line.kubelet, "kubelet's folder (/var/lib/kubelet)");
    app.add_option("--cdi", line.place.cdi, "the folder for CDI files (/var/run/cdi)");
    app.add_option("--control-groups", line.place.groups,
                   "where control groups of version 2 are mounted (/sys/fs/cgroup, or unified there)");
    app.add_option("--machine", line.place.machine,
                   "the folder in which /proc and /sys of the machine are, if it is not /");
    app.add_option("--xcli", line.place.xcli, "xcli, which writes CDI files and tells the server (/usr/bin/xcli)");
    app.add_option("--install", line.install,
                   "copy xcli and the libraries into this folder of the node and use them there: for a driver in a "
                   "container, which has the folder mounted at the same path");
    app.add_option("--api", line.access.url, "the API server, such as https://10.0.0.1:6443 (in a pod: the cluster's)");
    app.add_option("--authority", line.access.authority, "file with the certificate of the API server's authority");
    app.add_option("--token", line.access.token, "file with the token for the API server");
    app.add_option("--certificate", line.access.certificate,
                   "file with a client's certificate and key, instead of a token");
    app.add_flag("--device-plugin", line.device_plugin,
                 "offer xsched.io/share as a device plugin, for clusters without consumable capacity (before 1.36)");
    app.add_option("--most-urgent", line.place.most_urgent,
                   "with --device-plugin: the most urgent priority of its pods")
        ->check(xsched::console::between(PRIORITY_MIN, PRIORITY_MAX));
    app.add_option("--look-every", line.look_every_s, "time between two looks at the server and the pods (10s)")
        ->type_name("TIME")
        ->transform(xsched::console::seconds_between(1, 3600))
        ->check(xsched::console::between(1, 3600));
    app.set_version_flag("--version", XSCHED_VERSION);
    xsched::console::add_man_page(app, "xsched-kubernetes", 8, XSCHED_VERSION,
                                  "NODE_NAME: as --node. XSCHED_SOCKET: the server's socket, for xcli. XLOG_LEVEL: "
                                  "DEBG, INFO, WARN or ERRO.");
}

// Returns whether a signal asks for the end within that time.
bool ends_within(int seconds, const sigset_t& signals) {
    const timespec time{seconds, 0};
    return sigtimedwait(&signals, nullptr, &time) > 0;
}

// Returns whether kubelet has answered.
bool look(DevicePlugin& shares) {
    try {
        shares.look();
        return true;
    } catch (const std::exception& error) {
        XLOG_WARN("%s", error.what());
        return false;
    }
}

int serve(CommandLine& line) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before other threads begin
    curl_global_init(CURL_GLOBAL_DEFAULT);
    line.place.claims = line.kubelet + "/plugins/" + kDriver + "/claims";
    line.place.publishes = !line.device_plugin;
    if (!line.install.empty()) line.place.xcli = copy_to_host(own_prefix(), line.install, XSCHED_VERSION) + "/bin/xcli";
    Driver driver(line.place, line.access);
    bool complete = driver.look();  // before kubelet asks
    std::unique_ptr<KubeletPlugin> claims;
    std::unique_ptr<DevicePlugin> shares;
    if (line.device_plugin)
        shares = std::make_unique<DevicePlugin>(driver, line.kubelet);
    else
        claims = std::make_unique<KubeletPlugin>(driver, line.kubelet);
    do {
        if (shares) complete = look(*shares);
        complete = driver.look() && (complete || !shares);
    } while (!ends_within(complete ? line.look_every_s : std::min(kSoonS, line.look_every_s), signals));
    return 0;
}

int refuse(const std::string& sentence) {
    fprintf(stderr, "xsched-kubernetes: %s\n", sentence.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The node's part of the Kubernetes driver gpu.xsched.io: GPUs in shares, with priorities and limits");
    CommandLine line;
    describe(app, line);
    const auto command = [&line] {
        if (line.access.url.empty())
            return refuse("no API server is known: in a pod Kubernetes names it, elsewhere --api does");
        try {
            return serve(line);
        } catch (const std::exception& error) {
            return refuse(error.what());
        }
    };
    return xsched::console::run(app, argc, argv, "xsched-kubernetes", command, refuse);
}
