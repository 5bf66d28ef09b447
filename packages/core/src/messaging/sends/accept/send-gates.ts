import type { Gate } from '../../../platform/plans/plan.ts';
import type { SendRequest } from '../schema.ts';

/** Fields of a send that are of a plan. Source: interface, Plan gates; contract, Routes. */
const GATED = [
  ['audienceId', 'audienceSends'],
  ['scheduledFor', 'scheduledSends'],
  ['abTestId', 'abTests'],
  ['templateId', 'templates'],
] as const satisfies readonly (readonly [keyof SendRequest, Gate])[];

/** What a send needs of its org's plan, or a body of one that is not read yet. Throws nothing. */
export const gatesOf = (request: Readonly<Partial<Record<(typeof GATED)[number][0], unknown>>>): readonly Gate[] =>
  GATED.flatMap(([field, gate]) => ((request[field] ?? null) === null ? [] : [gate]));
