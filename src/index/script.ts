/**
 * A script to start beside a module: run from source it is a module too, built it is
 * a bundle beside the bundle. `here` is the module's `import.meta.url`.
 */
export const scriptBeside = (
  here: string,
  source: string,
  built: string = source,
): URL =>
  new URL(here.endsWith(".ts") ? `./${source}.ts` : `./${built}.js`, here);
