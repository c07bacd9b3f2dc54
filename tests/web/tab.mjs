// A tab of a browser with the page of xcli web, as far as its talk with the server goes: api.js itself, in node.
//   node tab.mjs API_JS ADDRESS TOKEN     says a line for each thing that happens; "policy" on standard input asks for it
import {createInterface} from "node:readline";

const [script, address, token] = process.argv.slice(2);
const kept = new Map();
globalThis.location = {hash: `#token=${token}`, pathname: "/", search: ""};
globalThis.history = {replaceState: () => {}};
globalThis.sessionStorage = {getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value)};
const ask = globalThis.fetch;
globalThis.fetch = (path, given) => ask(new URL(path, address), given);

const api = await import(script);
let live = false;
const handlers = {
  programs() {
    if (!live) console.log("live");
    live = true;
  },
  away({error}) {
    live = false;
    console.log(`away: ${error}`);
  },
};
createInterface({input: process.stdin}).on("line", (line) => {
  const asked = line === "policy" ? api.get("policy") : api.send("PUT", "policy", {name: line});
  asked.then((answer) => console.log(`policy ${answer.policy}`), (error) => console.log(`refused: ${error.message}`));
});
console.log(`asks for a token: ${await api.followForEver(20, handlers)}`);
