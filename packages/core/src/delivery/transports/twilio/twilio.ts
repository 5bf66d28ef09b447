// Text messages through Twilio's SDK, an optional peer dependency that the first send imports. Every option that the
// SDK would read from TWILIO_* variables is set: a project without credentials must not send on the operator's account.

import type { Clock } from '../../../foundation/clock.ts';
import { withDeadline } from '../deadline.ts';
import { boundedCalls } from '../deadline-calls.ts';
import type { SendOutcome, SmsMessage, SmsTransport } from '../port.ts';
import { type SdkAnswer, type SdkRequest, type TwilioCall, twilioHttp } from './http.ts';
import { twilioOutcome } from './outcome.ts';
import { checkTwilio, type TwilioCredential, type TwilioSettings, twilioCredential } from './settings.ts';

export type { TwilioSettings } from './settings.ts';

/** Concurrent calls. Source: transports, Ports and outcomes. */
const MAX_IN_FLIGHT = 50;
/** Wall-clock limit of a call. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** UTF-16 units of a text. Source: Twilio, Message resource, Body. */
const MAX_BODY = 1_600;

type CreatedMessage = { readonly sid: unknown; readonly numSegments: unknown };
type SdkClient = {
  readonly messages: {
    create(message: Readonly<Record<string, unknown>>): Promise<CreatedMessage>;
    page(query: { readonly pageSize: number }): Promise<unknown>;
  };
};
type SdkOptions = {
  readonly accountSid: string;
  readonly httpClient: { request(request: SdkRequest): Promise<SdkAnswer> };
  readonly edge: string;
  readonly region: string;
  readonly logLevel: string;
};

/** The used part of the package `twilio`. */
export type TwilioSdk = (user: string, secret: string, options: SdkOptions) => SdkClient;

export type TwilioOptions = {
  /** Set by the operator: replaces https://api.twilio.com. */
  readonly endpoint?: string | undefined;
  /** Set by the operator: the certificate authority to trust. PEM. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  readonly limitMs?: number | undefined;
  /** Imports the SDK; default: the package `twilio`. */
  readonly load?: (() => Promise<TwilioSdk>) | undefined;
};

const loadTwilio = async (): Promise<TwilioSdk> => {
  const { default: twilio } = await import('twilio');
  // Proof of the cast: the package exports this function; its types require a class, but it only calls `request`. The
  // transport contract runs over it.
  return twilio as unknown as TwilioSdk;
};

const misconfigured: SendOutcome = {
  result: 'credential',
  code: 'settings_invalid',
  message: 'The Twilio settings are incomplete or malformed.',
};
const unloaded: SendOutcome = {
  result: 'credential',
  code: 'package_missing',
  message: 'The package twilio cannot be loaded. Install it beside @beckon/core: npm install twilio@6',
};
const tooLong: SendOutcome = {
  result: 'failed',
  code: 'too_long',
  message: `Twilio takes texts of at most ${MAX_BODY} characters.`,
};
const senderless: SendOutcome = {
  result: 'failed',
  code: 'sender_missing',
  message: 'Neither the message nor the settings name a sender or a messaging service.',
};

const senderOf = (message: SmsMessage, settings: TwilioSettings) => {
  const own = { from: message.from, messagingServiceSid: message.messagingServiceId };
  const defaults = { from: settings.from, messagingServiceSid: settings.messagingServiceId };
  const { from, messagingServiceSid } = own.from || own.messagingServiceSid ? own : defaults;
  if (messagingServiceSid) return { messagingServiceSid };
  return from ? { from } : null;
};

const acceptedAs = ({ sid, numSegments }: CreatedMessage): SendOutcome => {
  const segments = Number(numSegments);
  return {
    result: 'accepted',
    providerId: typeof sid === 'string' && /^[\w-]{1,64}$/.test(sid) ? sid : null,
    // A messaging service that has not chosen a sender yet answers 0.
    ...(Number.isInteger(segments) && segments > 0 ? { segments } : {}),
  };
};

/** The transport of one Twilio account. Construction does no I/O and throws nothing. */
export const twilioTransport = (settings: TwilioSettings, options: TwilioOptions): SmsTransport<TwilioSettings> => {
  const { endpoint, ca, clock, limitMs = LIMIT_MS, load = loadTwilio } = options;
  const calls = boundedCalls({ maxInFlight: MAX_IN_FLIGHT, limitMs });
  const http = twilioHttp({ endpoint, ca, connections: MAX_IN_FLIGHT });
  const credential = twilioCredential(settings);
  let sdk: Promise<TwilioSdk> | undefined;
  let own: SdkClient | undefined;

  const loaded = (): Promise<TwilioSdk> => {
    sdk ??= load().catch((error: unknown) => {
      sdk = undefined;
      throw error;
    });
    return sdk;
  };

  const clientOf = (twilio: TwilioSdk, { accountSid, user, secret }: TwilioCredential): SdkClient =>
    twilio(user, secret, { accountSid, httpClient: http.httpClient, edge: '', region: '', logLevel: 'none' });

  const ask = async (
    signal: AbortSignal,
    request: (twilio: TwilioSdk) => Promise<SendOutcome>,
  ): Promise<SendOutcome> => {
    const call: TwilioCall = { signal, isSent: false, status: null, retryAfter: undefined };
    let twilio: TwilioSdk;
    try {
      twilio = await withDeadline(signal, loaded);
    } catch (error) {
      return signal.aborted ? twilioOutcome(call, error, clock.now()) : unloaded;
    }
    try {
      return await http.within(call, () => request(twilio));
    } catch (error) {
      return twilioOutcome(call, error, clock.now());
    }
  };

  const deliver = async (message: SmsMessage, signal: AbortSignal): Promise<SendOutcome> => {
    if (!credential) return misconfigured;
    if (message.body.length > MAX_BODY) return tooLong;
    const sender = senderOf(message, settings);
    if (!sender) return senderless;
    const outcome = await ask(signal, async (twilio) => {
      own ??= clientOf(twilio, credential);
      const created = await own.messages.create({
        to: message.to,
        ...sender,
        body: message.body,
        ...(message.mediaUrls.length > 0 ? { mediaUrl: [...message.mediaUrls] } : {}),
        ...(message.statusCallback === null ? {} : { statusCallback: message.statusCallback }),
        ...(message.validitySeconds === null ? {} : { validityPeriod: message.validitySeconds }),
      });
      return acceptedAs(created);
    });
    const name = 'from' in sender ? sender.from : sender.messagingServiceSid;
    return outcome.result === 'failed' && outcome.address === 'opted_out' ? { ...outcome, sender: name } : outcome;
  };

  return {
    name: 'twilio',
    maxInFlight: MAX_IN_FLIGHT,
    check: checkTwilio,
    probe: (tried) =>
      calls.run(new AbortController().signal, async (signal) => {
        const proof = twilioCredential(tried);
        if (!proof) return misconfigured;
        return ask(signal, async (twilio) => {
          await clientOf(twilio, proof).messages.page({ pageSize: 1 });
          return { result: 'accepted', providerId: null };
        });
      }),
    send: (message, { signal }) => calls.run(signal, (limited) => deliver(message, limited)),
    close: async () => {
      await calls.drain();
      await http.close();
    },
  };
};
