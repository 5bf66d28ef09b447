// Text messages through the HTTP API of Telnyx: one JSON request per message, no SDK, no retry.

import type { Clock } from '../../../foundation/clock.ts';
import { boundedCalls } from '../deadline-calls.ts';
import { guardedRequests } from '../outbound/guarded-agent-request.ts';
import type { SendOutcome, SmsMessage, SmsTransport } from '../port.ts';
import { telnyxOutcome } from './outcome.ts';
import { checkTelnyx, isName, type TelnyxSettings } from './settings.ts';

export type { TelnyxSettings } from './settings.ts';

/** Source: Telnyx, API reference, base URL. */
const API = 'https://api.telnyx.com';
/** Only the operator chooses the host, so any address is allowed. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];
/** Concurrent calls. Source: transports, Ports and outcomes. */
const MAX_IN_FLIGHT = 50;
/** Wall-clock limit of a call. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Maximum UTF-16 units of a text. Chosen: the limit of other providers, ten segments of GSM-7. */
const MAX_TEXT = 1_600;

export type TelnyxOptions = {
  /** Set by the operator: replaces https://api.telnyx.com. */
  readonly endpoint?: string | undefined;
  /** Set by the operator: the certificate authority to trust. PEM. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  readonly limitMs?: number | undefined;
};

const misconfigured: SendOutcome = {
  result: 'credential',
  code: 'settings_invalid',
  message: 'The Telnyx settings are incomplete or malformed.',
};
const tooLong: SendOutcome = {
  result: 'failed',
  code: 'too_long',
  message: `Telnyx gets texts of at most ${MAX_TEXT} characters.`,
};
const senderless: SendOutcome = {
  result: 'failed',
  code: 'sender_missing',
  message: 'Neither the message nor the settings name a sender or a messaging profile.',
};

/** The sender fields of a request; null: no sender. */
const senderOf = ({ from, messagingServiceId }: SmsMessage, settings: TelnyxSettings) => {
  if (messagingServiceId !== null) return { messaging_profile_id: messagingServiceId };
  const profile =
    settings.messagingProfileId === undefined ? {} : { messaging_profile_id: settings.messagingProfileId };
  const sender = from ?? settings.from;
  if (sender === undefined) return settings.messagingProfileId === undefined ? null : profile;
  // For a number Telnyx uses the profile that the number belongs to.
  return isName(sender) ? { from: sender, ...profile } : { from: sender };
};

/** The transport of one Telnyx account. Construction does no I/O and throws nothing. */
export const telnyxTransport = (settings: TelnyxSettings, options: TelnyxOptions): SmsTransport<TelnyxSettings> => {
  const { endpoint = API, ca, clock, limitMs = LIMIT_MS } = options;
  const calls = boundedCalls({ maxInFlight: MAX_IN_FLIGHT, limitMs });
  const net = guardedRequests({ allowCidrs: ANYWHERE, ca, connections: MAX_IN_FLIGHT });
  const isSound = checkTelnyx(settings).length === 0;

  const urlOf = (path: string): URL => new URL(`${endpoint.replace(/\/$/, '')}/v2${path}`);
  const headersOf = ({ apiKey }: TelnyxSettings) => ({ accept: 'application/json', authorization: `Bearer ${apiKey}` });

  const deliver = async (message: SmsMessage, signal: AbortSignal): Promise<SendOutcome> => {
    if (!isSound) return misconfigured;
    if (message.body.length > MAX_TEXT) return tooLong;
    const sender = senderOf(message, settings);
    if (!sender) return senderless;
    const body = JSON.stringify({
      ...sender,
      to: message.to,
      text: message.body,
      ...(message.mediaUrls.length > 0 ? { media_urls: message.mediaUrls } : {}),
      ...(message.statusCallback === null ? {} : { webhook_url: message.statusCallback }),
    });
    const headers = { ...headersOf(settings), 'content-type': 'application/json' };
    const result = await net.request(
      { url: urlOf('/messages'), method: 'POST', headers, body, answer: 'read' },
      signal,
    );
    const outcome = telnyxOutcome(result, clock.now());
    // Telnyx stores opt-outs per profile, and reports the requested sender.
    const name = 'from' in sender ? sender.from : sender.messaging_profile_id;
    return outcome.result === 'failed' && outcome.address === 'opted_out' && name !== undefined
      ? { ...outcome, sender: name }
      : outcome;
  };

  const probe = async (tried: TelnyxSettings, signal: AbortSignal): Promise<SendOutcome> => {
    if (checkTelnyx(tried).length > 0) return misconfigured;
    const url = urlOf('/messaging_profiles?page%5Bsize%5D=1');
    const result = await net.request({ url, method: 'GET', headers: headersOf(tried), answer: 'read' }, signal);
    const outcome = telnyxOutcome(result, clock.now());
    return outcome.result === 'accepted' ? { result: 'accepted', providerId: null } : outcome;
  };

  return {
    name: 'telnyx',
    maxInFlight: MAX_IN_FLIGHT,
    check: checkTelnyx,
    probe: (tried) => calls.run(new AbortController().signal, (signal) => probe(tried, signal)),
    send: (message, { signal }) => calls.run(signal, (limited) => deliver(message, limited)),
    close: async () => {
      await calls.drain();
      await net.close();
    },
  };
};
