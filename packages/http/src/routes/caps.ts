import type { Cap } from '@beckon/core';

/** A route's description with the limits that apply to it. Throws nothing. */
export const capsText = (text: string, ...caps: readonly Cap[]): string =>
  `${text} ${caps.map(({ rule }) => rule).join(' ')} Above a cap the response is 400 VALIDATION_ERROR with \`details.reason: "cap_reached"\`, and Beckon stores nothing.`;
