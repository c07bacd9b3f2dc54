#include "kubernetes/pod_groups.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::kubernetes {
namespace {

TEST(KubernetesPodGroups, AreFoundByBothDriversOfKubelet) {
    const test::TemporaryDirectory mounts;
    const std::string uid = "8a6b0c1d-2e3f-4051-8273-8495a6b7c8d9";
    const std::string plain = "/kubepods/burstable/pod" + uid;
    std::filesystem::create_directories(mounts.path() + "/a" + plain + "/container");
    EXPECT_EQ(group_of_pod(mounts.path() + "/a", uid), plain);
    const std::string slice =
        "/kubelet.slice/kubepods.slice/kubepods-burstable.slice/"
        "kubepods-burstable-pod8a6b0c1d_2e3f_4051_8273_8495a6b7c8d9."
        "slice";
    std::filesystem::create_directories(mounts.path() + "/b" + slice);
    EXPECT_EQ(group_of_pod(mounts.path() + "/b", uid), slice);
    EXPECT_EQ(group_of_pod(mounts.path() + "/a", "other"), "");
    EXPECT_EQ(group_of_pod(mounts.path() + "/none", uid), "");
}

}  // namespace
}  // namespace xsched::kubernetes
