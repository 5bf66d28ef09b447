import { describe } from 'vitest';
import type { MailApiStandIn } from '../../../../test/support/transports/mail-api.ts';
import {
  MAIL_PROVIDERS,
  type MailProviderUnderTest,
  mailApiFor,
  optionsFor,
} from '../../../../test/support/transports/mail-providers.ts';
import type { EmailMessage } from '../port.ts';
import { transportContract } from '../testing/contract.ts';

const BROKEN = {
  ses: [
    [{ accessKeyId: 'AK/../x' }, 'accessKeyId'],
    [{ secretAccessKey: '' }, 'secretAccessKey'],
    [{ sessionToken: 'with space' }, 'sessionToken'],
    [{ region: 'eu-central-1.evil.test' }, 'region'],
    [{ configurationSet: 'a b' }, 'configurationSet'],
  ],
  sendgrid: [[{ apiKey: 'with space' }, 'apiKey']],
  postmark: [
    [{ serverToken: '' }, 'serverToken'],
    [{ messageStream: 'A/B' }, 'messageStream'],
  ],
  mailgun: [
    [{ apiKey: 'line\nbreak' }, 'apiKey'],
    [{ domain: '../v4/keys' }, 'domain'],
  ],
  resend: [
    [{ apiKey: '' }, 'apiKey'],
    [{ from: 'a@x.test, b@x.test' }, 'from'],
    [{ name: 'a\nb' }, 'name'],
  ],
} as const;

/**
 * All five share one HTTP client: the first runs the contract with many messages, the others prove that they use the
 * client.
 */
const FEW = 50;

const held = <S>(
  name: keyof typeof BROKEN,
  { rules, settings, make }: MailProviderUnderTest<S>,
  size: { readonly many?: number } = { many: FEW },
): void => {
  const apis = new WeakMap<object, MailApiStandIn>();
  transportContract<EmailMessage, S>(name, {
    ...size,
    settings: settings('first'),
    start: async () => {
      const api = await mailApiFor(rules);
      apis.set(api, api);
      return api;
    },
    make: (standIn, { credential = 'first', limitMs } = {}) => {
      const api = apis.get(standIn);
      if (!api) throw new Error('not a stand-in of this file');
      return make(settings(credential), { ...optionsFor(api), limitMs });
    },
    broken: BROKEN[name].map(([change, field]) => ({ settings: { ...settings('first'), ...change }, field })),
    without: {
      restart: 'where HTTP/1.1 closes an idle connection, nobody knows whether a request on its way was read',
      logs: 'the transport writes no log',
      size: 'mails are held below what providers take before they are sent',
    },
  });
};

describe('providers of mail over HTTP', () => {
  held('ses', MAIL_PROVIDERS.ses, {});
  held('sendgrid', MAIL_PROVIDERS.sendgrid);
  held('postmark', MAIL_PROVIDERS.postmark);
  held('mailgun', MAIL_PROVIDERS.mailgun);
  held('resend', MAIL_PROVIDERS.resend);
});
