// Defines each provider, from its settings to a live transport. A library is imported when the first transport needs
// it.

import type { z } from 'zod';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { checkApns } from '../transports/apns/settings.ts';
import type { SharedProviderToken } from '../transports/apns/token.ts';
import { checkFcm } from '../transports/fcm/settings.ts';
import { checkMailgun } from '../transports/mailgun/settings.ts';
import { guardOf, type NetOptions } from '../transports/outbound/guarded-agent.ts';
import type { Mailbox, MessageOf, SendOutcome, SettingsProblem, Transport } from '../transports/port.ts';
import { checkPostmark } from '../transports/postmark/settings.ts';
import { checkResend } from '../transports/resend/settings.ts';
import { checkSendGrid } from '../transports/sendgrid/settings.ts';
import { checkSes } from '../transports/ses/settings.ts';
import type { DkimOf } from '../transports/smtp/dkim.ts';
import { checkSmtp } from '../transports/smtp/settings.ts';
import { checkTelnyx } from '../transports/telnyx/settings.ts';
import { checkTwilio } from '../transports/twilio/settings.ts';
import { checkWebPush } from '../transports/web-push/settings.ts';
import type { PROVIDERS, ProviderName } from './names.ts';
import type { OutboundOptions } from './outbound.ts';
import { providerSettings, requiredSettings } from './schema.ts';

type ChannelOf<P extends ProviderName> = {
  [C in Channel]: P extends (typeof PROVIDERS)[C][number] ? C : never;
}[Channel];

/** How callbacks of an SMS provider are verified, and the senders that they concern. */
export type Inbound = {
  /** Empty: every callback is rejected. */
  readonly secrets: readonly string[];
  /** Default senders that are set: a number, a name or a messaging service. */
  readonly senders: readonly string[];
};

/** Dependencies of a transport besides its settings. */
export type TransportContext = {
  /** Shared by the workers of this version. */
  readonly sharedToken: SharedProviderToken;
  readonly dkimOf: DkimOf;
};

/** Settings of one provider; only its own definition reads them. */
export type OpenSettings<C extends Channel = Channel> = {
  /** The value to seal; `read` parses it. */
  readonly json: string;
  /** Problems of the settings, found without a request. */
  problems(): readonly SettingsProblem[];
  /** Identifies the credentials: the last characters of an id, never of a secret. */
  readonly lastFour: string;
  /** Mail: the default sender. */
  readonly sender: Mailbox | null;
  /** Web Push: the key that browsers subscribe with. */
  readonly publicKey: string | null;
  /** SMS: verification of callbacks. */
  readonly inbound: Inbound | null;
  /** Imports the library, and does no other I/O. */
  make(context: TransportContext): Promise<OpenTransport<MessageOf[C]>>;
};

/** A transport bound to its settings. */
export type OpenTransport<M> = Omit<Transport<M, unknown>, 'check' | 'probe'> & { probe?(): Promise<SendOutcome> };

/** One provider. */
export type ProviderDefinition<C extends Channel = Channel> = {
  readonly channel: C;
  /** Throws ZodError for invalid settings of this provider. */
  read(settings: unknown): OpenSettings<C>;
  /**
   * Milliseconds after which the caller abandons a transport that misses its own limit; a little longer than that
   * limit.
   */
  readonly limitMs: number;
  readonly required: readonly string[];
};

export type ProviderDefinitions = { readonly [P in ProviderName]: ProviderDefinition<ChannelOf<P>> };

type Definition<C extends Channel, S> = Pick<ProviderDefinition<C>, 'channel' | 'limitMs' | 'required'> & {
  readonly schema: z.ZodType<S>;
  readonly check: (settings: S) => readonly SettingsProblem[];
  readonly make: (settings: S, context: TransportContext) => Promise<Transport<MessageOf[C], S>>;
  readonly lastFour: (settings: S) => string;
  readonly sender?: (settings: S) => Mailbox;
  readonly publicKey?: (settings: S) => string;
  readonly inbound?: (settings: S) => Inbound;
};

