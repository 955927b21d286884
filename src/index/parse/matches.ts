/**
 * The matches of a query as the parser's module writes them down, without an object
 * for each node: a file has thousands, and most of what an object holds is not asked.
 *
 * The library's own `Query.matches` does the same with the module's functions.
 *
 * Units: a node is where its record stands in the memory, in 32-bit words; `NO_NODE`
 * for none. Offsets are in UTF-16 units.
 */
import type { Query, Tree } from "web-tree-sitter";
import type { Budget } from "./budget.ts";
import type { Module } from "./start.ts";

export type Node = number;
export const NO_NODE: Node = 0;

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
