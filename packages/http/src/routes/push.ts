import { REGISTRATION_SHAPE, REPORT_SHAPE } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, SEND_PLAN } from '../route.ts';
import { abTestRoutes } from './ab-tests.ts';
import { answerToSend, sendRoutes } from './sends.ts';
import { settingsRoutes } from './settings.ts';
import { templateRoutes } from './templates.ts';

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;

const device = { kind: 'sdk', scope: 'tokens:write', needs: 'project' } as const;
const report = {
  method: 'POST',
  kind: 'sdk',
  scope: 'events.write',
  needs: 'project',
  bodyCap: DEFAULT_BODY_CAP,
  reads: REPORT_SHAPE,
} as const;

/** Push: device registration, events of devices, and sends. */
export const pushRoutes: readonly ProjectRoute[] = [
  {
    ...device,
    method: 'POST',
    path: '/push/tokens',
    summary: 'Register a device',
    description: 'Creates or updates the device of the token. Fields that you omit keep their values.',
    takes: 'DeviceInput',
    answer: { 201: 'PushToken', 200: 'PushToken' },
    // Source: interface, Endpoints: device routes have one shape.
    shape: 'auto',
    bodyCap: DEFAULT_BODY_CAP,
    reads: REGISTRATION_SHAPE,
    run: async (beckon, { scope, body }) => {
      const { token, isNew } = await beckon.tokens.register(scope, body);
      return succeed(token, isNew ? CREATED : undefined);
    },
  },
  {
    ...device,
    method: 'DELETE',
    path: '/push/tokens/:tokenId',
    summary: 'Deactivate a device',
    description: 'Pushes are no longer sent to the device. It stays inactive until the app registers the token again.',
    answer: { 200: 'PushToken' },
    shape: 'both',
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.tokens.delete(call.scope, param(call, 'tokenId'))),
  },
  {
    ...device,
    method: 'GET',
    path: '/push/web-config',
    summary: 'Get the Web Push configuration',
    description: 'Contains the VAPID public key that `pushManager.subscribe` takes.',
    answer: { 200: 'WebConfig' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    shape: 'both',
    bodyCap: null,
    run: async (beckon, { scope }) => succeed(await beckon.tokens.webConfig(scope)),
  },
  {
    ...report,
    path: '/push/track-open',
    summary: 'Report an opened push',
    description: 'Raises `push.opened`. Reports of one push within a minute count once.',
    takes: 'PushOpenInput',
    answer: { 200: 'Reported' },
    shape: 'auto',
    run: async (beckon, { scope, body }) => succeed(await beckon.push.trackOpen(scope, body)),
  },
  {
    ...report,
    path: '/push/track-delivered',
    summary: 'Report a displayed push',
    description: 'Marks the message as `delivered`.',
    takes: 'PushDeliveredInput',
    answer: { 200: 'Reported' },
    shape: 'both',
    run: async (beckon, { scope, body }) => succeed(await beckon.push.trackDelivered(scope, body)),
  },
  {
    method: 'POST',
    path: '/push/send',
    plan: SEND_PLAN,
    summary: 'Send a push',
    description:
      'Sends to users, device tokens or an audience. The response is a send; Beckon creates one message per device.',
    takes: 'PushInput',
    answer: { 201: 'Send', 200: 'DryRun' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    shape: 'both',
    kind: 'secret',
    scope: 'push:send',
    needs: 'project',
    bodyCap: DEFAULT_BODY_CAP,
    isIdempotent: true,
    run: (beckon, call) => onceOnly(call, (options) => beckon.push.send(call.scope, call.body, options), answerToSend),
  },
  {
    method: 'POST',
    path: '/push/send-to-audience',
    plan: SEND_PLAN,
    summary: 'Send a push to an audience',
    description: 'Beckon evaluates membership batch by batch while the send runs.',
    takes: 'PushAudienceInput',
    answer: { 201: 'Send', 200: 'DryRun' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    shape: 'both',
    kind: 'secret',
    scope: 'push:send',
    needs: 'project',
    bodyCap: DEFAULT_BODY_CAP,
    isIdempotent: true,
    run: (beckon, call) =>
      onceOnly(call, (options) => beckon.push.sendToAudience(call.scope, call.body, options), answerToSend),
  },
  ...sendRoutes('push'),
  ...templateRoutes('push'),
  ...abTestRoutes('push'),
  ...settingsRoutes('push'),
];
