/*
 * Lets plain `node` run a checkout: packages of this repository resolve to their TypeScript source, and drizzle-orm
 * to its CommonJS build, which loads in a quarter of the time and memory of the 104 ES modules. What Node makes of a file
 * is kept, so that the next process neither strips its types nor compiles it: tests start hundreds of them.
 * Use: node --import ./scripts/source-preload.mjs file.ts
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const OURS = '@beckon/';
const DRIZZLE = /^drizzle-orm(\/|$)/;

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.startsWith(OURS)) {
      return nextResolve(specifier, { ...context, conditions: ['@beckon/source', ...context.conditions] });
    }
    if (DRIZZLE.test(specifier)) return nextResolve(specifier, { ...context, conditions: ['node', 'require'] });
    return nextResolve(specifier, context);
  },
});