/** Creates a provider whose functions see only settings that its own schema parsed. */
const defineProvider = <C extends Channel, S>(definition: Definition<C, S>): ProviderDefinition<C> => ({
  channel: definition.channel,
  limitMs: definition.limitMs,
  required: definition.required,
  read: (value) => {
    const settings = definition.schema.parse(value);
    return {
      json: JSON.stringify(settings),
      problems: () => definition.check(settings),
      lastFour: definition.lastFour(settings),
      sender: definition.sender?.(settings) ?? null,
      publicKey: definition.publicKey?.(settings) ?? null,
      inbound: definition.inbound?.(settings) ?? null,
      make: async (context) => {
        const { probe, check: _, ...transport } = await definition.make(settings, context);
        return { ...transport, ...(probe ? { probe: () => probe(settings) } : {}) };
      },
    };
  },
});

/** One second more than the limit of a call. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 11_000;
const SMTP_LIMIT_MS = 26_000;

/** Hosts of browsers' push services. Source: transports, Web Push. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  '*.push.apple.com',
  '*.notify.windows.com',
  'updates.push.services.mozilla.com',
];

const end = (id: string): string => id.slice(-4);
const present = (...values: readonly (string | undefined)[]): string[] => values.filter((value) => value !== undefined);
const senderOf = ({ from, name }: { readonly from: string; readonly name?: string | undefined }): Mailbox => ({
  email: from,
  name: name ?? null,
});

/** Shared part of the definitions of mail APIs. */
const mailDefinition = (provider: ProviderName) =>
  ({ channel: 'email', sender: senderOf, limitMs: LIMIT_MS, required: requiredSettings(provider) }) as const;

