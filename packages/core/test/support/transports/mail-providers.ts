// Providers with an HTTP email API, for tests: a stand-in's rules, settings, and how to create a transport.

import { onTestFinished } from 'vitest';
import type { MailHttpOptions } from '../../../src/delivery/transports/mail-http/transport.ts';
import { mailgunTransport } from '../../../src/delivery/transports/mailgun/mailgun.ts';
import type { EmailMessage, EmailTransport, SendOutcome } from '../../../src/delivery/transports/port.ts';
import { postmarkTransport } from '../../../src/delivery/transports/postmark/postmark.ts';
import type { PostmarkSettings } from '../../../src/delivery/transports/postmark/settings.ts';
import { resendTransport } from '../../../src/delivery/transports/resend/resend.ts';
import { sendGridTransport } from '../../../src/delivery/transports/sendgrid/sendgrid.ts';
import type { SendGridSettings } from '../../../src/delivery/transports/sendgrid/settings.ts';
import { sesTransport } from '../../../src/delivery/transports/ses/ses.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { type MailApiOptions, type MailApiRules, type MailApiStandIn, startMailApi } from './mail-api.ts';
import { mailgunRules } from './mailgun-api.ts';
import { postmarkRules } from './postmark-api.ts';
import { resendRules } from './resend-api.ts';
import { sendGridRules } from './sendgrid-api.ts';
import { sesRules } from './ses-api.ts';

const clock = virtualClock('2026-03-01T12:00:00Z');
const FIRST = 'first-secret-key';
const SECOND = 'second-secret-key';
const NAMES = { [FIRST]: 'first', [SECOND]: 'second' };
export const API_SECRETS = [FIRST, SECOND, 'wrong-secret-key'] as const;

/** Which settings; `wrong` is well formed, but the stand-in rejects it. */
export type Which = 'first' | 'second' | 'wrong';
const SECRET: Readonly<Record<Which, string>> = { first: FIRST, second: SECOND, wrong: 'wrong-secret-key' };

export type MailProviderUnderTest<S> = {
  readonly rules: MailApiRules;
  settings(which: Which): S;
  make(settings: S, options: MailHttpOptions): EmailTransport<S>;
};

const provider = <S>(one: MailProviderUnderTest<S>): MailProviderUnderTest<S> => one;

export const MAIL_PROVIDERS = {
  ses: provider({
    rules: sesRules({ AKIAFIRST000000000: FIRST, AKIASECOND00000000: SECOND }),
    settings: (which) => ({
      accessKeyId: which === 'second' ? 'AKIASECOND00000000' : 'AKIAFIRST000000000',
      secretAccessKey: SECRET[which],
      region: 'eu-central-1',
      configurationSet: 'events',
    }),
    make: sesTransport,
  }),
  sendgrid: provider<SendGridSettings>({
    rules: sendGridRules(NAMES),
    settings: (which) => ({ apiKey: SECRET[which], region: 'global' }),
    make: sendGridTransport,
  }),
  postmark: provider<PostmarkSettings>({
    rules: postmarkRules(NAMES),
    settings: (which) => ({ serverToken: SECRET[which] }),
    make: postmarkTransport,
  }),
  mailgun: provider({
    rules: mailgunRules(NAMES),
    settings: (which) => ({ apiKey: SECRET[which], domain: 'mg.shop.test', region: 'us' }),
    make: mailgunTransport,
  }),
  resend: provider({
    rules: resendRules(NAMES),
    settings: (which) => ({ apiKey: SECRET[which] }),
    make: resendTransport,
  }),
} as const;

/** The operator's options: a fixed clock, the stand-in's authority and origin, and loopback. */
export const optionsFor = ({ endpoint, ca }: MailApiStandIn): MailHttpOptions => ({
  clock,
  endpoint,
  ca,
  allowCidrs: ['127.0.0.0/8'],
});

/** A stand-in with the provider's API. */
export const mailApiFor = (rules: MailApiRules, options: Partial<MailApiOptions> = {}): Promise<MailApiStandIn> =>
  startMailApi(rules, { now: clock.now, secrets: API_SECRETS, ...options });

/** A provider's stand-in and a transport to it, which end with the test. */
export const mailProviderForTest = async <S>(
  { rules, settings, make }: MailProviderUnderTest<S>,
  changes: Partial<S> = {},
) => {
  const api = await mailApiFor(rules);
  const chosen = { ...settings('first'), ...changes };
  const transport = make(chosen, optionsFor(api));
  onTestFinished(async () => {
    await transport.close();
    await api.stop();
  });
  const send = (message: EmailMessage): Promise<SendOutcome> =>
    transport.send(message, { signal: new AbortController().signal, attempt: 1 });
  return { api, send, probe: (which: Which = 'first') => transport.probe?.(settings(which)) };
};
