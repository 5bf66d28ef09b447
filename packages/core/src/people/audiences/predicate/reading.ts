import { MAX_FIELD_ERRORS } from '../../../foundation/errors.ts';

export type Path = readonly (string | number)[];

/** State of reading one predicate: errors and number of nodes. */
export type Reading = {
  /** Whether leaves may use `path`. */
  readonly hasPaths: boolean;
  /** Adds an error at a path; returns null for the caller to return. */
  refuse(path: Path, message: string): null;
  /** Counts a node; adds an error if there are too many. */
  count(path: Path): void;
  /** True once reading can stop. */
  isOver(): boolean;
  /** Rejects all other keys. */
  onlyKeys(input: Readonly<Record<string, unknown>>, known: readonly string[], path: Path): void;
  issues(): readonly { readonly path: Path; readonly message: string }[];
};

/** Starts reading. Throws nothing. */
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
