import { MAX_FIELD_ERRORS } from '../../../foundation/errors.ts';

export type Path = readonly (string | number)[];

/** What reading one predicate has found wrong so far, and how much of it there is. */
export type Reading = {
  /** Whether leaves may name a `path`. */
  readonly hasPaths: boolean;
  /** Notes what is wrong at a place; answers null, for whoever has nothing to give then. */
  refuse(path: Path, message: string): null;
  /** Counts a node, and refuses the whole where there are too many. */
  count(path: Path): void;
  /** True once nothing more needs to be looked at. */
  isOver(): boolean;
  /** Refuses every other key. */
  onlyKeys(input: Readonly<Record<string, unknown>>, known: readonly string[], path: Path): void;
  issues(): readonly { readonly path: Path; readonly message: string }[];
};

/** Begins to read. Throws nothing. */
export const reading = ({ hasPaths, maxNodes }: { hasPaths: boolean; maxNodes: number }): Reading => {
  const found: { path: Path; message: string }[] = [];
  let nodes = 0;
  const refuse = (path: Path, message: string): null => {
    found.push({ path, message });
    return null;
  };
  return {
    hasPaths,
    refuse,
    count: () => {
      nodes += 1;
      if (nodes === maxNodes + 1) refuse([], `has more than ${maxNodes} nodes`);
    },
    isOver: () => nodes > maxNodes || found.length >= MAX_FIELD_ERRORS,
    onlyKeys: (input, known, path) => {
      for (const key of Object.keys(input).slice(0, known.length + MAX_FIELD_ERRORS))
        if (!known.includes(key)) refuse([...path, key], 'unknown field');
    },
    issues: () => found,
  };
};
