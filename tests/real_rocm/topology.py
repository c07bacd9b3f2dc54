"""The files of a kernel with emulated AMD GPUs, in a root folder: what the HSA library reads in /sys, and the driver's
files in /dev, which are plain ones (driver/files.cpp answers the calls about them).

The GPU is an MI308X as far as these files tell: gfx942, 80 compute units on four dies, as KFD describes one."""
import shutil
from pathlib import Path

FIRST_GPU_ID = 4242  # driver/emulator.h
FIRST_RENDER_NODE = 128

# KFD's capability bits: doorbells of the newest kind (2 << 12), a debugger, its firmware (29), no shared memory (SVM).
CAPABILITY = 0x2040A280

CPU = dict(cpu_cores_count=2, simd_count=0, mem_banks_count=1, caches_count=0, io_links_count=1, p2p_links_count=0,
           cpu_core_id_base=0, simd_id_base=0, max_waves_per_simd=0, lds_size_in_kb=0, gds_size_in_kb=0, num_gws=0,
           wave_front_size=0, array_count=0, simd_arrays_per_engine=0, cu_per_simd_array=0, simd_per_cu=0,
           max_slots_scratch_cu=0, gfx_target_version=0, vendor_id=0, device_id=0, location_id=0, domain=0,
           drm_render_minor=0, hive_id=0, num_sdma_engines=0, num_sdma_xgmi_engines=0, num_sdma_queues_per_engine=0,
           num_cp_queues=0, max_engine_clk_fcompute=0, max_engine_clk_ccompute=2500)
GPU = dict(CPU, cpu_cores_count=0, simd_count=320, caches_count=2, io_links_count=1, simd_id_base=0x80000000,
           max_waves_per_simd=8, lds_size_in_kb=64, num_gws=64, wave_front_size=64, array_count=16,
           simd_arrays_per_engine=1, cu_per_simd_array=5, simd_per_cu=4, max_slots_scratch_cu=32,
           gfx_target_version=90402, vendor_id=0x1002, device_id=0x74a2, num_sdma_engines=2, num_sdma_xgmi_engines=14,
           num_sdma_queues_per_engine=8, num_cp_queues=24, max_engine_clk_fcompute=2100, local_mem_size=0,
           fw_version=166, capability=CAPABILITY, debug_prop=1501, sdma_fw_version=20, unique_id=1, num_xcc=4)
LINK = dict(type=2, version_major=0, version_minor=0, weight=20, min_latency=0, max_latency=0, min_bandwidth=312,
            max_bandwidth=64000, recommended_transfer_size=0, recommended_sdma_engine_id_mask=0, flags=1)
# The HSA library stops reading at the map, so the order is KFD's.
CACHE = dict(processor_id_low=0x80000000, level=1, size=32, cache_line_size=128, cache_lines_per_tag=1,
             associativity=64, latency=1, type=9, sibling_map="1" + ",0" * 31)
BANK = dict(flags=0, width=8192, mem_clk_max=1300)
PARAMETERS = dict(cwsr_enable=1, sched_policy=0, queue_preemption_timeout_ms=9000, hws_max_conc_proc=-1,
                  mes="0", num_kcq=-1, debug_evictions="N", no_system_mem_limit="N")


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = "".join(f"{name} {value}\n" for name, value in content.items())
    path.write_text(content)


def put_links(folder, node, others):
    for place, other in enumerate(others):
        put(folder / f"io_links/{place}/properties", dict(LINK, node_from=node, node_to=other))


def put_gpu(nodes, number):
    node = number + 1
    folder = nodes / str(node)
    put(folder / "gpu_id", f"{FIRST_GPU_ID + number}\n")
    put(folder / "name", "ip discovery\n")
    put(folder / "properties", dict(GPU, drm_render_minor=FIRST_RENDER_NODE + number, location_id=256 * node,
                                    unique_id=node))
    put(folder / "mem_banks/0/properties", dict(BANK, heap_type=1, size_in_bytes=192 << 30))
    for level in (1, 2):
        put(folder / f"caches/{level - 1}/properties", dict(CACHE, level=level))
    put_links(folder, node, [0])


def put_queue(root, pid, gpu=0):
    """A queue of a program in the kernel driver, of kernels."""
    folder = Path(root) / f"sys/devices/virtual/kfd/kfd/proc/{pid}/queues/0"
    for name, content in (("gpuid", FIRST_GPU_ID + gpu), ("size", 4096), ("type", 0)):
        put(folder / name, f"{content}\n")


def put_kernel(root, gpus):
    """For a kernel with so many GPUs."""
    root = Path(root)
    topology = root / "sys/devices/virtual/kfd/kfd/topology"
    shutil.rmtree(topology, ignore_errors=True)  # there may have been more GPUs
    put(topology / "generation_id", "1\n")
    put(topology / "system_properties", dict(platform_oem=0, platform_id=0, platform_rev=0))
    cpu = topology / "nodes/0"
    put(cpu / "gpu_id", "0\n")
    put(cpu / "name", "\n")
    put(cpu / "properties", dict(CPU, io_links_count=gpus))
    put(cpu / "mem_banks/0/properties", dict(BANK, heap_type=0, size_in_bytes=16 << 30))
    put_links(cpu, 0, range(1, gpus + 1))
    for number in range(gpus):
        put_gpu(topology / "nodes", number)
        put(root / f"dev/dri/renderD{FIRST_RENDER_NODE + number}", "")
    put(root / "dev/kfd", "")
    by_class = root / "sys/class/kfd/kfd"
    by_class.parent.mkdir(parents=True, exist_ok=True)
    if not by_class.is_symlink():
        by_class.symlink_to("../../devices/virtual/kfd/kfd")
    for name, value in PARAMETERS.items():
        put(root / f"sys/module/amdgpu/parameters/{name}", f"{value}\n")
