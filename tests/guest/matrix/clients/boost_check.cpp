// Boost.Compute: transforms, sorts and sums on the device, against the standard library on the host.
#define CL_TARGET_OPENCL_VERSION 120
#include <boost/compute/algorithm.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/core.hpp>
#include <boost/compute/lambda.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

namespace compute = boost::compute;

int main() {
    const compute::device device = compute::system::devices().front();
    const compute::context context(device);
    compute::command_queue queue(context, device);
    std::vector<int> host(20000);
    unsigned seed = 1;
    for (int& value : host) value = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 16) % 1000;
    compute::vector<int> data(host.begin(), host.end(), queue);
    bool right = true;
    for (int round = 0; round < 10; ++round) {
        compute::transform(data.begin(), data.end(), data.begin(), (compute::lambda::_1 * 7 + round) % 1009, queue);
        std::transform(host.begin(), host.end(), host.begin(), [round](int x) { return (x * 7 + round) % 1009; });
        if (round % 2 == 0) {
            compute::sort(data.begin(), data.end(), queue);
            std::sort(host.begin(), host.end());
        }
        std::vector<int> seen(host.size());
        compute::copy(data.begin(), data.end(), seen.begin(), queue);
        int sum = 0;
        compute::reduce(data.begin(), data.end(), &sum, queue);
        right = right && seen == host && sum == std::accumulate(host.begin(), host.end(), 0);
    }
    std::puts(right ? "right" : "wrong");
}
