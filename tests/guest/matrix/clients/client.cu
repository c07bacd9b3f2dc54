// A program of CUDA's runtime: two streams tied by events, a graph that is replayed, a host function, copies.
#include <cstdio>
#include <vector>

__global__ void advance(unsigned* data, unsigned more) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 200; ++round) data[i] = data[i] * 1664525u + more;
}

static void demand(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::printf("CUDA: %s\n", cudaGetErrorString(result));
    std::exit(1);
}

static void CUDART_CB count(void* counter) { ++*static_cast<int*>(counter); }

int main() {
    const unsigned size = 1 << 16, rounds = 2000;
    std::vector<unsigned> host(size, 1), seen(size);
    unsigned* data;
    int counted = 0;
    cudaStream_t streams[2];
    cudaEvent_t done;
    demand(cudaMalloc(&data, size * sizeof *data));
    for (cudaStream_t& stream : streams) demand(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    demand(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    demand(cudaMemcpyAsync(data, host.data(), size * sizeof *data, cudaMemcpyHostToDevice, streams[0]));
    for (unsigned i = 0; i < rounds; ++i) {
        const cudaStream_t stream = streams[i % 2], other = streams[1 - i % 2];
        advance<<<size / 256, 256, 0, stream>>>(data, i);
        if (i % 100 == 0) demand(cudaLaunchHostFunc(stream, count, &counted));
        demand(cudaEventRecord(done, stream));
        demand(cudaStreamWaitEvent(other, done, 0));
    }
    cudaGraph_t graph;
    cudaGraphExec_t made;
    demand(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    for (unsigned i = 0; i < 50; ++i) advance<<<size / 256, 256, 0, streams[0]>>>(data, i);
    demand(cudaStreamEndCapture(streams[0], &graph));
    demand(cudaGraphInstantiateWithFlags(&made, graph, 0));
    for (int i = 0; i < 40; ++i) demand(cudaGraphLaunch(made, streams[0]));
    demand(cudaMemcpyAsync(seen.data(), data, size * sizeof *data, cudaMemcpyDeviceToHost, streams[0]));
    demand(cudaStreamSynchronize(streams[0]));
    unsigned sum = 0;
    for (const unsigned value : seen) sum = sum * 31 + value;
    std::printf("%u, host functions: %d\n", sum, counted);
    demand(cudaDeviceReset());
}
