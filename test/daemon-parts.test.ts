/** The parts of daemon and proxy, in this process. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { duplexPair, PassThrough, type Duplex } from "node:stream";
import { expect } from "vitest";
import {
  addressOf,
  identityOf,
  rootOf,
  viewOf,
} from "../src/serve/daemon/address.ts";
import { addressNamed, isOwnSocket } from "../src/serve/daemon/names.ts";
import {
  daemonsWanted,
  firstLine,
  readFirstLine,
  settingsOf,
} from "../src/serve/daemon/first-line.ts";
import { proxy } from "../src/serve/daemon/proxy.ts";
import { reach } from "../src/serve/daemon/reach.ts";
import { idleMs, waits } from "../src/serve/daemon/waits.ts";
import { sweep } from "../src/serve/daemon/registry.ts";
import { say } from "../src/model/wording.ts";
import { limits, wordings, type Limits } from "../src/spec.gen.ts";
import { nearestProject } from "../src/store/place.ts";
import { addressIn } from "./daemons.ts";
import { examples, law, loadBearing, ruleTest } from "./from-spec.ts";
import { indexed, scratch } from "./scratch.ts";

const cell = (text: string): string | undefined =>
  text === "–" ? undefined : text;

examples("daemon-switch", ["given value"], ["then daemon"], (row) => ({
  "then daemon": daemonsWanted(cell(row["given value"])) ? "yes" : "no",
}));
examples("daemon-first-line", ["given line"], ["then taken as"], (row) => ({
  "then taken as": readFirstLine(row["given line"]).kind,
}));
examples(
  "daemon-settings-travel",
  ["given folder", "given variable"],
  ["then debug"],
  (row) => ({
    "then debug":
      settingsOf(
        { CODEGRAPH_EXPLORE_DEBUG: cell(row["given variable"]) },
        row["given folder"],
      ).debug ?? "–",
  }),
);
examples(
  "daemon-idle-time",
  ["given variable"],
  ["then seconds"],
  (row, moved) => ({
    "then seconds": String(idleMs(cell(row["given variable"]), moved) / 1000),
  }),
);

/** Waits are read in one place; that they are waited for, the real processes show. */
loadBearing("daemon-is-reached", "STARTING_SECONDS", waits);
loadBearing("daemon-is-reached", "DAEMON_WAIT_SECONDS", waits);
loadBearing("daemon-first-line-is-bounded", "FIRST_LINE_SECONDS", waits);
loadBearing("daemon-proxy-ends", "PARENT_CHECK_SECONDS", waits);
loadBearing("daemon-proxy-ends", "LINGER_MS", waits);
loadBearing("daemon-ends", "DAEMON_CHECK_SECONDS", waits);
loadBearing("daemon-ends", "STOP_SECONDS", waits);

loadBearing("daemon-address", "SOCKET_PATH_BYTES", (moved) =>
  [0, 1].map((more) => {
    const run = "r".repeat(limits.SOCKET_PATH_BYTES - 32 + more);
    return (
      addressNamed("/p", "0".repeat(24), run, moved, "linux") === undefined
    );
  }),
);

loadBearing("daemon-first-line-is-bounded", "FIRST_LINE_BYTES", (moved) =>
  Promise.all(
    [0, 1].map(async (more) => {
      const stream = new PassThrough();
      stream.write(`${"x".repeat(limits.FIRST_LINE_BYTES + more)}\n`);
      return (await firstLine(stream, 1_000, moved)) !== undefined;
    }),
  ),
);

ruleTest(
  "daemon-first-line-is-bounded",
  "one that does not come is none, and what follows it stays",
  async () => {
    const stream = new PassThrough();
    stream.write("half");
    expect(await firstLine(stream, 20)).toBeUndefined();
    const whole = new PassThrough();
    whole.write("one\ntwo");
    expect(await firstLine(whole, 1_000)).toBe("one");
    const rest = new Promise((done) => whole.once("data", done));
    whole.resume();
    expect(String(await rest)).toBe("two");
    const broken = new PassThrough();
    setImmediate(() => broken.destroy());
    expect(await firstLine(broken, 1_000)).toBeUndefined();
  },
);

loadBearing("daemon-is-reached", "CONNECT_RETRY_MS", async (moved) => {
  const address = addressIn(join(scratch(), "run"))!;
  const slept: number[] = [];
  const over = new AbortController();
  const none = { command: process.execPath, args: ["-e", ""] };
  await reach(address, "", none, over.signal, waits(moved), async (ms) => {
    if (slept.push(ms) === 5) over.abort();
  });
  return slept;
});

