import { onceOnly } from '../pipeline/idempotency.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, SEND_PLAN } from '../route.ts';
import { abTestRoutes } from './ab-tests.ts';
import { answerToSend, sendRoutes } from './sends.ts';
import { settingsRoutes } from './settings.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';

const send = {
  method: 'POST',
  answer: { 201: 'Send', 200: 'DryRun' },
  errors: ['PROVIDER_NOT_CONFIGURED', 'RATE_LIMITED'],
  shape: 'both',
  kind: 'secret',
  scope: 'email:send',
  needs: 'project',
  bodyCap: DEFAULT_BODY_CAP,
  isIdempotent: true,
} as const;

/** Email. */
export const emailRoutes: readonly ProjectRoute[] = [
  {
    ...send,
    path: '/email/send',
    plan: SEND_PLAN,
    summary: 'Send an email',
    description:
      'Sends to addresses, users or an audience. The response is a send; Beckon creates one message per address.',
    takes: 'EmailInput',
    run: (beckon, call) =>
      beckon.limits.mailRequest(call.scope, () =>
        onceOnly(call, (options) => beckon.email.send(call.scope, call.body, options), answerToSend),
      ),
  },
  {
    ...send,
    path: '/email/send-to-audience',
    plan: SEND_PLAN,
    summary: 'Send an email to an audience',
    description: 'Beckon evaluates membership batch by batch while the send runs.',
    takes: 'EmailAudienceInput',
    run: (beckon, call) =>
      beckon.limits.mailRequest(call.scope, () =>
        onceOnly(call, (options) => beckon.email.sendToAudience(call.scope, call.body, options), answerToSend),
      ),
  },
  ...sendRoutes('email'),
  ...templateRoutes('email'),
  ...abTestRoutes('email'),
  ...settingsRoutes('email'),
  ...suppressionRoutes('email'),
];
