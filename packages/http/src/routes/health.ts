import { BeckonError, type Health } from '@beckon/core';
import type { Load } from '../load.ts';
import { succeed } from '../pipeline/envelope.ts';
import { refusedAt } from '../pipeline/shedding.ts';
import type { OpenRoute } from '../route.ts';

const common = { method: 'GET', shape: 'root', kind: 'none', scope: null, needs: 'nothing' } as const;

/** Retry-After of a failed probe, in seconds. Chosen: probes have their own interval. */
const RETRY_SECONDS = 1;

/** An overloaded process stays ready: removing it would move its work to others, which are no less busy. */
const withLoad = (health: Health, load: Load): Health => {
  const refused = refusedAt(load);
  if (refused === '') return health;
  const check = { ok: false, detail: `${load.reason}; refused: ${refused}` };
  return { ...health, status: health.ready ? 'degraded' : health.status, checks: { ...health.checks, load: check } };
};

/** Liveness and readiness probes. */
export const healthRoutes: readonly OpenRoute[] = [
  {
    ...common,
    path: '/healthz',
    summary: 'Check that the process is alive',
    description: 'Returns 200 as long as the process answers requests.',
    answer: { 200: 'Alive' },
    run: async () => succeed({ status: 'ok' }),
  },
  {
    ...common,
    path: '/readyz',
    summary: 'Check that the service is ready',
    description:
      'Returns 503 while the database is unreachable or the service shuts down. `load` reports overload, which keeps 200.',
    answer: { 200: 'Health' },
    run: async (beckon, { load }) => {
      const health = withLoad(await beckon.health(), load);
      if (health.ready) return succeed(health);
      throw new BeckonError('OVERLOADED', 'The service is not ready. details.checks names the failed checks.', {
        retryAfterSeconds: RETRY_SECONDS,
        details: { checks: health.checks },
      });
    },
  },
];
