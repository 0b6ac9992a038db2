// Runs a program built for wasm32-wasip1: node .ci/wasi.mjs PROGRAM [ARGUMENTS]
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const args = argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env });
const module = await WebAssembly.compile(await readFile(args[0]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
exit(wasi.start(await WebAssembly.instantiate(module, imports)));