/**
 * The providers of this program.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const providerDefinitions = ({
  clock,
  random,
  log,
  hasSeveralOrgs,
  outbound = {},
}: {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /**
   * Decides the allowed hosts of subscriptions if the operator set none: with several orgs, tenants may not choose
   * hosts.
   */
  readonly hasSeveralOrgs: () => Promise<boolean>;
  readonly outbound?: OutboundOptions | undefined;
}): ProviderDefinitions => {
  const { allowCidrs, ca, apns, fcm = {}, webPush = {}, smtp = {}, twilio = {}, telnyx = {}, ...mail } = outbound;
  const net: NetOptions = { allowCidrs, ca };
  const guard = guardOf(net);
  return {
    apns: defineProvider({
      channel: 'push',
      schema: providerSettings.apns,
      check: checkApns,
      make: async (settings, { sharedToken }) => {
        const { apnsTransport } = await import('../transports/apns/apns.ts');
        return apnsTransport(settings, { clock, random, log, ca, sharedToken, endpoints: apns });
      },
      lastFour: ({ keyId }) => end(keyId),
      limitMs: LIMIT_MS,
      required: requiredSettings('apns'),
    }),
    fcm: defineProvider({
      channel: 'push',
      schema: providerSettings.fcm,
      check: (settings) => checkFcm(settings, fcm.tokenUris),
      make: async (settings) => {
        const { fcmTransport } = await import('../transports/fcm/fcm.ts');
        return fcmTransport(settings, { clock, random, log, ca, net, ...fcm });
      },
      lastFour: ({ serviceAccount: { project_id: id } }) => end(id),
      limitMs: LIMIT_MS,
      required: requiredSettings('fcm'),
    }),
    webpush: defineProvider({
      channel: 'push',
      schema: providerSettings.webpush,
      check: checkWebPush,
      make: async (settings) => {
        const { webPushTransport } = await import('../transports/web-push/web-push.ts');
        const allowedHosts = webPush.allowedHosts ?? ((await hasSeveralOrgs()) ? PUSH_SERVICES : undefined);
        return webPushTransport(settings, { clock, ...net, ...webPush, allowedHosts });
      },
      lastFour: ({ publicKey }) => end(publicKey),
      publicKey: ({ publicKey }) => publicKey,
      limitMs: LIMIT_MS,
      required: requiredSettings('webpush'),
    }),
    smtp: defineProvider({
      channel: 'email',
      schema: providerSettings.smtp,
      check: (settings) => checkSmtp(settings, { ...smtp, allowCidrs }, guard),
      make: async (settings, { dkimOf }) => {
        const { smtpTransport } = await import('../transports/smtp/smtp.ts');
        return smtpTransport(settings, { clock, dkimOf, ...net, ...smtp });
      },
      lastFour: ({ user, from }) => end(user ?? from),
      sender: senderOf,
      limitMs: SMTP_LIMIT_MS,
      required: requiredSettings('smtp'),
    }),
    ses: defineProvider({
      ...mailDefinition('ses'),
      schema: providerSettings.ses,
      check: checkSes,
      make: async (settings) => {
        const { sesTransport } = await import('../transports/ses/ses.ts');
        return sesTransport(settings, { clock, ...net, ...mail.ses });
      },
      lastFour: ({ accessKeyId }) => end(accessKeyId),
    }),
    sendgrid: defineProvider({
      ...mailDefinition('sendgrid'),
      schema: providerSettings.sendgrid,
      check: checkSendGrid,
      make: async (settings) => {
        const { sendGridTransport } = await import('../transports/sendgrid/sendgrid.ts');
        return sendGridTransport(settings, { clock, ...net, ...mail.sendgrid });
      },
      // A SendGrid key begins with the id that its dashboard shows; the part after the second dot is the secret.
      lastFour: ({ apiKey }) => end(/^SG\.([^.]+)\./.exec(apiKey)?.[1] ?? ''),
    }),
    postmark: defineProvider({
      ...mailDefinition('postmark'),
      schema: providerSettings.postmark,
      check: checkPostmark,
      make: async (settings) => {
        const { postmarkTransport } = await import('../transports/postmark/postmark.ts');
        return postmarkTransport(settings, { clock, ...net, ...mail.postmark });
      },
      lastFour: ({ from }) => end(from),
    }),
    mailgun: defineProvider({
      ...mailDefinition('mailgun'),
      schema: providerSettings.mailgun,
      check: checkMailgun,
      make: async (settings) => {
        const { mailgunTransport } = await import('../transports/mailgun/mailgun.ts');
        return mailgunTransport(settings, { clock, ...net, ...mail.mailgun });
      },
      lastFour: ({ domain }) => end(domain),
    }),
    resend: defineProvider({
      ...mailDefinition('resend'),
      schema: providerSettings.resend,
      check: checkResend,
      make: async (settings) => {
        const { resendTransport } = await import('../transports/resend/resend.ts');
        return resendTransport(settings, { clock, ...net, ...mail.resend });
      },
      lastFour: ({ from }) => end(from),
    }),
    twilio: defineProvider({
      channel: 'sms',
      schema: providerSettings.twilio,
      check: checkTwilio,
      make: async (settings) => {
        const { twilioTransport } = await import('../transports/twilio/twilio.ts');
        return twilioTransport(settings, { clock, ca, ...twilio });
      },
      lastFour: ({ accountSid }) => end(accountSid),
      // The auth token signs callbacks, even if an API key sends.
      inbound: ({ authToken, from, messagingServiceId }) => ({
        secrets: present(authToken),
        senders: present(from, messagingServiceId),
      }),
      limitMs: LIMIT_MS,
      // Twilio accepts two kinds of credentials; every account has this one.
      required: [...requiredSettings('twilio'), 'authToken'],
    }),
    telnyx: defineProvider({
      channel: 'sms',
      schema: providerSettings.telnyx,
      check: checkTelnyx,
      make: async (settings) => {
        const { telnyxTransport } = await import('../transports/telnyx/telnyx.ts');
        return telnyxTransport(settings, { clock, ca, ...telnyx });
      },
      // No part of an API key is shown; a profile or a number is not secret.
      lastFour: ({ messagingProfileId, from }) => end(messagingProfileId ?? from ?? ''),
      inbound: ({ publicKey, from, messagingProfileId }) => ({
        secrets: present(publicKey),
        senders: present(from, messagingProfileId),
      }),
      limitMs: LIMIT_MS,
      required: requiredSettings('telnyx'),
    }),
  };
};
