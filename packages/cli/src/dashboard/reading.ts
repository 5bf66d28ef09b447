import type { Beckon, QueueState, Scope } from '@beckon/core';
import { CHANNELS } from '../names.ts';
import type { Refusals } from './refusals.ts';

/** Deliveries of one receiver that are shown, of those that are tried again and of those that ended untold; ours. */
const DELIVERIES = 5;
/** Webhooks of a project; as many as it can have. */
const WEBHOOKS = 100;

/** A delivery that can be told again. */
export type Delivery = {
  readonly scope: Scope;
  readonly id: string;
  readonly host: string;
  readonly eventType: string;
  readonly reason: string | null;
  /** When it is tried again; null: it is not. */
  readonly nextAttemptAt: Date | null;
};

/** How a service stands at one moment; texts are as they are stored. */
export type Reading = {
  readonly at: Date;
  readonly health: string;
  /** Events of this month, of all orgs: what it grows by between two readings came in meanwhile. */
  readonly events: number;
  readonly usage: readonly { readonly org: string; readonly plan: string; readonly events: number }[];
  readonly queues: readonly QueueState[];
  /** Over the minutes that deliverability is judged by. */
  readonly sends: readonly {
    readonly project: string;
    readonly channel: string;
    readonly sent: number;
    readonly failed: number;
    readonly retrying: number;
    readonly windowMinutes: number;
    readonly perSecond: number;
  }[];
  readonly providers: readonly {
    readonly project: string;
    readonly provider: string;
    readonly sent: number;
    readonly failed: number;
    /** Null: nothing went. */
    readonly p95Ms: number | null;
  }[];
  readonly failures: readonly { readonly project: string; readonly reason: string; readonly count: number }[];
  readonly deliveries: readonly Delivery[];
  /** Null: the service does not tell. */
  readonly refusals: Refusals | null;
};

const deliveriesOf = async ({ webhooks }: Beckon, scope: Scope): Promise<Delivery[]> => {
  const found: Delivery[] = [];
  for (const { id: webhookId, url, failingSince } of (await webhooks.list(scope, { limit: WEBHOOKS })).data) {
    if (failingSince === null) continue;
    for (const status of ['pending', 'failed'] as const) {
      const { data } = await webhooks.deliveries(scope, webhookId, { status, limit: DELIVERIES });
      for (const { id, eventType, reason, nextAttemptAt } of data)
        found.push({ scope, id, host: new URL(url).host, eventType, reason, nextAttemptAt });
    }
  }
  return found;
};

/** Looks at everything once. Throws what the database throws. */
export const readFigures = async (beckon: Beckon, at: Date, refusals: Refusals | null): Promise<Reading> => {
  const month = at.toISOString().slice(0, 7);
  const usage = await Promise.all(
    (await beckon.tenancy.listOrgs()).map(async ({ id, name, plan }) => ({
      ...{ org: name, plan },
      events: await beckon.plans.usageOf(id, month),
    })),
  );
  const of = { sends: [], providers: [], failures: [], deliveries: [] } as {
    [Name in 'sends' | 'providers' | 'failures' | 'deliveries']: Reading[Name][number][];
  };
  for (const { id: projectId, orgId, name: project } of await beckon.tenancy.listProjects()) {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    for (const channel of CHANNELS) {
      const health = await beckon.sends.health(scope, channel);
      const { sent, failed, retrying, windowMinutes } = health;
      const { perSecond, p95Ms } = await beckon.sends.pace(scope, channel);
      of.sends.push({ project, channel, sent, failed, retrying, windowMinutes, perSecond });
      for (const [provider, counts] of Object.entries(health.byProvider))
        of.providers.push({
          ...{ project, provider, sent: counts?.sent ?? 0, failed: counts?.failed ?? 0 },
          p95Ms: p95Ms[provider] ?? null,
        });
      for (const [reason, count] of Object.entries(health.byReason)) of.failures.push({ project, reason, count });
    }
    of.deliveries.push(...(await deliveriesOf(beckon, scope)));
  }
  const { status } = await beckon.health();
  const events = usage.reduce((sum, one) => sum + one.events, 0);
  return { at, health: status, events, usage, queues: await beckon.queues(), refusals, ...of };
};
