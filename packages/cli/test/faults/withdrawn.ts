import type { Beckon, Scope, SettingsInput } from '@beckon/core';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { mail, pushToAndroid, pushToIos, text } from './sends.ts';
import type { Stage } from './stage.ts';

/** Channels of the stage's providers. */
export const PROVIDERS = { apns: 'push', fcm: 'push', smtp: 'email', twilio: 'sms' } as const;
export type Provider = keyof typeof PROVIDERS;
// Proof of the cast: these are the keys of the object above.
export const NAMES = Object.keys(PROVIDERS) as readonly Provider[];

/** A number for each provider. */
export type Counts = Readonly<Record<Provider, number>>;
export const countsBy = (count: (name: Provider) => number): Counts => ({
  apns: count('apns'),
  fcm: count('fcm'),
  smtp: count('smtp'),
  twilio: count('twilio'),
});

/** The parts of stored credentials by which stand-ins reject them. */
export type Credentials = {
  readonly apns: { readonly keyId: string };
  readonly fcm: Parameters<Stage['gateways']['fcm']['withdraw']>[0];
  readonly user: string;
  readonly accountSid: string;
};

/** Stores new credentials of every provider that the stand-ins accept. */
export const connect = async ({ beckon, gateways }: Stage, scope: Scope): Promise<Credentials> => {
  const bodies = gateways.bodies();
  // Proof of the cast: the stand-ins created these settings.
  const { push, email, sms } = bodies as {
    readonly push: SettingsInput<'push'> & { readonly apns: Credentials['apns']; readonly fcm: Credentials['fcm'] };
    readonly email: SettingsInput<'email'> & { readonly smtp: { readonly user: string } };
    readonly sms: SettingsInput<'sms'> & { readonly twilio: { readonly accountSid: string } };
  };
  await beckon.settings.update(scope, 'push', push);
  await beckon.settings.update(scope, 'email', email);
  await beckon.settings.update(scope, 'sms', sms);
  return { ...push, user: email.smtp.user, accountSid: sms.twilio.accountSid };
};

/** Makes the stand-ins reject these credentials. */
export const withdraw = ({ gateways }: Stage, { apns, fcm, user, accountSid }: Credentials): void => {
  gateways.apns.play(({ keyId }) => (keyId === apns.keyId ? { reason: 'InvalidProviderToken' } : null));
  gateways.fcm.withdraw(fcm);
  delete gateways.users[user];
  delete gateways.accounts[accountSid];
};

/** Requests to each provider, accepted or not; for email, logins. */
export const reached = ({ gateways: { apns, fcm, relay, twilio } }: Stage): Counts => ({
  apns: [...apns.read.values()].reduce((sum, times) => sum + times, 0),
  fcm: fcm.requests() + fcm.tokens.exchanges(),
  smtp: relay.counts().logins,
  twilio: twilio.requests(),
});

/** Accepted messages per provider, by id, or by number for SMS. */
export const accepted = ({ gateways: { apns, fcm, relay, twilio } }: Stage): Map<string, number> => {
  const counts = new Map<string, number>();
  const ids = [
    ...apns.arrived().map(({ headers }) => headers['apns-id']),
    ...fcm.arrived().map(({ message }) => message.data['serviceMessageId']),
    ...relay.received.map(({ headers }) => /^<([^@]+)@/.exec(headers.get('message-id') ?? '')?.[1]),
    ...twilio.arrived().map(({ form }) => form.find(([name]) => name === 'To')?.[1]),
  ];
  for (const id of ids) counts.set(`${id}`, (counts.get(`${id}`) ?? 0) + 1);
  return counts;
};

/** Number of accepted messages per provider. */
export const acceptedBy = ({ gateways: { apns, fcm, relay, twilio } }: Stage): Counts => ({
  apns: apns.arrived().length,
  fcm: fcm.arrived().length,
  smtp: relay.received.length,
  twilio: twilio.arrived().length,
});

/** Queues messages for every provider; returns their number. `name` and `first` (first number) must be unique. */
export const queue = async (stage: Stage, name: string, first: number, counts: Counts): Promise<number> => {
  await pushToIos(stage, name, counts.apns);
  await pushToAndroid(stage, name, counts.fcm);
  await mail(stage, name, counts.smtp);
  await text(stage, first, counts.twilio);
  return NAMES.reduce((sum, provider) => sum + counts[provider], 0);
};

/** Registers devices of one user; returns their number. */
export const registerDevices = async (beckon: Beckon, scope: Scope, userId: string, count: number): Promise<number> => {
  const tokens = Array.from({ length: count }, (_, at) =>
    at % 2 === 0
      ? { platform: 'ios' as const, token: apnsToken('ok', `device ${at}`) }
      : { platform: 'android' as const, token: `device:${at}` },
  );
  await Promise.all(tokens.map((token) => beckon.tokens.register(scope, { ...token, userId })));
  return count;
};
