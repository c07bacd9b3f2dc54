#include "kubernetes/kubelet_plugin.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "base/log.h"
#include "dra.grpc.pb.h"
#include "registration.grpc.pb.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;
namespace dra = ::k8s::io::kubelet::pkg::apis::dra::v1;
namespace registration = ::pluginregistration;

constexpr const char* kType = "DRAPlugin";        // k8s.io/kubelet/pkg/apis/pluginregistration/v1
constexpr const char* kVersion = "v1.DRAPlugin";  // k8s.io/kubelet/pkg/apis/dra/v1, DRAPluginService
constexpr auto kLastCalls = std::chrono::seconds(2);  // safety: calls under way may end

class Claims final : public dra::DRAPlugin::Service {
public:
    explicit Claims(Driver& driver) : driver_(driver) {}

    grpc::Status NodePrepareResources(grpc::ServerContext*, const dra::NodePrepareResourcesRequest* request,
                                      dra::NodePrepareResourcesResponse* response) override {
        for (const dra::Claim& claim : request->claims()) {
            dra::NodePrepareResourceResponse& answer = (*response->mutable_claims())[claim.uid()];
            try {
                fill(answer, driver_.prepare(claim.namespace_(), claim.name(), claim.uid()));
            } catch (const std::exception& error) {
                XLOG_WARN("claim %s/%s: %s", claim.namespace_().c_str(), claim.name().c_str(), error.what());
                answer.set_error(error.what());
            }
        }
        return grpc::Status::OK;
    }

    grpc::Status NodeUnprepareResources(grpc::ServerContext*, const dra::NodeUnprepareResourcesRequest* request,
                                        dra::NodeUnprepareResourcesResponse* response) override {
        for (const dra::Claim& claim : request->claims()) {
            dra::NodeUnprepareResourceResponse& answer = (*response->mutable_claims())[claim.uid()];
            try {
                driver_.unprepare(claim.uid());
            } catch (const std::exception& error) {
                XLOG_WARN("claim %s/%s: %s", claim.namespace_().c_str(), claim.name().c_str(), error.what());
                answer.set_error(error.what());
            }
        }
        return grpc::Status::OK;
    }

private:
    static void fill(dra::NodePrepareResourceResponse& answer, const Prepared& prepared) {
        for (const PreparedDevice& device : prepared.devices) {
            dra::Device& entry = *answer.add_devices();
            entry.add_request_names(device.request);
            entry.set_pool_name(device.pool);
            entry.set_device_name(device.device);
            for (const std::string& name : device.cdi_names) entry.add_cdi_device_ids(name);
        }
    }

    Driver& driver_;
};

class Registration final : public registration::Registration::Service {
public:
    explicit Registration(std::string endpoint) : endpoint_(std::move(endpoint)) {}

    grpc::Status GetInfo(grpc::ServerContext*, const registration::InfoRequest*,
                         registration::PluginInfo* info) override {
        info->set_type(kType);
        info->set_name(kDriver);
        info->set_endpoint(endpoint_);
        info->add_supported_versions(kVersion);
        return grpc::Status::OK;
    }

    grpc::Status NotifyRegistrationStatus(grpc::ServerContext*, const registration::RegistrationStatus* status,
                                          registration::RegistrationStatusResponse*) override {
        if (status->plugin_registered())
            XLOG_INFO("kubelet has registered %s", kDriver);
        else
            XLOG_ERRO("kubelet does not register %s: %s", kDriver, status->error().c_str());
        return grpc::Status::OK;
    }

private:
    std::string endpoint_;
};

std::unique_ptr<grpc::Server> serve(const std::string& socket, grpc::Service& service) {
    fs::create_directories(fs::path(socket).parent_path());
    fs::remove(socket);  // of a driver before this one
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterService(&service);
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) throw std::runtime_error("the socket " + socket + " cannot be made");
    return server;
}

}  // namespace

struct KubeletPlugin::Services {
    Services(Driver& driver, const std::string& folder)
        : endpoint(folder + "/plugins/" + kDriver + "/dra.sock"),
          claims(driver),
          registration(endpoint),
          claims_server(serve(endpoint, claims)),
          registration_server(serve(folder + "/plugins_registry/" + kDriver + "-reg.sock", registration)) {}
    ~Services() {
        const auto end = std::chrono::system_clock::now() + kLastCalls;
        registration_server->Shutdown(end);
        claims_server->Shutdown(end);
    }

    std::string endpoint;
    Claims claims;
    Registration registration;
    std::unique_ptr<grpc::Server> claims_server;
    std::unique_ptr<grpc::Server> registration_server;  // last: kubelet asks at once
};

KubeletPlugin::KubeletPlugin(Driver& driver, const std::string& folder)
    : services_(std::make_unique<Services>(driver, folder)) {}

KubeletPlugin::~KubeletPlugin() = default;

}  // namespace xsched::kubernetes
