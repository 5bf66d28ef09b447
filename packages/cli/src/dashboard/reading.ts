import type { Beckon, QueueState, Scope } from '@beckon/core';
import { allRows } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import type { Refusals } from './refusals.ts';

/** Maximum deliveries shown per receiver, for each of pending and failed. Chosen. */
const DELIVERIES = 5;
/** Maximum webhooks of a project. Source: interface, Limits. */
const WEBHOOKS = 100;

/** A delivery that can be replayed. */
export type Delivery = {
  readonly scope: Scope;
  readonly id: string;
  readonly host: string;
  readonly eventType: string;
  readonly reason: string | null;
  /** Time of the next attempt; null: there is none. */
  readonly nextAttemptAt: Date | null;
};

/** State of the deployment at one time. Texts are as stored, not sanitized. */
export type Reading = {
  readonly at: Date;
  readonly health: string;
  /** Events of this month in all organizations. The difference of two readings is the throughput. */
  readonly events: number;
  readonly usage: readonly { readonly org: string; readonly plan: string; readonly events: number }[];
  readonly queues: readonly QueueState[];
  /** Counts over the window that send health uses. */
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
    /** Null: nothing was sent. */
    readonly p95Ms: number | null;
  }[];
  readonly failures: readonly { readonly project: string; readonly reason: string; readonly count: number }[];
  readonly deliveries: readonly Delivery[];
  /** Null: unknown, because metrics are off or do not answer. */
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

/** Reads the state once. Throws the errors of the database. */
export const readFigures = async (beckon: Beckon, at: Date, refusals: Refusals | null): Promise<Reading> => {
  const month = at.toISOString().slice(0, 7);
  const usage = await Promise.all(
    (await allRows(beckon.tenancy.listOrgs)).map(async ({ id, name, plan }) => ({
      ...{ org: name, plan },
      events: await beckon.plans.usageOf(id, month),
    })),
  );
  const of = { sends: [], providers: [], failures: [], deliveries: [] } as {
    [Name in 'sends' | 'providers' | 'failures' | 'deliveries']: Reading[Name][number][];
  };
  for (const { id: projectId, orgId, name: project } of await allRows(beckon.tenancy.listProjects)) {
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    for (const channel of CHANNELS) {
      const health = await beckon.sends.health(scope, channel);
      const { sent, failed, retrying, windowMinutes } = health;
      const { perSecond, p95Ms } = await beckon.sends.throughput(scope, channel);
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
  return { at, health: status, events, usage, queues: (await beckon.queues()).data, refusals, ...of };
};
