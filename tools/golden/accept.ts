/** `pnpm golden NAME…`: accepts the goldens that you name, after you read the patch. */
import { accept } from "./golden.ts";

try {
  const names = process.argv.slice(2);
  accept(names);
  for (const name of names) console.log(`goldens/${name}.md`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
