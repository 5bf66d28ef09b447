import { CATALOG, DEFINITION_CAPS, DELIVERY_STATUSES } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, flag, listQuery, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const read = reading('webhooks:read');
const write = { ...read, scope: 'webhooks:write', bodyCap: DEFAULT_BODY_CAP } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const PATH = '/webhooks';

const webhooksQuery = pageQuery.extend({ count: flag });
const deliveriesQuery = listQuery.extend({ status: oneOf(DELIVERY_STATUSES), eventType: filter });

/** Who is told what happens, and what they were told. */
export const webhookRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: PATH,
    summary: 'List webhooks, oldest first',
    answer: { page: 'Webhook' },
    query: webhooksQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.webhooks.list(scope, readQuery(query, webhooksQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: PATH,
    summary: `Create a webhook for some of the ${Object.keys(CATALOG).length} events; the secret is shown once`,
    description: capsText(DEFINITION_CAPS.webhooks),
    takes: 'WebhookInput',
    answer: { 201: 'WebhookWithSecret' },
    run: async (beckon, { scope, body }) => succeed(await beckon.webhooks.create(scope, body), CREATED),
  },
  {
    ...read,
    path: `${PATH}/:id`,
    summary: 'Read a webhook',
    answer: { 200: 'Webhook' },
    run: async (beckon, call) => succeed(await beckon.webhooks.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Change a webhook: what is left out stays',
    takes: 'WebhookPatch',
    answer: { 200: 'Webhook' },
    run: async (beckon, call) => succeed(await beckon.webhooks.update(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Delete a webhook: what is on its way to it is not tried again',
    answer: { 200: 'Webhook' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.delete(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/rotate-secret`,
    summary: 'Give a webhook a new secret, beside which the older one signs for a while',
    takes: 'SecretRotation',
    answer: { 200: 'WebhookWithSecret' },
    run: async (beckon, call) => succeed(await beckon.webhooks.rotateSecret(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/test`,
    summary: 'Tell a webhook an event of type webhook.test',
    answer: { 200: 'WebhookDeliveryRead' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.test(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: `${PATH}/:id/deliveries`,
    summary: 'List what a webhook was told, newest first',
    answer: { page: 'WebhookDelivery' },
    query: deliveriesQuery,
    run: async (beckon, call) =>
      succeedWithPage(
        await beckon.webhooks.deliveries(call.scope, param(call, 'id'), readQuery(call.query, deliveriesQuery)),
      ),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/recover`,
    summary: 'Tell a webhook again what it did not take since a moment',
    takes: 'WebhookRecovery',
    answer: { 200: 'Recovered' },
    run: async (beckon, call) => succeed(await beckon.webhooks.recover(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...read,
    path: `${PATH}/deliveries/:id`,
    summary: 'Read a delivery with its body and its attempts',
    answer: { 200: 'WebhookDeliveryRead' },
    run: async (beckon, call) => succeed(await beckon.webhooks.delivery(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/deliveries/:id/replay`,
    summary: 'Begin a new series of attempts of a delivery that is over',
    answer: { 200: 'WebhookDeliveryRead' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.replay(call.scope, param(call, 'id'))),
  },
];
