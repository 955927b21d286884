/**
 * What a host of coding agents is to codegraph: the files in which it is told of a
 * server and of hooks, how an entry in them looks, and what of ours is in them now.
 *
 * A host decides and touches nothing: an edit goes from a file's text to its new text.
 * Reading and writing is `files.ts`'s, `wired.ts` reads what is there.
 */

export type HostId =
  "claude" | "codex" | "cursor" | "opencode" | "gemini" | "vscode";

/** For all projects of a user, or for one project and all who work on it. */
export type Scope = "user" | "project";

/** Where things are; nothing else of the machine decides. */
export interface Places {
  readonly home: string;
  /** The project's root, an absolute path. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether a file or folder is there; a link that leads nowhere counts. */
  readonly exists: (path: string) => boolean;
}

/** What to write. */
export interface Wanted {
  /** The words of a command that starts this program, without `serve --mcp`. */
  readonly command: readonly string[];
  /** The version that the host's program says it has; none where it is not known. */
  readonly version: string | undefined;
  /** Hooks of type `mcp_tool` that are ours are there already. */
  readonly announces: boolean;
  /** Hooks too, where a host's contexts are known without. */
  readonly hooks: boolean;
  /** The name of the server's entry; hooks of type `mcp_tool` call it by that. */
  readonly server: string;
  /** Of the command's words none is a path of this machine. */
  readonly portable: boolean;
  readonly platform: NodeJS.Platform;
}

/** An edit of a file. No text: the file is not to be. Equal text: nothing to do. */
export type Edited =
  | {
      readonly text: string | undefined;
      /** Folders above a file that is to go, which were created with it. */
      readonly folders?: number;
    }
  | { readonly problem: Problem };

/** Why a file is left alone. */
export interface Problem {
  /** 1-based; none where no line is at fault. */
  readonly line: number | undefined;
  /** What is wrong, without the file's name. */
  readonly what: string;
}

/** An entry of a server that starts codegraph. */
export interface WiredServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As the host would start it: not switched off. */
  readonly enabled: boolean;
}

/** A hook that calls codegraph. */
export interface WiredHook {
  readonly event: string;
  readonly kind: "command" | "mcp_tool";
  readonly matcher: string | undefined;
  /** Of a command in exec form: program and arguments. */
  readonly argv: readonly string[] | undefined;
  /** Of a command for a shell. */
  readonly shell: string | undefined;
  /** Of kind `mcp_tool`: the server that it calls, by the name of its entry. */
  readonly server: string | undefined;
}

/** What one file of a host has for codegraph at present. */
export interface WiredFile {
  readonly path: string;
  readonly exists: boolean;
  readonly servers: readonly WiredServer[];
  readonly hooks: readonly WiredHook[];
  /** It is the plugin that codegraph wrote. */
  readonly plugin: boolean;
  /** Why it cannot be understood; then nothing above is known. */
  readonly problem: Problem | undefined;
}

/** What of codegraph is in a host's files. */
export interface Wired {
  readonly host: HostId;
  readonly scope: Scope;
  readonly files: readonly WiredFile[];
}

/** What is ours in a text. */
export type Ours = Pick<WiredFile, "servers" | "hooks" | "plugin" | "problem">;

export const NOTHING: Ours = Object.freeze({
  servers: [],
  hooks: [],
  plugin: false,
  problem: undefined,
});

/** A file of a host, and how it is edited. */
export interface HostFile {
  readonly path: string;
  readonly holds: "server" | "hooks" | "plugin";
  /**
   * The file's text with our entries in it; `undefined` is a file that is missing.
   * @param created how many folders are created along with a missing file
   */
  readonly install: (
    text: string | undefined,
    wanted: Wanted,
    created: number,
  ) => Edited;
  /** The file's text without our entries. */
  readonly uninstall: (text: string | undefined) => Edited;
  readonly ours: (text: string | undefined) => Ours;
}

export interface Host {
  readonly id: HostId;
  /** As people call it. */
  readonly title: string;
  /** Its programs on PATH; one of them, or its folder, shows that it is there. */
  readonly programs: readonly string[];
  /** Folders of its own in a user's home. */
  readonly folders: (places: Places) => readonly string[];
  /** In the order in which they are written; taken out in the other one. */
  readonly files: (scope: Scope, places: Places) => readonly HostFile[];
  /** What is written depends on its version. */
  readonly asksVersion?: boolean;
  /** What a person has to do for it to take effect. */
  readonly next: string;
  /** What else, where it is for a project. */
  readonly nextInProject?: string;
  /** What else, where hooks were asked for that it needs none of. */
  readonly nextWithHooks?: string;
}
