import { onceOnly } from '../pipeline/idempotency.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute } from '../route.ts';
import { abTestRoutes } from './ab-tests.ts';
import { answerToSend, sendRoutes } from './sends.ts';
import { settingsRoutes } from './settings.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';

/** Text messages. */
export const smsRoutes: readonly ProjectRoute[] = [
  {
    method: 'POST',
    path: '/sms/send',
    summary: 'Send a text message',
    takes: 'SmsInput',
    answer: { 201: 'SmsSend', 200: 'SmsDryRun' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    shape: 'both',
    kind: 'secret',
    scope: 'sms:send',
    needs: 'project',
    bodyCap: DEFAULT_BODY_CAP,
    isIdempotent: true,
    run: (beckon, call) => onceOnly(call, (options) => beckon.sms.send(call.scope, call.body, options), answerToSend),
  },
  {
    method: 'POST',
    path: '/sms/send-to-audience',
    summary: 'Send a text message to the members of an audience',
    takes: 'SmsAudienceInput',
    answer: { 201: 'SmsSend', 200: 'SmsDryRun' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    shape: 'both',
    kind: 'secret',
    scope: 'sms:send',
    needs: 'project',
    bodyCap: DEFAULT_BODY_CAP,
    isIdempotent: true,
    run: (beckon, call) =>
      onceOnly(call, (options) => beckon.sms.sendToAudience(call.scope, call.body, options), answerToSend),
  },
  ...sendRoutes('sms'),
  ...templateRoutes('sms'),
  ...abTestRoutes('sms'),
  ...settingsRoutes('sms'),
  ...suppressionRoutes('sms'),
];
