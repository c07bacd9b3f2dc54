#include "kubernetes/device_plugin.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/log.h"
#include "device_plugin.grpc.pb.h"
#include "kubernetes/share_units.h"
#include "pod_resources.grpc.pb.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVersion = "v1beta1";  // k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1, as the words below
constexpr const char* kHealthy = "Healthy";
constexpr const char* kUnhealthy = "Unhealthy";
constexpr const char* kSocket = "xsched.sock";
// Container engines read names of CDI devices in annotations with this prefix (CDI's pkg/cdi/annotations.go). All
// versions of kubelet hand annotations on; since 1.29 also the field cdi_devices.
constexpr const char* kAnnotation = "cdi.k8s.io/xsched.io_share";
constexpr auto kAnswer = std::chrono::seconds(5);         // safety: kubelet answers within milliseconds
constexpr auto kBetweenLooks = std::chrono::seconds(1);  // judgement: a device fails rarely, and a pod waits for more
constexpr auto kLastCalls = std::chrono::seconds(2);  // safety: calls under way may end

class Shares final : public v1beta1::DevicePlugin::Service {
public:
    explicit Shares(Driver& driver) : driver_(driver) {}
    void end() { ended_ = true; }

    grpc::Status GetDevicePluginOptions(grpc::ServerContext*, const v1beta1::Empty*,
                                        v1beta1::DevicePluginOptions* options) override {
        options->set_get_preferred_allocation_available(true);
        return grpc::Status::OK;
    }

    grpc::Status ListAndWatch(grpc::ServerContext* context, const v1beta1::Empty*,
                              grpc::ServerWriter<v1beta1::ListAndWatchResponse>* writer) override {
        std::map<std::string, bool> told;
        for (bool first = true; !ended_ && !context->IsCancelled(); first = false) {
            const std::map<std::string, bool> healthy = driver_.healthy();
            if ((first || healthy != told) && !writer->Write(list_of(healthy))) break;
            told = healthy;
            std::this_thread::sleep_for(kBetweenLooks);
        }
        return grpc::Status::OK;
    }

    grpc::Status GetPreferredAllocation(grpc::ServerContext*, const v1beta1::PreferredAllocationRequest* request,
                                        v1beta1::PreferredAllocationResponse* response) override {
        for (const auto& container : request->container_requests()) {
            const auto& available = container.available_deviceids();
            const auto& must = container.must_include_deviceids();
            auto* answer = response->add_container_responses();
            for (const std::string& unit :
                 preferred_units({available.begin(), available.end()}, {must.begin(), must.end()},
                                 static_cast<size_t>(std::max(container.allocation_size(), 0))))
                answer->add_deviceids(unit);
        }
        return grpc::Status::OK;
    }

    grpc::Status Allocate(grpc::ServerContext*, const v1beta1::AllocateRequest* request,
                          v1beta1::AllocateResponse* response) override {
        try {
            for (const auto& container : request->container_requests()) {
                const auto& ids = container.devices_ids();
                const auto gpus = by_gpu({ids.begin(), ids.end()});
                if (gpus.size() != 1)
                    throw std::runtime_error("no GPU of this node has " + std::to_string(ids.size()) + " shares left");
                const auto& [gpu, share] = *gpus.begin();
                give(*response->add_container_responses(), driver_.allocate(gpu, static_cast<int64_t>(share)));
            }
            return grpc::Status::OK;
        } catch (const std::exception& error) {
            XLOG_WARN("%s", error.what());
            return {grpc::StatusCode::FAILED_PRECONDITION, error.what()};
        }
    }

private:
    static void give(v1beta1::ContainerAllocateResponse& answer, const std::vector<std::string>& cdi) {
        std::string& together = (*answer.mutable_annotations())[kAnnotation];
        for (const std::string& name : cdi) {
            answer.add_cdi_devices()->set_name(name);
            together += (together.empty() ? "" : ",") + name;
        }
    }

