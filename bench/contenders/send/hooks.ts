// Webhook deliveries of the benchmark: identified users.

import { bodyOf } from '../../../packages/core/src/webhooks/body.ts';
import { signedHeaders } from '../../../packages/core/src/webhooks/sign.ts';
import { testScope } from '../../../packages/core/test/support/scopes.ts';
import { traitsOf, userId } from '../../lib/fixtures.ts';
import type { Peers } from './fixtures.ts';

/** Webhooks of each event. Chosen: eight concurrent calls to each of them use both processors. */
export const RECEIVERS = 8;
/** Concurrent calls to one webhook. Source: packages/core, webhooks, MAX_PER_WEBHOOK. */
const PER_RECEIVER = 8;
/** Concurrent calls to all of them. */
export const HOOKS_AT_ONCE = RECEIVERS * PER_RECEIVER;

export const HOOK_EVENT = 'user.identified';
/** The URL of one of the webhooks. */
export const hookUrl = ({ webhooks }: Pick<Peers, 'webhooks'>, at: number): string => `${webhooks}/hooks/${at}`;

const ID = '01970000-0000-7000-8000-000000000000';
const AT = new Date(Date.UTC(2026, 0, 5, 8));
const SCOPE = testScope({ orgId: ID, projectId: ID, environment: 'prod' });

/** Makes deliveries as long as those of the product, with the id of each call; signed once for all. */
export const hooks = (peers: Pick<Peers, 'webhooks'>) => {
  const traits = traitsOf(0, 0);
  const event = { id: ID, type: HOOK_EVENT, person: `u:${userId(0)}`, at: AT };
  const properties = { traits, changedTraits: Object.keys(traits) };
  const body = Buffer.from(bodyOf(SCOPE, { ...event, properties }));
  const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
  const headers = signedHeaders({ id: ID, at: AT, body, secrets });
  return (index: number, id: string) => ({
    url: hookUrl(peers, index % RECEIVERS),
    headers: { ...headers, 'webhook-id': id },
    body,
  });
};
