import type { Gate } from '../../plans/plan.ts';
import type { SendRequest } from '../schema.ts';

/** Fields of a send that are of a plan. Source: interface, Plan gates; contract, Routes. */
const GATED = [
  ['audienceId', 'audienceSends'],
  ['scheduledFor', 'scheduledSends'],
  ['abTestId', 'abTests'],
  ['templateId', 'templates'],
] as const satisfies readonly (readonly [keyof SendRequest, Gate])[];

/** What a send needs of its org's plan. Throws nothing. */
export const gatesOf = (request: SendRequest): readonly Gate[] =>
  GATED.flatMap(([field, gate]) => ((request[field] ?? null) === null ? [] : [gate]));
