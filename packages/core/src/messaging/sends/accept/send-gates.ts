import type { Gate } from '../../../platform/plans/plan.ts';
import type { SendRequest } from '../schema.ts';

/** Send fields that need a plan feature. Source: interface, Plan gates; contract, Routes. */
const GATED = [
  ['audienceId', 'audienceSends'],
  ['scheduledFor', 'scheduledSends'],
  ['abTestId', 'abTests'],
  ['templateId', 'templates'],
] as const satisfies readonly (readonly [keyof SendRequest, Gate])[];

/** The plan features that a send, or an unread send body, needs. Throws nothing. */
export const gatesOf = (request: Readonly<Partial<Record<(typeof GATED)[number][0], unknown>>>): readonly Gate[] =>
  GATED.flatMap(([field, gate]) => ((request[field] ?? null) === null ? [] : [gate]));
