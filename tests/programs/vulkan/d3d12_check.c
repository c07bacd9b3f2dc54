// A Direct3D 12 program over vkd3d, without a window: fills of a buffer by the device's compute shaders and copies
// within it, in an order that the result shows. Prints a number that stands for the result.
//
//   d3d12_check ROUNDS [SECONDS]   repeats the rounds for so long, and compares each result with the first
#define COBJMACROS
#define INITGUID
#define WIDL_C_INLINE_WRAPPERS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vkd3d_utils.h>

enum { kWords = 4096, kBytes = 4 * kWords, kPart = 64 };

static ID3D12Device* device;

static void must(HRESULT result, const char* call) {
    if (SUCCEEDED(result)) return;
    fprintf(stderr, "d3d12_check: %s failed with %#x\n", call, (unsigned)result);
    exit(2);
}

static ID3D12Resource* buffer(D3D12_HEAP_TYPE type, D3D12_RESOURCE_STATES state, D3D12_RESOURCE_FLAGS flags) {
    D3D12_HEAP_PROPERTIES heap = {.Type = type};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER,
                                .Width = kBytes,
                                .Height = 1,
                                .DepthOrArraySize = 1,
                                .MipLevels = 1,
                                .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR,
                                .Flags = flags};
    ID3D12Resource* made = NULL;
    must(ID3D12Device_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
                                              &IID_ID3D12Resource, (void**)&made),
         "CreateCommittedResource");
    return made;
}

static ID3D12DescriptorHeap* views(ID3D12Resource* of, D3D12_DESCRIPTOR_HEAP_FLAGS flags) {
    D3D12_DESCRIPTOR_HEAP_DESC desc = {
        .Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, .NumDescriptors = 1, .Flags = flags};
    D3D12_UNORDERED_ACCESS_VIEW_DESC view = {
        .Format = DXGI_FORMAT_R32_UINT, .ViewDimension = D3D12_UAV_DIMENSION_BUFFER, .Buffer = {.NumElements = kWords}};
    ID3D12DescriptorHeap* made = NULL;
    must(ID3D12Device_CreateDescriptorHeap(device, &desc, &IID_ID3D12DescriptorHeap, (void**)&made),
         "CreateDescriptorHeap");
    ID3D12Device_CreateUnorderedAccessView(device, of, NULL, &view,
                                           ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(made));
    return made;
}

static void change(ID3D12GraphicsCommandList* list, ID3D12Resource* of, D3D12_RESOURCE_STATES before,
                   D3D12_RESOURCE_STATES after) {
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION};
    barrier.Transition.pResource = of;
    barrier.Transition.Subresource = D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
    barrier.Transition.StateBefore = before;
    barrier.Transition.StateAfter = after;
    ID3D12GraphicsCommandList_ResourceBarrier(list, 1, &barrier);
}

struct Program {
    ID3D12CommandQueue* queue;
    ID3D12CommandAllocator* allocator;
    ID3D12GraphicsCommandList* list;
    ID3D12Fence* fence;
    UINT64 signalled;
    ID3D12Resource *memory, *other, *out;
    ID3D12DescriptorHeap *seen, *own;
};

static void execute(struct Program* it) {
    ID3D12CommandList* lists[] = {(ID3D12CommandList*)it->list};
    must(ID3D12GraphicsCommandList_Close(it->list), "Close");
    ID3D12CommandQueue_ExecuteCommandLists(it->queue, 1, lists);
    must(ID3D12CommandQueue_Signal(it->queue, it->fence, ++it->signalled), "Signal");
    HANDLE event = vkd3d_create_event();
    must(ID3D12Fence_SetEventOnCompletion(it->fence, it->signalled, event), "SetEventOnCompletion");
    vkd3d_wait_event(event, VKD3D_INFINITE);
    vkd3d_destroy_event(event);
    must(ID3D12CommandAllocator_Reset(it->allocator), "Reset");
    must(ID3D12GraphicsCommandList_Reset(it->list, it->allocator, NULL), "Reset");
}

