/**
 * Starts the parser's module, and takes from it what is used here.
 *
 * The library turns the options it is given into the module itself, so that its
 * memory and functions can be had.
 *
 * Units: addresses are in bytes, texts and offsets in UTF-16 units.
 */
import { Buffer } from "node:buffer";
import { Parser } from "web-tree-sitter";

/** What is used of the parser's module. */
export interface Module {
  /** Another one after the memory has grown. */
  readonly HEAP32: Int32Array<ArrayBuffer>;
  readonly _ts_init: () => number;
  readonly _ts_tree_root_node_wasm: (tree: number) => void;
  readonly _ts_node_end_index_wasm: (tree: number) => number;
  readonly _ts_query_matches_wasm: (...values: number[]) => void;
  readonly _free: (address: number) => void;
  /** Gives the text from an offset on while one is parsed. */
  readonly currentParseCallback: (index: number) => string;
  readonly currentProgressCallback: (() => boolean) | null;
  currentQueryProgressCallback: (() => boolean) | null;
}

/** The library has one module a thread, and gives it to the first who asks. */
const MODULE = "codegraphModule";

/** Starts the parser where it is not started. */
export function startParser(bytes: () => Promise<Uint8Array>): Promise<Module> {
  const parser = Parser as unknown as { [MODULE]?: Promise<Module> };
  return (parser[MODULE] ??= bytes().then(started));
}

/** Of `globalThis`: the types of Node name none. */
interface Engine {
  readonly WebAssembly: {
    instantiate(
      binary: Uint8Array,
      imports: Imports,
    ): Promise<{ readonly instance: object; readonly module: object }>;
  };
}

type Imports = Record<string, Record<string, unknown>>;

function started(binary: Uint8Array): Promise<Module> {
  const { WebAssembly } = globalThis as unknown as Engine;
  return new Promise((resolve, reject) => {
    const module = {
      instantiateWasm(
        imports: Imports,
        receive: (instance: object, module: object) => void,
      ): void {
        Object.assign(imports["env"]!, answers(module as unknown as Module));
        WebAssembly.instantiate(binary, imports).then(
          ({ instance, module }) => receive(instance, module),
          reject,
        );
      },
    };
    Parser.init(module as never).then(
      () => resolve(module as unknown as Module),
      reject,
    );
  });
}

/** So much of a text is asked for at once; the module takes no more. */
const UNITS = 5 * 1024 - 1; // exempt spec-values-are-imported: the size of a buffer in the parser's module

/**
 * What the module asks for while it parses. The library answers the same, but copies
 * a text unit by unit, and makes an object at each step for a callback to look at.
 */
function answers(module: Module): Record<string, unknown> {
  let bytes = Buffer.alloc(0);
  return {
    tree_sitter_parse_callback(
      to: number,
      index: number,
      _row: number,
      _column: number,
      length: number,
    ): void {
      const { HEAP32 } = module;
      if (bytes.buffer !== HEAP32.buffer) bytes = Buffer.from(HEAP32.buffer);
      const part = module.currentParseCallback(index).slice(0, UNITS);
      bytes.write(part, to, "utf16le");
      HEAP32[length >> 2] = part.length;
    },
    tree_sitter_progress_callback: () =>
      module.currentProgressCallback?.() ?? false,
    tree_sitter_query_progress_callback: () =>
      module.currentQueryProgressCallback?.() ?? false,
  };
}
