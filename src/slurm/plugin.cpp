// The functions that Slurm calls (spank.h, docs/SLURM.md). A fault of ours costs a job its scheduling, never the job.
#pragma GCC visibility push(default)
extern "C" {  // the header declares the functions below as C++'s, and with the visibility of others
#include <slurm/spank.h>
}
#pragma GCC visibility pop
#include <unistd.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "console/command.h"
#include "slurm/ceilings.h"
#include "slurm/job_facts.h"
#include "slurm/job_group.h"
#include "slurm/job_options.h"
#include "slurm/suspension.h"
#include "slurm/task_environment.h"

#define XSCHED_EXPORT extern "C" [[gnu::visibility("default")]]
XSCHED_EXPORT const char plugin_name[] = "xsched";
XSCHED_EXPORT const char plugin_type[] = "spank";
XSCHED_EXPORT const unsigned int plugin_version = SLURM_VERSION_NUMBER;
XSCHED_EXPORT const unsigned int spank_plugin_version = 1;

namespace xsched::slurm {
namespace {

using console::own_environment;  // that of slurmd's processes is root's
using console::Printed;
using console::run_command;

constexpr const char* kEnv = "/usr/bin/env";
constexpr const char* kPrefix = "xsched-";

JobOptions& options() {
    static JobOptions one;
    return one;
}

Ceilings& ceilings() {
    static Ceilings one;
    return one;
}

// The child that waits for a suspension of this step, and the tasks that have not ended.
struct Step {
    pid_t watch = -1;
    int tasks = 0;
};

Step& step() {
    static Step one;
    return one;
}

// Calls `what` for Slurm. An exception becomes one line in Slurm's log, so that the job goes on without what failed.
template <typename What>
int guarded(const char* where, What what) {
    try {
        return what();
    } catch (const std::exception& error) {
        slurm_error("xsched: %s: %s", where, error.what());
    } catch (...) {
        slurm_error("xsched: %s failed", where);
    }
    return ESPANK_SUCCESS;
}

int on_option(int number, const char* text, int remote) {
    return guarded("an option", [&] {
        const std::string complaint = options().take(static_cast<size_t>(number), text);
        if (complaint.empty()) return 0;
        slurm_error("%s", complaint.c_str());
        return remote != 0 ? 0 : -1;
    });
}

int on_off(int, const char*, int) {
    options().turn_off();
    return 0;
}

void register_option(spank_t spank, const std::string& name, const char* value, const char* help, int number,
                     spank_opt_cb_f call) {
    // Slurm copies the texts.
    spank_option option{const_cast<char*>(name.c_str()),
                        const_cast<char*>(value),
                        const_cast<char*>(help),
                        value != nullptr ? 1 : 0,
                        number,
                        call};
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
        slurm_error("xsched: --%s could not be registered", name.c_str());
}

int init(spank_t spank, int count, char** words) {
    for (int i = 0; i < count; ++i)
        if (const std::string complaint = ceilings().take(words[i]); !complaint.empty())
            slurm_error("xsched: plugstack.conf: %s", complaint.c_str());
    if (spank_context() == S_CTX_SLURMD) return ESPANK_SUCCESS;
    for (size_t i = 0; i < kJobOptionCount; ++i)
        register_option(spank, std::string(kPrefix) + kJobOptions[i].name, kJobOptions[i].value, kJobOptions[i].help,
                        static_cast<int>(i), on_option);
    register_option(spank, "no-xsched", nullptr, "XSched: the job runs without it", 0, on_off);
    return ESPANK_SUCCESS;
}

std::vector<std::string> environment_of_job(spank_t spank) {
    char** entries = nullptr;
    std::vector<std::string> all;
    if (spank_get_item(spank, S_JOB_ENV, &entries) != ESPANK_SUCCESS) return all;
    for (; entries != nullptr && *entries != nullptr; ++entries) all.emplace_back(*entries);
    return all;
}

std::string variable_of_job(spank_t spank, const char* name) {
    char value[1024] = "";
    return spank_getenv(spank, name, value, sizeof(value)) == ESPANK_SUCCESS ? value : "";
}

uint32_t job_of(spank_t spank) {
    uint32_t job = 0;
    spank_get_item(spank, S_JOB_ID, &job);
    return job;
}

void set_limits(const std::vector<std::string>& settings) {
    for (const std::string& setting : settings)
        if (!run_command({ceilings().xcli(), "limit", setting}, own_environment()).well)
            slurm_error("xsched: xcli limit %s failed: the ceiling does not hold", setting.c_str());
}

// Gives the job's control group its ceilings. As root, for each task; the first one on the node does it.
int limit_job(spank_t spank) {
    const uint32_t job = job_of(spank);
    if (!ceilings().any()) return ESPANK_SUCCESS;
    std::string why;
    const std::string group = enter_group_of_job(job, &why);
    if (group.empty()) {
        slurm_error("xsched: the ceilings of job %u do not hold: %s", job, why.c_str());
        return ESPANK_SUCCESS;
    }
    int task = 0;
    spank_get_item(spank, S_TASK_ID, &task);
    if (task != 0 || noted_group(job) == group) return ESPANK_SUCCESS;
    const Printed shown =
        run_command({ceilings().scontrol(), "show", "job", "--oneliner", std::to_string(job)}, own_environment());
    if (!shown.well) slurm_error("xsched: the controller does not tell the partition and QOS of job %u", job);
    const std::vector<std::string> settings =
        ceilings().settings(group, value_in(shown.text, "Partition"), value_in(shown.text, "QOS"));
    set_limits(settings);
    note_group(job, group, settings);
    return ESPANK_SUCCESS;
}

int take_limits_back(spank_t spank) {
    const uint32_t job = job_of(spank);
    const std::string group = noted_group(job);
    if (group.empty()) return ESPANK_SUCCESS;
    set_limits(Ceilings::none(group));
    forget_group(job, group);
    return ESPANK_SUCCESS;
}

// Gives the task the environment that `xcli run` gives a program. As the job's user.
int prepare_task(spank_t spank) {
    if (options().is_off()) return ESPANK_SUCCESS;
    if (access(ceilings().xcli().c_str(), X_OK) != 0) {
        slurm_error("xsched: %s is not on this node: the job runs unscheduled", ceilings().xcli().c_str());
        return ESPANK_SUCCESS;
    }
    options().take_shards(variable_of_job(spank, "SLURM_SHARDS_ON_NODE"),
                          variable_of_job(spank, "CUDA_VISIBLE_DEVICES"));
    const std::vector<std::string> before = environment_of_job(spank);
    const Printed printed = run_command(options().command(ceilings().xcli(), {kEnv, "-0"}), before);
    if (!printed.well) {
        slurm_error("xsched: xcli run failed: the job runs unscheduled");
        return ESPANK_SUCCESS;
    }
    for (const auto& [name, value] : changes(before, split_environment(printed.text)))
        spank_setenv(spank, name.c_str(), value.c_str(), 1);
    return ESPANK_SUCCESS;
}

// Starts the watch of a step with its first task. As root, in the process that waits for the tasks.
int watch_step(spank_t spank) {
    if (options().is_off() || !options().is_given(base::HintId::evictable)) return ESPANK_SUCCESS;
    ++step().tasks;
    if (step().watch < 0) step().watch = watch_suspensions(ceilings().xcli());
    if (step().watch < 0)
        slurm_error("xsched: the memory of job %u stays while it is suspended: fork: %m", job_of(spank));
    return ESPANK_SUCCESS;
}

int end_step() {
    if (--step().tasks == 0) end_watch(std::exchange(step().watch, -1));
    return ESPANK_SUCCESS;
}

}  // namespace
}  // namespace xsched::slurm

using namespace xsched::slurm;

extern "C" {
int slurm_spank_init(spank_t spank, int count, char** words) {
    return guarded("the start", [&] { return init(spank, count, words); });
}

int slurm_spank_task_init_privileged(spank_t spank, int, char**) {
    return guarded("a task's ceilings", [&] { return limit_job(spank); });
}

int slurm_spank_task_init(spank_t spank, int, char**) {
    return guarded("a task's environment", [&] { return prepare_task(spank); });
}

int slurm_spank_task_post_fork(spank_t spank, int, char**) {
    return guarded("the watch for a suspension", [&] { return watch_step(spank); });
}

int slurm_spank_task_exit(spank_t, int, char**) {
    return guarded("a task's end", [] { return end_step(); });
}

int slurm_spank_job_epilog(spank_t spank, int, char**) {
    return guarded("a job's end", [&] { return take_limits_back(spank); });
}
}