    static v1beta1::ListAndWatchResponse list_of(const std::map<std::string, bool>& healthy) {
        v1beta1::ListAndWatchResponse list;
        for (const auto& [gpu, well] : healthy)
            for (const std::string& unit : units_of(gpu)) {
                v1beta1::Device& device = *list.add_devices();
                device.set_id(unit);
                device.set_health(well ? kHealthy : kUnhealthy);
            }
        return list;
    }

    Driver& driver_;
    std::atomic<bool> ended_ = false;
};

std::shared_ptr<grpc::Channel> channel_to(const std::string& socket) {
    return grpc::CreateChannel("unix:" + socket, grpc::InsecureChannelCredentials());
}

void limit_time(grpc::ClientContext& context) { context.set_deadline(std::chrono::system_clock::now() + kAnswer); }

void check(const grpc::Status& status, const std::string& what) {
    if (!status.ok()) throw std::runtime_error("kubelet does not " + what + ": " + status.error_message());
}

PodOfPlugin pod_of(const v1::PodResources& listed) {
    PodOfPlugin pod{listed.namespace_(), listed.name(), {}};
    for (const auto& container : listed.containers())
        for (const auto& devices : container.devices()) {
            if (devices.resource_name() != kResource) continue;
            for (const auto& [gpu, share] : by_gpu({devices.device_ids().begin(), devices.device_ids().end()}))
                pod.shares[gpu] += static_cast<int64_t>(share);
        }
    return pod;
}

}  // namespace

struct DevicePlugin::Service {
    Service(Driver& driver, const std::string& socket) : shares(driver) {
        fs::create_directories(fs::path(socket).parent_path());
        fs::remove(socket);  // of a plugin before this one
        grpc::ServerBuilder builder;
        builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
        builder.RegisterService(&shares);
        server = builder.BuildAndStart();
        if (!server) throw std::runtime_error("the socket " + socket + " cannot be made");
    }
    ~Service() {
        shares.end();
        if (server) server->Shutdown(std::chrono::system_clock::now() + kLastCalls);
    }

    Shares shares;
    std::unique_ptr<grpc::Server> server;
};

DevicePlugin::DevicePlugin(Driver& driver, const std::string& folder)
    : driver_(driver), folder_(folder + "/device-plugins") {}

DevicePlugin::~DevicePlugin() = default;

void DevicePlugin::look() {
    // If the plugin's socket is gone, serves at a new one: kubelet removes all sockets of plugins when it starts.
    if (!service_ || access((folder_ + "/" + kSocket).c_str(), F_OK) != 0) serve();
    tell_pods();
}

void DevicePlugin::serve() {
    service_.reset();
    auto service = std::make_unique<Service>(driver_, folder_ + "/" + kSocket);
    v1beta1::RegisterRequest request;
    request.set_version(kVersion);
    request.set_endpoint(kSocket);
    request.set_resource_name(kResource);
    request.mutable_options()->set_get_preferred_allocation_available(true);
    grpc::ClientContext context;
    limit_time(context);
    v1beta1::Empty answer;
    check(v1beta1::Registration::NewStub(channel_to(folder_ + "/kubelet.sock"))->Register(&context, request, &answer),
          "register xsched.io/share");
    service_ = std::move(service);
    XLOG_INFO("kubelet has registered %s", kResource);
}

void DevicePlugin::tell_pods() {
    grpc::ClientContext context;
    limit_time(context);
    v1::ListPodResourcesResponse listed;
    const std::string socket = fs::path(folder_).parent_path().string() + "/pod-resources/kubelet.sock";
    check(v1::PodResourcesLister::NewStub(channel_to(socket))->List(&context, {}, &listed), "list its pods");
    std::vector<PodOfPlugin> pods;
    for (const auto& one : listed.pod_resources())
        if (const PodOfPlugin pod = pod_of(one); !pod.shares.empty()) pods.push_back(pod);
    driver_.take_pods(pods);
}

}  // namespace xsched::kubernetes
