/**
 * The matches of a query as the parser's module writes them down, without an object
 * for each node: a file has thousands, and most of what an object holds is not asked.
 *
 * The library turns the options it is given into the module itself, so that its
 * memory and functions can be had; its own `Query.matches` does the same with them.
 *
 * Units: a node is where its record stands in the memory, in 32-bit words; `NO_NODE`
 * for none. Offsets are in UTF-16 units.
 */
import { Parser, type Query, type Tree } from "web-tree-sitter";
import type { Budget } from "./budget.ts";

export type Node = number;
export const NO_NODE: Node = 0;

/** What is used of the parser's module. Addresses are in bytes. */
export interface Module {
  /** Another one after the memory has grown. */
  readonly HEAP32: Int32Array;
  readonly _ts_init: () => number;
  readonly _ts_tree_root_node_wasm: (tree: number) => void;
  readonly _ts_node_end_index_wasm: (tree: number) => number;
  readonly _ts_query_matches_wasm: (...values: number[]) => void;
  readonly _free: (address: number) => void;
  currentQueryProgressCallback: (() => boolean) | null;
}

/** The library has one module a thread, and gives it to the first who asks. */
const MODULE = "codegraphModule";

/** Starts the parser where it is not started. */
export function startParser(bytes: () => Promise<Uint8Array>): Promise<Module> {
  const parser = Parser as unknown as { [MODULE]?: Promise<Module> };
  return (parser[MODULE] ??= bytes().then(async (wasmBinary) => {
    const module = { wasmBinary };
    await Parser.init(module as never);
    return module as unknown as Module;
  }));
}

/** id, start, row, column, and what the parser keeps for itself. */
const NODE_WORDS = 5;
/** No range of offsets, rows or containers, no limit of matches and depth. */
const WHOLE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1] as const;

const handleOf = (object: Query | Tree): number =>
  (object as unknown as { readonly 0: number })[0];

/** One match after the other; good until `free`. */
export class Matches {
  private readonly module: Module;
  private readonly memory: Int32Array;
  private readonly tree: number;
  private readonly buffer: number;
  private readonly address: number;
  private at: number;
  private left: number;
  pattern = 0;
  /** Captures of the match in hand. */
  count = 0;

  constructor(module: Module, query: Query, tree: Tree, spent: Budget) {
    this.module = module;
    this.tree = handleOf(tree);
    const buffer = module._ts_init();
    // Leaves the root where the next call looks for the node to begin with.
    module._ts_tree_root_node_wasm(this.tree);
    module.currentQueryProgressCallback = spent;
    module._ts_query_matches_wasm(handleOf(query), this.tree, ...WHOLE);
    module.currentQueryProgressCallback = null;
    this.memory = module.HEAP32;
    this.buffer = buffer >> 2;
    this.left = this.memory[this.buffer]!;
    this.address = this.memory[this.buffer + 1]!;
    this.at = this.address >> 2;
  }

  /** Takes the next match in hand; false where there is none. */
  next(): boolean {
    this.at += this.count * (1 + NODE_WORDS);
    this.count = 0;
    if (this.left === 0) return false;
    this.left--;
    this.pattern = this.memory[this.at]!;
    this.count = this.memory[this.at + 1]!;
    this.at += 2;
    return true;
  }

  /** The capture's place among the names of the query. */
  capture(i: number): number {
    return this.memory[this.at + i * (1 + NODE_WORDS)]!;
  }

  node(i: number): Node {
    return this.at + i * (1 + NODE_WORDS) + 1;
  }

  start(node: Node): number {
    return this.memory[node + 1]!;
  }

  end(node: Node): number {
    const { memory, buffer } = this;
    for (let i = 0; i < NODE_WORDS; i++) memory[buffer + i] = memory[node + i]!;
    return this.module._ts_node_end_index_wasm(this.tree);
  }

  free(): void {
    this.module._free(this.address);
  }
}