law("daemon-address", "a root is the project that questions are about", () => {
  const home = scratch();
  const project = indexed(join(home, "a/project"), { "x/y.py": "x = 1\n" });
  const other = join(home, "a/other/deep");
  mkdirSync(other, { recursive: true });
  mkdirSync(join(home, "fake/.codegraph"), { recursive: true });
  symlinkSync(project, join(home, "link"));
  for (const place of [
    home,
    project,
    other,
    join(project, "x"),
    join(home, "fake"),
    join(home, "a"),
  ])
    expect(rootOf(place, home)).toBe(nearestProject(place, home) ?? place);
  expect(rootOf(join(home, "link/x"), home)).toBe(project);
  // A home with an index counts for itself alone.
  indexed(home, {});
  expect(rootOf(home, home)).toBe(home);
  expect(rootOf(other, home)).toBe(nearestProject(other, home) ?? other);
  expect(rootOf(other, home)).toBe(other);
});

ruleTest("daemon-address", "root, version and program file make it", () => {
  const base = scratch();
  const file = join(base, "main.js");
  writeFileSync(file, "1");
  const run = join(base, "run");
  const name = (root: string, version: string) =>
    addressOf(root, version, identityOf(file)!, run)!.name;
  const names = [name("/p", "1"), name("/q", "1"), name("/p", "2")];
  expect(name("/p", "1")).toBe(names[0]);
  writeFileSync(file, "22");
  names.push(name("/p", "1"));
  expect(new Set(names).size).toBe(4);
  expect(identityOf(join(base, "none"))).toBeUndefined();
});

ruleTest("daemon-is-reached", "a link to a socket is none", async () => {
  const base = scratch();
  const path = join(base, "real");
  const server = createServer().listen({ path });
  await new Promise((done) => server.once("listening", done));
  symlinkSync(path, join(base, "link"));
  writeFileSync(join(base, "file"), "");
  expect(
    ["real", "link", "file", "none"].map((name) =>
      isOwnSocket(join(base, name)),
    ),
  ).toEqual([true, false, false, false]);
  server.close();
});

/** A client at a proxy whose servers the test plays. */
function client(moved: Limits = limits, servers = Infinity) {
  const input = new PassThrough();
  const output = new PassThrough();
  const told: string[] = [];
  const links: Duplex[] = [];
  const give = async () => {
    const [near, far] = duplexPair();
    links.push(far);
    return near;
  };
  const got: unknown[] = [];
  output.on("data", (chunk) =>
    got.push(
      ...String(chunk)
        .trimEnd()
        .split("\n")
        .map((l) => JSON.parse(l)),
    ),
  );
  const ended = proxy(
    {
      input,
      output,
      tell: (text) => told.push(text),
      reach: () =>
        links.length < servers ? give() : Promise.resolve("none is left"),
      here: give,
    },
    moved,
  );
  return {
    links,
    got,
    told,
    ended,
    end: () => input.end(),
    send: (message: object) => input.write(`${JSON.stringify(message)}\n`),
    /** The server that is connected now, and the next message that it gets. */
    link: (n: number) =>
      expect
        .poll(() => links.length)
        .toBe(n)
        .then(() => links[n - 1]!),
  };
}
const next = async (link: Duplex): Promise<Record<string, unknown>[]> => {
  const chunk = await new Promise((done) => link.once("data", done));
  return String(chunk)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
const write = (link: Duplex, message: object) =>
  link.write(`${JSON.stringify(message)}\n`);
const request = (id: number, method = "tools/call") => ({
  jsonrpc: "2.0",
  id,
  method,
});
const answer = (id: number) => ({ jsonrpc: "2.0", id, result: {} });

loadBearing("daemon-is-replaced", "REQUEST_DEATHS", async (moved) => {
  const c = client(moved);
  c.send(request(1));
  let n = 0;
  while (c.got.length === 0) {
    const link = await c.link(++n);
    await next(link);
    link.destroy();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  c.end();
  await c.ended;
  return [n, c.got];
});

ruleTest(
  "daemon-is-replaced",
  "the handshake is repeated, then what has no answer, in its order",
  async () => {
    const c = client();
    const init = { ...request(0, "initialize"), params: {} };
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    c.send(init);
    const one = await c.link(1);
    expect(await next(one)).toEqual([init]);
    write(one, answer(0));
    await expect.poll(() => c.got).toEqual([answer(0)]);
    c.send(initialized);
    await next(one);
    c.send(request(1));
    c.send(request(2));
    c.send(request(3));
    c.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 2 },
    });
    await next(one);
    write(one, answer(1));
    write(one, request(7, "roots/list"));
    one.write('{"jsonrpc":"2.0","id":3,"resu');
    await expect.poll(() => c.got.length).toBe(3);
    one.destroy();
    const two = await c.link(2);
    expect(await next(two)).toEqual([init]);
    // The answer to a daemon that is no more goes to nobody.
    c.send(answer(7));
    write(two, answer(0));
    const rest: unknown[] = [];
    two.on("data", (chunk) =>
      rest.push(
        ...String(chunk)
          .trimEnd()
          .split("\n")
          .map((l) => JSON.parse(l)),
      ),
    );
    await expect.poll(() => rest).toEqual([initialized, request(3)]);
    write(two, { codegraph_log: "said\n" });
    write(two, answer(3));
    await expect
      .poll(() => c.got)
      .toEqual([answer(0), answer(1), request(7, "roots/list"), answer(3)]);
    expect(c.told).toEqual(["said\n"]);
    // Without a question nobody is connected again.
    two.destroy();
    await new Promise((done) => setTimeout(done, 20));
    expect(c.links).toHaveLength(2);
    c.end();
    await c.ended;
  },
);

