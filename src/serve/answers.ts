/**
 * Answers that were given, for calls that ask the same again: agents that work side
 * by side begin alike.
 *
 * Errs: toward answering anew. An answer hangs on the index, the request and what is
 * seen of the files; only where all three are the same is it given again.
 */
import { limits as fromSpec, type Limits } from "../spec.gen.ts";
import type { IndexReader } from "../store/store.ts";
import { diskOf, Reads, Witness, type Disk } from "./disk.ts";
import { explore, type ExploreAnswer, type ExploreRequest } from "./explore.ts";
import { Recent } from "./recent.ts";
import { KeptWorkings } from "./workings.ts";

interface Given {
  readonly answer: ExploreAnswer;
  readonly seen: Witness;
}

/** The last answers by index, which is one object as long as it says the same. @spec pool-keeps-answers */
export class Answers {
  private readonly most: number;
  /** By what was asked. */
  private readonly byIndex = new WeakMap<IndexReader, Recent<string, Given>>();

  private readonly workings = new KeptWorkings();
  private readonly reads = new Reads();

  constructor(limits: Pick<Limits, "KEPT_ANSWERS"> = fromSpec) {
    this.most = limits.KEPT_ANSWERS;
  }

  /** The same as `explore`. `text` is equal only for requests that are. */
  of(
    root: string,
    index: IndexReader,
    request: ExploreRequest,
    text: string = JSON.stringify(request),
  ): ExploreAnswer {
    const now = () => diskOf(root, this.reads);
    const answer = (disk: Disk) =>
      explore(root, index, request, fromSpec, disk, this.workings);
    if (request.session && request.session.callCount > 0) return answer(now());
    let given = this.byIndex.get(index);
    if (!given) this.byIndex.set(index, (given = new Recent(this.most)));
    const key = `${root}\n${text}`;
    const known = given.peek(key);
    if (known?.seen.holds(now())) return given.put(key, known).answer;
    const seen = new Witness(now());
    return given.put(key, { answer: answer(seen), seen }).answer;
  }
}
