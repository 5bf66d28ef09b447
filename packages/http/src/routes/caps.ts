import type { Cap } from '@beckon/core';

/** What the description of a route says of the caps that it holds. Throws nothing. */
export const capsText = (...caps: readonly Cap[]): string =>
  `${caps.map(({ rule }) => rule).join(' ')} Above a cap the answer is 400 VALIDATION_ERROR with \`details.reason: "cap_reached"\`, and nothing is written.`;