// One round: fills a part, copies it elsewhere and back, and so the next round's result depends on this one's.
static void round_of(struct Program* it, unsigned number) {
    const UINT value[4] = {number * 2654435761u + 1};
    const LONG at = (LONG)(number * 7 % (kWords / kPart)) * kPart;
    const D3D12_RECT part = {at, 0, at + kPart, 1};
    const UINT64 from = 4 * (UINT64)at, to = (from + 12 * kPart) % kBytes;
    ID3D12GraphicsCommandList_SetDescriptorHeaps(it->list, 1, &it->seen);
    ID3D12GraphicsCommandList_ClearUnorderedAccessViewUint(
        it->list, ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(it->seen),
        ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(it->own), it->memory, value, 1, &part);
    change(it->list, it->memory, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE);
    ID3D12GraphicsCommandList_CopyBufferRegion(it->list, it->other, to, it->memory, from, 4 * kPart);
    change(it->list, it->memory, D3D12_RESOURCE_STATE_COPY_SOURCE, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    execute(it);
}

static unsigned result_of(struct Program* it) {
    change(it->list, it->other, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_STATE_COPY_SOURCE);
    ID3D12GraphicsCommandList_CopyBufferRegion(it->list, it->out, 0, it->other, 0, kBytes);
    change(it->list, it->other, D3D12_RESOURCE_STATE_COPY_SOURCE, D3D12_RESOURCE_STATE_COPY_DEST);
    execute(it);
    unsigned *words = NULL, sum = 2166136261u;
    must(ID3D12Resource_Map(it->out, 0, NULL, (void**)&words), "Map");
    for (int i = 0; i < kWords; ++i) sum = (sum ^ words[i]) * 16777619u;
    ID3D12Resource_Unmap(it->out, 0, NULL);
    return sum;
}

static struct Program program(void) {
    struct Program it = {0};
    D3D12_COMMAND_QUEUE_DESC queue = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    must(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void**)&device), "D3D12CreateDevice");
    must(ID3D12Device_CreateCommandQueue(device, &queue, &IID_ID3D12CommandQueue, (void**)&it.queue),
         "CreateCommandQueue");
    must(ID3D12Device_CreateCommandAllocator(device, queue.Type, &IID_ID3D12CommandAllocator, (void**)&it.allocator),
         "CreateCommandAllocator");
    must(ID3D12Device_CreateCommandList(device, 0, queue.Type, it.allocator, NULL, &IID_ID3D12GraphicsCommandList,
                                        (void**)&it.list),
         "CreateCommandList");
    must(ID3D12Device_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void**)&it.fence),
         "CreateFence");
    it.memory = buffer(D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
                       D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
    it.other = buffer(D3D12_HEAP_TYPE_DEFAULT, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_FLAG_NONE);
    it.out = buffer(D3D12_HEAP_TYPE_READBACK, D3D12_RESOURCE_STATE_COPY_DEST, D3D12_RESOURCE_FLAG_NONE);
    it.seen = views(it.memory, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE);
    it.own = views(it.memory, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    return it;
}

static void end(struct Program* it) {
    ID3D12DescriptorHeap_Release(it->own);
    ID3D12DescriptorHeap_Release(it->seen);
    ID3D12Resource_Release(it->out);
    ID3D12Resource_Release(it->other);
    ID3D12Resource_Release(it->memory);
    ID3D12Fence_Release(it->fence);
    ID3D12GraphicsCommandList_Release(it->list);
    ID3D12CommandAllocator_Release(it->allocator);
    ID3D12CommandQueue_Release(it->queue);
    ID3D12Device_Release(device);
}

int main(int count, char** words) {
    const int rounds = count > 1 ? atoi(words[1]) : 100;
    const double seconds = count > 2 ? atof(words[2]) : 0;
    struct Program it = program();
    const time_t until = time(NULL) + (time_t)seconds;
    unsigned first = 0;
    for (int passes = 0; passes == 0 || time(NULL) < until; ++passes) {
        for (int i = 0; i < rounds; ++i) round_of(&it, (unsigned)i);
        const unsigned found = result_of(&it);
        if (passes == 0) first = found;
        if (found != first) {
            printf("pass %d: %08x, not %08x\n", passes, found, first);
            return 1;
        }
    }
    printf("%08x\n", first);
    end(&it);
    return 0;
}
