import { fileURLToPath } from 'node:url';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Folders of the checkout, absolute. Files of a run are under `results`, which git ignores. */
export const places = {
  root: at('../..'),
  contenders: at('../contenders'),
  wrkScript: at('./wrk.lua'),
  peers: at('../peers'),
  resultsFile: at('../RESULTS.md'),
  /** Contender programs, bundled like the packages. */
  built: at('../results/built'),
  /** Databases and request files of this run. */
  work: at('../results/work'),
};
