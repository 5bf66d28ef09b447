// The browser SDK in Chromium.

import { type Campaign, number, type Part, sum, vitest } from './campaign-parts.ts';

const BROWSER_SEEDS = 200;
const BROWSER_SEEDS_PER_PART = 40;
const SAMPLED_BROWSER_SEEDS = 20;
const SAMPLED_SIGN_IN_SEEDS = 5;

const sequences = (first: number, count: number): Part => ({
  name: `seeds ${first}`,
  command: vitest('browser', 'test/browser/sequences'),
  env: { BECKON_BROWSER_SEED: String(first), BECKON_BROWSER_SEEDS: String(count) },
});
const pages: Part = { name: 'pages', command: vitest('browser', 'test/browser/pages', 'test/browser/push') };
/** Every way to sign in. */
const signIn: Part = { name: 'sign-in', command: vitest('browser', 'test/browser/auth.test') };
const signInSequences = (first: number, count: number): Part => ({
  name: `sign-in seeds ${first}`,
  command: vitest('browser', 'test/browser/auth-sequences'),
  env: { BECKON_BROWSER_SEED: String(first), BECKON_BROWSER_SEEDS: String(count) },
});

export const browser: Campaign = {
  about: '200 random sequences of visits, lost networks and restarts in Chromium, and 200 of tabs that are signed in',
  jobs: 1,
  show: /^(sequences: |sign-in sequences: |sequence seed .*(could not|ended))/,
  parts: (seed) => [
    pages,
    signIn,
    ...Array.from({ length: BROWSER_SEEDS / BROWSER_SEEDS_PER_PART }, (_, at) =>
      [sequences, signInSequences].map((part) => part(seed + at * BROWSER_SEEDS_PER_PART, BROWSER_SEEDS_PER_PART)),
    ).flat(),
  ],
  sample: (seed) => [
    pages,
    signIn,
    sequences(seed, SAMPLED_BROWSER_SEEDS),
    signInSequences(seed, SAMPLED_SIGN_IN_SEEDS),
  ],
  figures: (outputs) =>
    [
      `${number(sum(outputs, /^sequences: (\d+) seeds/gm))} sequences, ${number(sum(outputs, /seeds, (\d+) events/g))} events sent, each stored once`,
      `${number(sum(outputs, /sign-in sequences: (\d+) seeds/g))} sequences of sign-in, ${number(sum(outputs, /seeds, (\d+) sessions/g))} sessions lost`,
    ].join('; '),
};
