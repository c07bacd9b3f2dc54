// Labels from the paths that kubelet, podman, Docker and Slurm give control groups.
#include "cli/metrics/group_labels.h"

#include <gtest/gtest.h>

namespace xsched::test {
namespace {

using cli::Labels;

const std::string kContainer = "4f1c2e9d0b7a86351f2e3d4c5b6a79880123456789abcdef0123456789abcdef";
const std::string kPodUid = "0a7d1c52-93a1-4f2b-8d7e-5e9f3c2b1a00";
const std::string kUidOfSystemd = "0a7d1c52_93a1_4f2b_8d7e_5e9f3c2b1a00";
const std::string kStaticUid = "8a6b0c1d2e3f405162738495a6b7c8d9";

struct Case {
    std::string path;
    Labels labels;
};

void expect_labels(const std::vector<Case>& cases) {
    for (const auto& [path, labels] : cases) EXPECT_EQ(cli::group_labels(path), labels) << path;
}

TEST(GroupLabels, OfPods) {
    const Labels both{{"container_id", kContainer}, {"pod_uid", kPodUid}};
    const std::string systemd = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kUidOfSystemd;
    expect_labels({
        {"/kubepods/burstable/pod" + kPodUid + "/" + kContainer, both},
        {"/kubepods/pod" + kPodUid + "/" + kContainer, both},  // a guaranteed pod
        {systemd + ".slice/cri-containerd-" + kContainer + ".scope", both},
        {systemd + ".slice/crio-" + kContainer + ".scope", both},
        {systemd + ".slice/crio-" + kContainer + ".scope/container", both},
        {"/kubepods.slice/kubepods-pod" + kUidOfSystemd + ".slice/cri-containerd-" + kContainer + ".scope", both},
        {"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod" +
             kUidOfSystemd + ".slice/cri-containerd-" + kContainer + ".scope",
         both},
        {"/kubepods/besteffort/pod" + kStaticUid + "/" + kContainer,
         {{"container_id", kContainer}, {"pod_uid", kStaticUid}}},
        {systemd + ".slice", {{"pod_uid", kPodUid}}},
    });
}

TEST(GroupLabels, OfContainers) {
    const Labels container{{"container_id", kContainer}};
    expect_labels({
        {"/docker/" + kContainer, container},
        {"/system.slice/docker-" + kContainer + ".scope", container},
        {"/machine.slice/libpod-" + kContainer + ".scope", container},
        {"/machine.slice/libpod-" + kContainer + ".scope/container", container},
        {"/libpod_parent/libpod-" + kContainer, container},
        {"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kContainer + ".scope", container},
        {"/docker/" + kContainer + "/docker/" + std::string(64, 'a'), container},
    });
}

TEST(GroupLabels, OfSlurm) {
    const Labels job{{"slurm_job", "4711"}};
    expect_labels({
        {"/slurm/uid_1000/job_4711/step_0/task_0", job},
        {"/slurm_node7/uid_1000/job_4711/step_batch", job},
        {"/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0", job},
        {"/system.slice/node7_slurmstepd.scope/job_4711/step_extern", job},
        {"/system.slice/slurmd.service/job_4711", job},
        {"/system.slice/slurmstepd.scope/system", {}},
    });
}

TEST(GroupLabels, NamesThatUsersGiveArePlain) {
    const std::string own = "/user.slice/user-1000.slice/user@1000.service/app.slice";
    expect_labels({
        {"", {}},
        {"/", {}},
        {own + "/job_4711", {}},
        {own + "/slurmstepd.scope/job_4711", {}},
        {own + "/kubepods/pod" + kPodUid, {}},
        {"/slurm/job_x", {}},
        {"/slurm/job_12345678901", {}},
        {"/docker/" + kContainer.substr(1), {}},
        {"/docker/" + std::string(64, 'g'), {}},
        {"/docker/a" + kContainer, {}},
        {"/kubepods/pod" + std::string(300, '-') + kStaticUid, {}},
        {"/kubepods/pod..", {}},
    });
}

}  // namespace
}  // namespace xsched::test
