#include "kubernetes/claim.h"

#include <gtest/gtest.h>

namespace xsched::kubernetes {
namespace {

using Words = std::vector<std::string>;

Json parameters(Json values) {
    values.update({{"apiVersion", "xsched.io/v1alpha1"}, {"kind", "SharedDevice"}});
    return values;
}

Json entry(const char* source, Json values, Json requests = Json::array()) {
    return {{"source", source},
            {"requests", requests},
            {"opaque", {{"driver", kDriver}, {"parameters", parameters(std::move(values))}}}};
}

Json claim_with(Json config, const char* share = "30") {
    const Json result{{"request", "gpu"},
                      {"driver", kDriver},
                      {"pool", "node-a"},
                      {"device", "gpu-0000-3b-00-0"},
                      {"consumedCapacity", {{"share", share}}}};
    return {{"metadata", {{"namespace", "default"}, {"name", "one"}, {"uid", "u1"}}},
            {"status",
             {{"allocation", {{"devices", {{"config", std::move(config)}, {"results", {result}}}}}},
              {"reservedFor", {{{"resource", "pods"}, {"name", "p"}, {"uid", "pod-1"}}}}}}};
}

std::string complaint(const Json& object) {
    try {
        Claim::read(object);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(KubernetesClaim, HasDevicesSharesParametersAndPods) {
    const Json config = {entry("FromClass", {{"limit", 80}}),
                         entry("FromClaim", {{"priority", 5}, {"latencyTarget", "5ms"}, {"evictable", true}})};
    const Claim claim = Claim::read(claim_with(config));
    EXPECT_EQ(claim.uid, "u1");
    EXPECT_EQ(claim.pods, Words{"pod-1"});
    ASSERT_EQ(claim.devices.size(), 1u);
    EXPECT_EQ(claim.devices[0].share, 30);
    EXPECT_EQ(claim.devices[0].parameters.words(),
              (Words{"--priority", "5", "--limit", "80", "--slo-p99", "5ms", "--evictable"}));
}

TEST(KubernetesClaim, DevicesOfOtherDriversAreLeftOut) {
    Json object = claim_with(Json::array());
    object["status"]["allocation"]["devices"]["results"][0]["driver"] = "gpu.example.com";
    EXPECT_TRUE(Claim::read(object).devices.empty());
}

TEST(KubernetesClaim, AClassCutsPriorityAndLimit) {
    const Json config = {entry("FromClass", {{"mostUrgentPriority", 50}, {"limit", 40}}),
                         entry("FromClaim", {{"priority", 200}, {"limit", 90}})};
    const Parameters& given = Claim::read(claim_with(config)).devices[0].parameters;
    EXPECT_EQ(given.words(), (Words{"--priority", "50", "--limit", "40"}));
    EXPECT_EQ(given.most_urgent(), 50);
    const Json below = {entry("FromClass", {{"mostUrgentPriority", -5}})};
    EXPECT_EQ(Claim::read(claim_with(below)).devices[0].parameters.words(), (Words{"--priority", "-5"}))
        << "the usual priority, 0, is above this ceiling as well";
}

TEST(KubernetesClaim, ConfigurationOfOtherRequestsIsNotTaken) {
    const Json config = {entry("FromClaim", {{"priority", 7}}, {"other"}),
                         entry("FromClaim", {{"limit", 20}}, {"gpu"})};
    EXPECT_EQ(Claim::read(claim_with(config)).devices[0].parameters.words(), (Words{"--limit", "20"}));
}

TEST(KubernetesClaim, ARequestOfAPrioritizedListGoesByItsFirstName) {
    Json object = claim_with({entry("FromClaim", {{"priority", 7}}, {"gpu"})});
    object["status"]["allocation"]["devices"]["results"][0]["request"] = "gpu/small";
    const Claim claim = Claim::read(object);
    EXPECT_EQ(claim.devices[0].request, "gpu");
    EXPECT_EQ(claim.devices[0].parameters.words(), (Words{"--priority", "7"}));
}

TEST(KubernetesClaim, WrongParametersAreNamed) {
    const auto of_claim = [](Json values) { return complaint(claim_with({entry("FromClaim", std::move(values))})); };
    EXPECT_EQ(of_claim({{"prioritty", 3}}), "there is no parameter \"prioritty\" (did you mean \"priority\"?)");
    EXPECT_EQ(of_claim({{"mostUrgentPriority", 3}}), "mostUrgentPriority may stand in a DeviceClass alone");
    EXPECT_NE(of_claim({{"limit", 130}}).find("a whole number from 0 to 100, not \"130\""), std::string::npos);
    EXPECT_NE(of_claim({{"priority", {1, 2}}}).find("parameter priority"), std::string::npos);
    Json other = claim_with({entry("FromClaim", {})});
    other["status"]["allocation"]["devices"]["config"][0]["opaque"]["parameters"]["kind"] = "Gpu";
    EXPECT_NE(complaint(other).find("write apiVersion: xsched.io/v1alpha1 and kind: SharedDevice"), std::string::npos);
}

TEST(KubernetesClaim, MustBeAllocatedAndAPercentage) {
    EXPECT_EQ(complaint({{"metadata", {{"uid", "u"}}}}), "the claim is not allocated");
    EXPECT_NE(complaint(claim_with(Json::array(), "2k")).find("\"2k\" is no whole number"), std::string::npos);
    EXPECT_NE(complaint(claim_with(Json::array(), "101")), "");
}

}  // namespace
}  // namespace xsched::kubernetes
