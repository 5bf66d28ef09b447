import { onceOnly } from '../pipeline/idempotency.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, SEND_PLAN } from '../route.ts';
import { abTestRoutes } from './ab-tests.ts';
import { answerToSend, sendRoutes } from './sends.ts';
import { settingsRoutes } from './settings.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';

const send = {
  method: 'POST',
  answer: { 201: 'SmsSend', 200: 'SmsDryRun' },
  errors: ['PROVIDER_NOT_CONFIGURED'],
  shape: 'both',
  kind: 'secret',
  scope: 'sms:send',
  needs: 'project',
  bodyCap: DEFAULT_BODY_CAP,
  isIdempotent: true,
} as const;

/** SMS. */
export const smsRoutes: readonly ProjectRoute[] = [
  {
    ...send,
    path: '/sms/send',
    plan: SEND_PLAN,
    summary: 'Send an SMS',
    description:
      'Sends to numbers, users or an audience. The response is a send; Beckon creates one message per number.',
    takes: 'SmsInput',
    run: (beckon, call) => onceOnly(call, (options) => beckon.sms.send(call.scope, call.body, options), answerToSend),
  },
  {
    ...send,
    path: '/sms/send-to-audience',
    plan: SEND_PLAN,
    summary: 'Send an SMS to an audience',
    description: 'Beckon evaluates membership batch by batch while the send runs.',
    takes: 'SmsAudienceInput',
    run: (beckon, call) =>
      onceOnly(call, (options) => beckon.sms.sendToAudience(call.scope, call.body, options), answerToSend),
  },
  ...sendRoutes('sms'),
  ...templateRoutes('sms'),
  ...abTestRoutes('sms'),
  ...settingsRoutes('sms'),
  ...suppressionRoutes('sms'),
];
