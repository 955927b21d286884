/** opencode, as a server with one session: several turns over one connection. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  environment,
  install,
  project,
  QUERY,
  type Bench,
  type Seen,
  type Step,
} from "./bench.ts";

const MODEL = "anthropic/claude-sonnet-4-5";
const explore: Step = {
  tool: "codegraph_codegraph_explore",
  input: { query: QUERY },
};

/** What the model saw: twice, a subagent twice, after a turn was taken back, twice, after a compaction. */
export async function opencode(bench: Bench): Promise<readonly Seen[]> {
  const folders = bench.scratch("opencode");
  project(folders.project);
  const mock = await bench.startMock("mock-anthropic.mjs", folders);
  const config = join(folders.home, ".config", "opencode");
  mkdirSync(config, { recursive: true });
  // It installs a package where a plugin is, unless it is there.
  const seed = process.env.OPENCODE_SEED;
  for (const name of ["node_modules", "package.json", "package-lock.json"])
    if (seed && existsSync(join(seed, name)))
      cpSync(join(seed, name), join(config, name), {
        recursive: true,
        verbatimSymlinks: true,
      });
  writeFileSync(
    join(config, "opencode.json"),
    JSON.stringify({
      model: MODEL,
      small_model: MODEL,
      autoupdate: false,
      share: "disabled",
      permission: { "*": "allow" },
      provider: {
        anthropic: {
          options: {
            baseURL: `http://127.0.0.1:${mock.port}/v1`,
            apiKey: "mock",
          },
          models: {
            "claude-sonnet-4-5": {
              name: "mock",
              limit: { context: 200_000, output: 8000 },
              tool_call: true,
            },
          },
        },
      },
    }),
  );
  install("opencode", folders, bench.path);
  const host = spawn(
    bench.opencode,
    ["serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"],
    {
      cwd: folders.project,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environment(folders),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    },
  );
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      for (const stream of [host.stdout, host.stderr])
        stream.on("data", (part: Buffer) => {
          said += part.toString();
          const at = /listening on (http:\S+)/.exec(said);
          if (at) resolve(at[1]!);
        });
      host.on("close", () => reject(new Error(`opencode ended: ${said}`)));
    });
    const post = async (path: string, body: object): Promise<unknown> => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!response.ok)
        throw new Error(`opencode: ${path} gave ${response.status}`);
      return response.json();
    };
    const { id } = (await post("/session", {})) as { id: string };
    const say = async (...steps: readonly Step[]) => {
      const text = bench.script64("Look", steps);
      await post(`/session/${id}/message`, { parts: [{ type: "text", text }] });
    };
    await say(explore);
    await say(explore);
    await say({
      tool: "task",
      input: {
        description: "look",
        prompt: bench.script64("look as well", [explore, explore]),
        subagent_type: "general",
      },
    });
    const messages = (await (
      await fetch(`${url}/session/${id}/message`)
    ).json()) as readonly { info: { id: string; role: string } }[];
    const turns = messages.filter(({ info }) => info.role === "user");
    await post(`/session/${id}/revert`, { messageID: turns[1]!.info.id });
    await say(explore);
    await say(explore);
    await post(`/session/${id}/summarize`, {
      providerID: "anthropic",
      modelID: "claude-sonnet-4-5",
    });
    await say(explore);
  } finally {
    host.kill();
    mock.stop();
  }
  return await bench.seen(folders);
}
