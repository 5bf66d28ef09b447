import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '@beckon/core';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { prodOf } from './gateways.ts';
import type { Stage } from './stage.ts';

/** Another organization with separate APNs credentials. */
export type Customer = { readonly scope: Scope; readonly keyId: string };

/** Creates an organization. */
export const newCustomer = async ({ beckon, gateways }: Stage, name: string): Promise<Customer> => {
  const org = await beckon.tenancy.createOrg({ name });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name });
  const scope = await prodOf(beckon, { orgId: org.id, projectId: project.id });
  const apns = gateways.apns.settings();
  await beckon.settings.update(scope, 'push', { apns });
  return { scope, keyId: apns.keyId };
};

const PUSH = { title: 'News', body: 'There is news.' };
/** Interval of lease checks. Chosen: each check reads a thousand rows in the measured process. */
const LOOK_MS = 2_000;
/** Interval of steady pushes, in milliseconds. */
const GAP_MS = 20;

/** Sends pushes at a fixed rate, independent of earlier results. */
export const steadySender = ({ beckon, gateways: { apns } }: Stage, { scope }: Customer) => {
  const arrivedAt = new Map<string, number>();
  const acceptedAt = new Map<string, number>();
  let made = 0;

  const send = async (token: string): Promise<void> => {
    await beckon.push.send(scope, { ...PUSH, tokens: [token] });
    acceptedAt.set(token, performance.now());
  };

  return {
    /** Calls back for every push that APNs receives. */
    arrived: (token: string): void => {
      arrivedAt.set(token, arrivedAt.get(token) ?? performance.now());
    },
    /** Milliseconds from acceptance to arrival of each of `count` pushes; Infinity for late ones. */
    measure: async (count: number, withinMs: number): Promise<number[]> => {
      const tokens = Array.from({ length: count }, () => {
        made += 1;
        return apnsToken('ok', `steady ${made}`);
      });
      const begun = performance.now();
      const sending = tokens.map(async (token, at) => {
        await sleep(Math.max(begun + at * GAP_MS - performance.now(), 0));
        await send(token);
      });
      await Promise.all(sending);
      const deadline = performance.now() + withinMs;
      while (!tokens.every((token) => arrivedAt.has(token)) && performance.now() < deadline) await sleep(5);
      return tokens.map((token) => {
        const arrived = arrivedAt.get(token) ?? Number.POSITIVE_INFINITY;
        // A push may arrive before the response to its sender.
        return Math.max(arrived - (acceptedAt.get(token) ?? 0), 0);
      });
    },
    /** Number of pushes that arrived more than once. */
    twice: (): number => {
      const counts = new Map<string, number>();
      for (const { headers } of apns.arrived()) {
        const token = `${headers[':path']}`.split('/').at(-1) ?? '';
        if (acceptedAt.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
      }
      return [...counts.values()].filter((times) => times > 1).length;
    },
  };
};

/** A quantile of the list; NaN for an empty list. */
export const quantile = (list: readonly number[], part: number): number =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))] ?? Number.NaN;

type Open = { readonly id: string; readonly fence: number; readonly attempt: number; readonly lease: number };

/** Checks messages with open calls: none is claimed twice, and their leases are renewed. */
export const leaseKeeping = ({ deployment, engine }: Stage) => {
  const lease = engine === 'sqlite' ? 'lease_until' : 'extract(epoch from lease_until) * 1000';
  let before = new Map<string, Open>();
  const reclaimed = new Set<string>();
  const renewed = new Set<string>();
  const look = async (): Promise<void> => {
    const rows = await deployment.query<Open>(
      `select id, fence, attempt, cast(${lease} as double precision) as lease from messages where status = 'sending'`,
    );
    const open = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows) {
      const was = before.get(row.id);
      if (was?.attempt !== row.attempt) continue;
      if (was.fence !== row.fence) reclaimed.add(row.id);
      else if (row.lease > was.lease) renewed.add(row.id);
    }
    before = open;
  };
  return {
    /** Checks periodically until the returned function is called. */
    watch: (): (() => Promise<void>) => {
      const stopping = new AbortController();
      const watch = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          await look();
          await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
      };
      const watching = watch();
      return () => {
        stopping.abort();
        return watching;
      };
    },
    reclaimed,
    renewed,
  };
};
