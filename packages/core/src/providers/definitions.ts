// What each provider brings, from its settings to a live transport. Libraries are loaded by the first transport that
// needs them.

import type { Channel, Log } from '../api.ts';
import type { Clock } from '../primitives/clock.ts';
import { checkApns } from '../transports/apns/settings.ts';
import type { SharedProviderToken } from '../transports/apns/token.ts';
import { checkFcm } from '../transports/fcm/settings.ts';
import { guardOf, type NetOptions } from '../transports/outbound/guarded-agent.ts';
import type { Mailbox, MessageOf, SettingsProblem, Transport } from '../transports/port.ts';
import { checkSmtp } from '../transports/smtp/settings.ts';
import { checkTwilio } from '../transports/twilio/settings.ts';
import { checkWebPush } from '../transports/web-push/settings.ts';
import type { PROVIDERS, ProviderName } from './names.ts';
import type { OutboundOptions } from './outbound.ts';
import { requiredSettings, type SettingsOf } from './schema.ts';

type ChannelOf<P extends ProviderName> = {
  [C in Channel]: P extends (typeof PROVIDERS)[C][number] ? C : never;
}[Channel];

/** One provider. */
export type ProviderDefinition<P extends ProviderName> = {
  /** What is wrong with settings of the right shape; asks nobody. */
  check(settings: SettingsOf[P]): readonly SettingsProblem[];
  /** Imports what it needs, and does no other I/O. `sharedToken`: what the workers of this version share. */
  make(
    settings: SettingsOf[P],
    sharedToken: SharedProviderToken,
  ): Promise<Transport<MessageOf[ChannelOf<P>], SettingsOf[P]>>;
  /** Names the credentials without giving anything away: the end of an id, never of a secret. */
  lastFour(settings: SettingsOf[P]): string;
  /** Of mail: the sender where a mail names none. */
  sender(settings: SettingsOf[P]): Mailbox | null;
  /** When a transport is given up that does not keep its own limit, in milliseconds: a little later. */
  readonly limitMs: number;
  readonly required: readonly string[];
};

export type ProviderDefinitions = { readonly [P in ProviderName]: ProviderDefinition<P> };

/** Source: transports, Rules for every transport (3), and a second on top. */
const LIMIT_MS = 11_000;
const SMTP_LIMIT_MS = 26_000;

/** Where browsers' subscriptions lead. Source: transports, Web Push. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  '*.push.apple.com',
  '*.notify.windows.com',
  'updates.push.services.mozilla.com',
];

const nobody = (): null => null;
const end = (id: string): string => id.slice(-4);

/** The providers of this program. @throws TypeError when an allowed network is none */
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
  /** Asked where the operator has not said which hosts subscriptions may name: tenants are not trusted with any. */
  readonly hasSeveralOrgs: () => Promise<boolean>;
  readonly outbound?: OutboundOptions | undefined;
}): ProviderDefinitions => {
  const { allowCidrs, ca, apns, fcm = {}, webPush = {}, smtp = {}, twilio = {} } = outbound;
  const net: NetOptions = { allowCidrs, ca };
  const guard = guardOf(net);
  return {
    apns: {
      check: checkApns,
      make: async (settings, sharedToken) => {
        const { apnsTransport } = await import('../transports/apns/apns.ts');
        return apnsTransport(settings, { clock, random, log, ca, sharedToken, endpoints: apns });
      },
      lastFour: ({ keyId }) => end(keyId),
      sender: nobody,
      limitMs: LIMIT_MS,
      required: requiredSettings('apns'),
    },
    fcm: {
      check: (settings) => checkFcm(settings, fcm.tokenUris),
      make: async (settings) => {
        const { fcmTransport } = await import('../transports/fcm/fcm.ts');
        return fcmTransport(settings, { clock, random, log, ca, net, ...fcm });
      },
      lastFour: ({ serviceAccount: { project_id: id } }) => end(id),
      sender: nobody,
      limitMs: LIMIT_MS,
      required: requiredSettings('fcm'),
    },
    webpush: {
      check: checkWebPush,
      make: async (settings) => {
        const { webPushTransport } = await import('../transports/web-push/web-push.ts');
        const allowedHosts = webPush.allowedHosts ?? ((await hasSeveralOrgs()) ? PUSH_SERVICES : undefined);
        return webPushTransport(settings, { clock, ...net, ...webPush, allowedHosts });
      },
      lastFour: ({ publicKey }) => end(publicKey),
      sender: nobody,
      limitMs: LIMIT_MS,
      required: requiredSettings('webpush'),
    },
    smtp: {
      check: (settings) => checkSmtp(settings, smtp, guard),
      make: async (settings) => {
        const { smtpTransport } = await import('../transports/smtp/smtp.ts');
        return smtpTransport(settings, { clock, ...net, ...smtp });
      },
      lastFour: ({ user, from }) => end(user ?? from),
      sender: ({ from, name }) => ({ email: from, name: name ?? null }),
      limitMs: SMTP_LIMIT_MS,
      required: requiredSettings('smtp'),
    },
    twilio: {
      check: checkTwilio,
      make: async (settings) => {
        const { twilioTransport } = await import('../transports/twilio/twilio.ts');
        return twilioTransport(settings, { clock, ca, ...twilio });
      },
      lastFour: ({ accountSid }) => end(accountSid),
      sender: nobody,
      limitMs: LIMIT_MS,
      // Either of two ways to prove who one is; this is the one that every account has.
      required: [...requiredSettings('twilio'), 'authToken'],
    },
  };
};
