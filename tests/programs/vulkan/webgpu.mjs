// WebGPU without a browser (Dawn, as the npm package webgpu has it): rounds of a linear congruential generator, each in
// a submit of its own. Prints the sum of the words, which depends on each round.
//
//   webgpu.mjs ROUNDS [SECONDS]   repeats the rounds for so long, and compares each result with the first
import { create, globals } from 'webgpu';
Object.assign(globalThis, globals);

const WORDS = 4096, BYTES = 4 * WORDS;
const SHADER = `
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64) fn round(@builtin(global_invocation_id) at: vec3u) {
    for (var i = 0u; i < 50u; i++) { words[at.x] = words[at.x] * 1664525u + 1013904223u; }
}`;
const rounds = Number(process.argv[2] ?? 100);
const until = Date.now() + 1000 * Number(process.argv[3] ?? 0);

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
if (adapter === null) {
    console.log('no adapter: Dawn refuses this Vulkan driver');
    process.exit(3);
}
const device = await adapter.requestDevice();
const memory = device.createBuffer({ size: BYTES, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
const out = device.createBuffer({ size: BYTES, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const start = device.createBuffer({ size: BYTES, usage: GPUBufferUsage.COPY_SRC, mappedAtCreation: true });
new Uint32Array(start.getMappedRange()).set(Array.from({ length: WORDS }, (_, i) => i));
start.unmap();
const pipeline = device.createComputePipeline(
    { layout: 'auto', compute: { module: device.createShaderModule({ code: SHADER }) } });
const group = device.createBindGroup(
    { layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: memory } }] });

function submit(record) {
    const encoder = device.createCommandEncoder();
    record(encoder);
    device.queue.submit([encoder.finish()]);
}

async function result() {
    submit(encoder => encoder.copyBufferToBuffer(start, 0, memory, 0, BYTES));
    for (let i = 0; i < rounds; ++i) {
        submit(encoder => {
            const pass = encoder.beginComputePass();
            pass.setPipeline(pipeline);
            pass.setBindGroup(0, group);
            pass.dispatchWorkgroups(WORDS / 64);
            pass.end();
        });
    }
    submit(encoder => encoder.copyBufferToBuffer(memory, 0, out, 0, BYTES));
    await out.mapAsync(GPUMapMode.READ);
    const sum = new Uint32Array(out.getMappedRange()).reduce((all, word) => Math.imul(all ^ word, 16777619), 1) >>> 0;
    out.unmap();
    return sum;
}

const first = await result();
while (Date.now() < until) {
    const again = await result();
    if (again === first) continue;
    console.log(`${again}, not ${first}`);
    process.exit(1);
}
console.log(first);
process.exit(0);
