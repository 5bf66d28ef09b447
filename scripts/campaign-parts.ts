// What campaigns are made of.

/** One command of a campaign. `--from` takes its name. */
export type Part = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export type Campaign = {
  /** One line for `--help`. */
  readonly about: string;
  /** Concurrent parts; 1 if a part measures time or fills both cores. */
  readonly jobs: 1 | 2;
  /** Debian packages that tests need, each with a program that shows that it is installed. */
  readonly needs?: readonly (readonly [program: string, ...packages: string[]])[];
  /** Lines of the output to print. */
  readonly show?: RegExp;
  readonly parts: (seed: number, names: readonly string[]) => readonly Part[];
  /** A few parts for every change. Absent if the ordinary tests contain a sample. */
  readonly sample?: (seed: number) => readonly Part[];
  /** The figures of the line in docs/internals/campaigns.md, from the outputs of the parts that ran. */
  readonly figures: (outputs: readonly string[]) => string;
};

export const number = (value: number): string => value.toLocaleString('en-GB');

/** The sum of the numbers in the first group of a pattern. */
export const sum = (outputs: readonly string[], pattern: RegExp): number =>
  outputs
    .flatMap((text) => Array.from(text.matchAll(pattern), ([, value]) => Number(value)))
    .reduce((a, b) => a + b, 0);

export const maximum = (outputs: readonly string[], pattern: RegExp): number =>
  Math.max(0, ...outputs.flatMap((text) => Array.from(text.matchAll(pattern), ([, value]) => Number(value))));

export const vitest = (project: string, ...paths: readonly string[]): readonly string[] => [
  'vitest',
  'run',
  '--project',
  project,
  ...paths,
];
export const preloaded = (...args: readonly string[]): readonly string[] => [
  'node',
  '--import',
  './scripts/source-preload.mjs',
  ...args,
];

export const testFigures = (outputs: readonly string[]): string =>
  `${number(sum(outputs, /^\s*Tests .*?(\d+) passed/gm))} tests passed, ${number(sum(outputs, /^\s*Tests .*?(\d+) failed/gm))} failed, ${number(sum(outputs, /^\s*Tests .*?(\d+) skipped/gm))} skipped`;
