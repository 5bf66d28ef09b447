import { DEFINITION_CAPS, DELIVERY_STATUSES } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { count, filter, listQuery, oneOf, pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const read = reading('webhooks:read');
const write = { ...read, scope: 'webhooks:write', bodyCap: DEFAULT_BODY_CAP } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const PATH = '/webhooks';

const webhooksQuery = pageQuery.extend({ count });
const deliveriesQuery = listQuery.extend({
  status: oneOf(DELIVERY_STATUSES).describe('Status of the deliveries. Default: any.'),
  eventType: filter.describe('Name of the event. Default: any.'),
});

/** Webhooks and their deliveries. */
export const webhookRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: PATH,
    summary: 'List webhooks',
    description: 'Oldest first. Secrets are not returned.',
    answer: { page: 'Webhook' },
    query: webhooksQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.webhooks.list(scope, readQuery(query, webhooksQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: PATH,
    summary: 'Create a webhook',
    description: capsText('The response contains the secret. It is shown once.', DEFINITION_CAPS.webhooks),
    takes: 'WebhookInput',
    answer: { 201: 'WebhookWithSecret' },
    run: async (beckon, { scope, body }) => succeed(await beckon.webhooks.create(scope, body), CREATED),
  },
  {
    ...read,
    path: `${PATH}/:id`,
    summary: 'Get a webhook',
    description: 'Contains the events and the state of delivery. The secret is not returned.',
    answer: { 200: 'Webhook' },
    run: async (beckon, call) => succeed(await beckon.webhooks.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Update a webhook',
    description: 'Fields that you omit keep their values.',
    takes: 'WebhookPatch',
    answer: { 200: 'Webhook' },
    run: async (beckon, call) => succeed(await beckon.webhooks.update(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Delete a webhook',
    description: 'Pending deliveries are cancelled.',
    answer: { 200: 'Webhook' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.delete(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/rotate-secret`,
    summary: 'Rotate the secret of a webhook',
    description: 'Returns the new secret once. The previous secret also signs for `graceSeconds`.',
    takes: 'SecretRotation',
    answer: { 200: 'WebhookWithSecret' },
    run: async (beckon, call) => succeed(await beckon.webhooks.rotateSecret(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/:id/test`,
    summary: 'Send a test event',
    description: 'Delivers an event of type `webhook.test` to the webhook.',
    answer: { 200: 'WebhookDeliveryRead' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.test(call.scope, param(call, 'id'))),
  },
  {
    ...read,
    path: `${PATH}/:id/deliveries`,
    summary: 'List the deliveries of a webhook',
    description: 'Newest first.',
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
    summary: 'Redeliver failed events',
    description: 'Starts new attempts for every failed delivery of the time range.',
    takes: 'WebhookRecovery',
    answer: { 200: 'Recovered' },
    run: async (beckon, call) => succeed(await beckon.webhooks.recover(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...read,
    path: `${PATH}/deliveries/:id`,
    summary: 'Get a delivery',
    description: 'Contains the body and every attempt.',
    answer: { 200: 'WebhookDeliveryRead' },
    run: async (beckon, call) => succeed(await beckon.webhooks.delivery(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'POST',
    path: `${PATH}/deliveries/:id/replay`,
    summary: 'Replay a delivery',
    description: 'Starts a new series of attempts for a delivery that has ended.',
    answer: { 200: 'WebhookDeliveryRead' },
    errors: ['CONFLICT'],
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.webhooks.replay(call.scope, param(call, 'id'))),
  },
];
