/** Gemini CLI, which drops old results by itself: nothing is ever pointed at. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
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

const explore: Step = {
  tool: "mcp_codegraph_codegraph_explore",
  input: { query: QUERY },
};

/** What the model saw: a call, a subagent's call, a call. */
export async function gemini(bench: Bench): Promise<readonly Seen[]> {
  const folders = bench.scratch("gemini");
  project(folders.project);
  const mock = await bench.startMock("mock-gemini.mjs", folders);
  mkdirSync(join(folders.home, ".gemini"), { recursive: true });
  writeFileSync(
    join(folders.home, ".gemini", "settings.json"),
    JSON.stringify({
      security: {
        auth: { selectedType: "gemini-api-key" },
        folderTrust: { enabled: false },
      },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  );
  install("gemini", folders, bench.path);
  const prompt = bench.script64("Look", [
    explore,
    {
      tool: "invoke_agent",
      input: {
        agent_name: "generalist",
        prompt: bench.script64("look as well", [explore]),
      },
    },
    explore,
  ]);
  const args = ["--model", "gemini-2.5-pro", "--output-format", "stream-json"];
  const host = spawn(
    process.execPath,
    [bench.gemini, ...args, "--approval-mode", "yolo", "-p", prompt],
    {
      cwd: folders.project,
      stdio: "ignore",
      env: {
        ...environment(folders),
        TERM: "dumb",
        GEMINI_API_KEY: "mock",
        GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${mock.port}`,
        GEMINI_CLI_NO_RELAUNCH: "true",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    },
  );
  const timer = setTimeout(() => host.kill(), 120_000);
  await new Promise((resolve) => host.on("close", resolve));
  clearTimeout(timer);
  mock.stop();
  return await bench.seen(folders);
}
