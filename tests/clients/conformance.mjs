// The protocol's own suite against a server that wants a token, which the suite can't show: what it asks goes through a
// proxy that adds it. Prints a line a scenario: its name, and how many of its checks passed and failed.
//
// Usage: conformance.mjs URL TOKEN SUITE SCENARIO...

import { spawn } from "node:child_process";
import { createServer, request } from "node:http";

const [url, token, suite, ...scenarios] = process.argv.slice(2);

const proxy = createServer((from, to) => {
  const headers = { ...from.headers, authorization: `Bearer ${token}` };
  const { method, url: path } = from;
  const on = request(new URL(path, url), { method, headers, setHost: false }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers);
    answer.pipe(to);
  });
  on.on("error", () => to.destroy());
  to.on("close", () => on.destroy());
  from.pipe(on);
});
await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
const here = `http://127.0.0.1:${proxy.address().port}${new URL(url).pathname}`;

for (const scenario of scenarios) {
  const child = spawn(process.execPath, [suite, "server", "--url", here, "--scenario", scenario], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  child.stderr.on("data", (data) => (said += data));
  await new Promise((ended) => child.on("close", ended));
  const counts = said.match(/Passed: (\d+)\/\d+, (\d+) failed/);
  console.log(counts ? `${scenario}: ${counts[1]} passed, ${counts[2]} failed` : `${scenario}: ${said}`);
}
proxy.closeAllConnections();
proxy.close();
