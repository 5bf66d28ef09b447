/**
 * Random numbers from 0 (inclusive) to 1 that are the same for the same seed (mulberry32), so that a failure can be
 * repeated.
 */
export declare const seeded: (seed: number) => (() => number);
//# sourceMappingURL=seeded.d.ts.map