import { z } from 'zod';
import { answersOf } from '../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about the service itself. */
export const serviceAnswers = answersOf<Answers>()(() => {
  const HealthCheck = z
    .object({
      ok: z.boolean().describe('Whether the check passed.'),
      detail: z.string().describe('What the check found, in one sentence.'),
    })
    .describe('Result of one health check.');
  const check = (text: string) => HealthCheck.optional().describe(text);
  return {
    HealthCheck,
    Health: z
      .object({
        ready: z.boolean().describe('Whether the service accepts requests.'),
        status: z
          .enum(['ok', 'degraded', 'unready'])
          .describe('`degraded`: the service is ready, but one of the checks fails.'),
        checks: z
          .object({
            database: check('Whether the database responds.'),
            schema: check('Whether the database has the schema of this version; missing without database.'),
            worker: check('Whether a worker runs while work is due; missing without database.'),
            timezones: check('Whether all workers have the same time zone data.'),
            clock: check('Whether the clocks of host and PostgreSQL differ by at most 5 s.'),
            load: check('Whether requests are rejected because of overload; only in `/readyz`.'),
          })
          .describe('Results of the checks.'),
      })
      .describe('Health of the service.'),
    Alive: z.object({ status: z.literal('ok').describe('Always `ok`.') }).describe('The process is running.'),
    Service: z
      .object({
        name: z.string().describe('Name of the service.'),
        api: z.string().describe('Path of the API.'),
        openapi: z.string().describe('Path of the API description.'),
        docs: z.string().describe('URL of the documentation.'),
      })
      .describe('Where the API and its documentation are.'),
  };
});