ruleTest(
  "daemon-is-reached",
  "where no daemon is left, the server in this process goes on",
  async () => {
    const c = client(limits, 1);
    c.send(request(0, "initialize"));
    const one = await c.link(1);
    write(one, answer(0));
    await expect.poll(() => c.got).toHaveLength(1);
    c.send(request(1));
    await expect.poll(() => one.readableLength).toBeGreaterThan(60);
    one.destroy();
    const two = await c.link(2);
    expect(await next(two)).toEqual([request(0, "initialize")]);
    write(two, answer(0));
    expect(await next(two)).toEqual([request(1)]);
    write(two, answer(1));
    await expect.poll(() => c.got).toEqual([answer(0), answer(1)]);
    expect(c.told).toEqual([
      "codegraph: No daemon (none is left); this process answers by itself.\n",
    ]);
    // It ends as a server without a daemon does.
    two.end();
    await c.ended;
  },
);

ruleTest(
  "daemon-is-replaced",
  "a daemon that ends when it is greeted is not asked for ever",
  async () => {
    const c = client(limits);
    c.send(request(0, "initialize"));
    const one = await c.link(1);
    write(one, answer(0));
    await expect.poll(() => c.got).toHaveLength(1);
    one.destroy();
    c.send(request(1));
    for (let n = 0; n < limits.REQUEST_DEATHS; n++) {
      expect(c.told).toEqual([]);
      (await c.link(2 + n)).destroy();
    }
    const here = await c.link(2 + limits.REQUEST_DEATHS);
    expect(await next(here)).toEqual([request(0, "initialize")]);
    expect(c.told).toEqual([expect.stringContaining(wordings.DAEMON_BREAKS)]);
    c.end();
    here.end();
    await c.ended;
  },
);

ruleTest(
  "daemon-is-replaced",
  "where nothing can serve, every request is answered by an error",
  async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const told: string[] = [];
    input.write(`${JSON.stringify(request(4))}\n`);
    await proxy({
      input,
      output,
      tell: (text) => told.push(text),
      reach: () => new Promise((done) => setTimeout(done, 20, "none is left")),
      here: () => Promise.reject(new Error("it is gone")),
    });
    expect(JSON.parse(String(output.read()))).toMatchObject({
      id: 4,
      error: { code: -32603, message: expect.stringContaining("it is gone") },
    });
    expect(told).toHaveLength(2);
  },
);

ruleTest(
  "daemon-same-answers",
  "a message that is too large ends the connection",
  async () => {
    const c = client({ ...limits, MAX_MESSAGE_MB: 1 });
    const link = await c.link(1);
    link.resume();
    c.send({ ...request(1), params: { query: "x".repeat(1_000_000) } });
    await c.ended;
    expect(c.told).toEqual([
      `codegraph: ${say(wordings.MESSAGE_TOO_LARGE, { most: 1 })}\n`,
    ]);
  },
);

ruleTest(
  "daemon-is-reached",
  "what another proxy is starting is not started again, until that is old",
  async () => {
    const address = addressIn(join(scratch(), "run"))!;
    mkdirSync(address.folder, { recursive: true });
    writeFileSync(join(address.folder, "starting"), "");
    const missing = { command: join(address.folder, "no-such-node"), args: [] };
    const tried = (times: object) =>
      reach(address, "", missing, new AbortController().signal, {
        ...waits(),
        ...times,
      });
    expect(await tried({ reach: 300 })).toContain("did not answer");
    expect(await tried({ starting: 1 })).toContain("ENOENT");
  },
);

ruleTest("daemon-is-one", "what dead daemons left is cleared away", () => {
  const run = scratch();
  const [dead, own] = ["0", "1"].map((digit) => viewOf() + digit.repeat(16));
  const elsewhere = "0".repeat(24);
  for (const name of [dead!, own!, elsewhere, "notes"]) {
    mkdirSync(join(run, name));
    writeFileSync(join(run, name, "about.json"), "{");
  }
  writeFileSync(join(run, dead!, "crash.txt"), "");
  sweep(run, own!);
  expect(readdirSync(run).sort()).toEqual([elsewhere, own, "notes"].sort());
});
