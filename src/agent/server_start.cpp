#include "agent/server_start.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/detached.h"
#include "base/options.h"

namespace xsched::agent {
namespace {

constexpr size_t kMostVariables = 4096;
// Places of xserver relative to libpreempt's folder: in a build tree and with LIBDIR=lib; with LIBDIR=lib/TRIPLE.
constexpr const char* kPlaces[] = {"../bin/xserver", "../../bin/xserver", nullptr};
// Variables that are left out of the server's environment, since they are meant for the program.
constexpr const char* kLeftOut[] = {"LD_PRELOAD=", "LD_AUDIT=", "XLOG_FILE=", "OPENCL_LAYERS="};

char g_path[PATH_MAX];
const char* g_environment[kMostVariables + 1];

bool left_out(const char* variable) {
    for (const char* name : kLeftOut)
        if (strncmp(variable, name, strlen(name)) == 0) return true;
    return false;
}

void copy_environment() {
    size_t count = 0;
    for (char** it = environ; it != nullptr && *it != nullptr && count < kMostVariables; ++it)
        if (!left_out(*it)) g_environment[count++] = *it;
    g_environment[count] = nullptr;
}

}  // namespace

bool may_start_server() {
    const char* named = secure_getenv("XSCHED_SOCKET");
    return (named == nullptr || *named == '\0') && getauxval(AT_SECURE) == 0;
}

const char* start_server() {
    if (base::options().start_server == 0) return "no xserver answers, and XSCHED_START_SERVER=0 starts none";
    if (!base::find_beside_us(kPlaces, g_path, sizeof g_path)) return "no xserver is installed beside the library";
    copy_environment();
    char option[] = "--background";
    char* arguments[] = {g_path, option, nullptr};
    const base::DetachedProgram server{g_path, arguments, g_environment};
    return base::start_detached(server) ? nullptr : "xserver could not be started";
}

}  // namespace xsched::agent
