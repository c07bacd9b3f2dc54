// Prints the tokens that llama.cpp's Vulkan build makes of a prompt: node tokens.mjs MODEL COUNT. Run it where
// node-llama-cpp is installed.
import {getLlama, LlamaCompletion} from "node-llama-cpp";

const [model_path, count] = process.argv.slice(2);
const llama = await getLlama({gpu: "vulkan", build: "never", skipDownload: true, progressLogs: false});
if (llama.gpu !== "vulkan") {
    console.error("llama.cpp has no Vulkan device: " + llama.gpu);
    process.exit(3);
}
const model = await llama.loadModel({modelPath: model_path, gpuLayers: "max"});
const context = await model.createContext({contextSize: 256});
const sequence = context.getSequence();
const tokens = [];
for await (const token of sequence.evaluate(model.tokenize("w1 w2 w3 w4 w5"), {temperature: 0})) {
    tokens.push(token);
    if (tokens.length >= Number(count)) break;
}
console.log(tokens.join(" "));
process.exit(0);
