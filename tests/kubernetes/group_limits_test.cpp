#include "kubernetes/group_limits.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::kubernetes {
namespace {

using Words = std::vector<std::string>;

Prepared claim(const char* uid, int64_t share, std::map<std::string, std::string> groups,
               const char* device = "gpu-0") {
    return {"default", uid, uid, {{"gpu", "node", device, {"x=y"}, share, 0, std::nullopt}}, std::move(groups)};
}

TEST(KubernetesGroupLimits, AreSettingsOfXcliLimit) {
    EXPECT_EQ((GroupLimits{30, 80, 50}.settings("/pod")),
              (Words{"/pod:share=30", "/pod:device-limit=80", "/pod:highest-priority=50"}));
    EXPECT_EQ(GroupLimits{}.settings("/pod"),
              (Words{"/pod:share=0", "/pod:device-limit=0", "/pod:highest-priority=255"}));
}

TEST(KubernetesGroupLimits, SharesOfOneDeviceAddUpAndTheTightestLimitCounts) {
    Prepared one = claim("one", 30, {{"p", "/pod"}});
    Prepared two = claim("two", 20, {{"p", "/pod"}});
    one.devices[0].limit = 80;
    two.devices[0].limit = 60;
    one.devices[0].most_urgent = 50;
    const auto limits =
        limits_of({{"one", one}, {"two", two}, {"other", claim("other", 10, {{"p", "/pod"}}, "gpu-1")}});
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_EQ(limits.at("/pod"), (GroupLimits{50, 60, 50}));
}

TEST(KubernetesGroupLimits, PodsThatUseOneClaimDivideItsShare) {
    const auto limits = limits_of({{"one", claim("one", 30, {{"a", "/a"}, {"b", "/b"}})}});
    EXPECT_EQ(limits.at("/a").share, 15);
    EXPECT_EQ(limits.at("/b").share, 15);
}

TEST(KubernetesGroupLimits, APodWithoutAGroupIsLeftOut) {
    EXPECT_TRUE(limits_of({{"one", claim("one", 30, {{"a", ""}})}}).empty());
}

TEST(KubernetesPreparedClaims, SurviveTheDriver) {
    const test::TemporaryDirectory folder;
    Prepared kept = claim("one", 30, {{"p", "/pod"}});
    kept.devices[0].most_urgent = 50;
    PreparedClaims(folder.path()).keep(kept);
    test::make_file(folder.path() + "/broken.json", "{");
    PreparedClaims next(folder.path());
    ASSERT_EQ(next.all().size(), 1u) << "a broken file is left out";
    EXPECT_EQ(next.find("one")->to_json(), kept.to_json());
    next.forget("one");
    EXPECT_EQ(PreparedClaims(folder.path()).find("one"), nullptr);
}

}  // namespace
}  // namespace xsched::kubernetes
