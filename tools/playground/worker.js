// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs commands of the command line in a worker. `self.MusterModule` makes a module.
//
// The first message is the compressed WebAssembly. Each of the others is a command:
//   {id, words: ["run", "scenario.json"], files: {"scenario.json": text}, read: ["out.json"]}
// and its answer
//   {id, code, out, error, files}.
// Every command has a module of its own, so that one which runs out of memory leaves nothing behind.
let compiled;

async function compile(bytes) {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  compiled = await WebAssembly.compile(await new Response(plain).arrayBuffer());
}

async function run({id, words, files = {}, read = []}) {
  const out = [], error = [];
  const module = await self.MusterModule({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(done);
      return {};
    },
    print: (line) => out.push(line),
    printErr: (line) => error.push(line),
  });
  for (const [path, text] of Object.entries(files)) module.FS.writeFile(path, text);
  let code = 2;
  try {
    code = module.callMain([...words, "--color", "never"]);
  } catch (problem) {
    error.push(`out of memory, or a fault of the library: ${problem}`);
  }
  const written = {};
  for (const path of read) {
    if (module.FS.analyzePath(path).exists) written[path] = module.FS.readFile(path, {encoding: "utf8"});
  }
  return {id, code, out: out.join("\n"), error: error.join("\n"), files: written};
}

self.onmessage = async ({data}) => {
  if (data.wasm) {
    await compile(data.wasm);
    self.postMessage({ready: true});
  } else {
    self.postMessage(await run(data));
  }
};
