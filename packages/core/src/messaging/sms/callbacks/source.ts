import type { PROVIDERS } from '../../../delivery/providers/names.ts';
import { compact } from '../../../foundation/compact.ts';
// Callbacks of SMS providers: delivery reports and inbound texts. Several projects of an organization may share an
// account and a URL, so the message or number in the request decides the project.

import { LRUCache } from 'lru-cache';
import type { Write } from '../../../database/commit/write-set.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Credential } from '../../../delivery/providers/connections.ts';
import type { Inbound } from '../../../delivery/providers/definitions.ts';
import { addressText } from '../../../foundation/address-text.ts';
import { anonymousPerson } from '../../../foundation/person.ts';
import { phoneNumber } from '../../../foundation/phone-number.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { Emitter } from '../../../people/events/emit.ts';
import type { CallbackReader, CallbackRequest, ProviderEvent, ProviderEventOf } from '../../callbacks/reader.ts';
import { type Applied, type CallbackSource, type EventContext, MARK_TAG } from '../../callbacks/source.ts';
import type { TakeReports } from '../../sends/track/delivery-report.ts';
import { inboundOf, type NewlyStopped, type Stopped } from './inbound.ts';
import { telnyxReader } from './telnyx.ts';
import { twilioReader } from './twilio.ts';

/** Decrypted settings in the cache. Chosen: some hundred bytes each. */
const MAX_CACHED = 1_000;
/** Maximum characters of a sender's number or name. Chosen: longer than any. */
const MAX_FROM = 64;

/** The newest text message to a number. */
export type NewestTo = InScope & { readonly id: string; readonly person: string | null };

/** Dependencies of this file. `module.ts` builds it once. */
export type SmsCallbacksContext = {
  readonly storage: Pick<Storage, 'commit'>;
  readonly scopes: { ofOrg(org: { orgId: string; environment: 'prod' }): Promise<readonly Scope[]> };
  /** Configured providers. */
  readonly configured: (
    keys: readonly (InScope & { readonly channel: 'sms' })[],
  ) => Promise<(key: InScope & { readonly channel: 'sms' }) => readonly Credential[]>;
  readonly settingsOf: (scope: InScope, provider: 'twilio' | 'telnyx') => Promise<Inbound | null>;
  /** The scopes, among these, with a message of this id. */
  readonly scopesOfMessage: (scopes: readonly InScope[], id: string) => Promise<readonly InScope[]>;
  /** The newest message to a number in each of these scopes that has one. */
  readonly newestTo: (scopes: readonly InScope[], number: string) => Promise<readonly NewestTo[]>;
  /** The profile with this phone number; null: none. */
  readonly personWith: (scope: InScope, number: string) => Promise<string | null>;
  readonly reports: TakeReports;
  readonly emitter: Emitter;
  /** Adds numbers to the channel's list and removes them. */
  readonly lists: {
    writes(entries: readonly NewlyStopped[]): readonly Write[];
    restoring(entries: readonly Stopped[]): readonly Write[];
  };
};

/** One for each SMS provider; without one, its reports and replies would be lost. */
const READERS = { twilio: twilioReader, telnyx: telnyxReader } as const satisfies Record<
  (typeof PROVIDERS.sms)[number],
  CallbackReader
>;

/** The event with trimmed numbers: some gateways pad them with blanks. */
const withNumbersRead = <Event extends ProviderEvent>(event: Event): Event => {
  if (event.type === 'inbound') return { ...event, from: addressText(event.from), to: addressText(event.to) };
  return 'to' in event && event.to !== undefined ? { ...event, to: addressText(event.to) } : event;
};

/** What a request claims before it is verified. */
const claimOf = (reader: CallbackReader, request: CallbackRequest): ProviderEvent | null =>
  reader.parse(request)?.events.map(withNumbersRead)[0] ?? null;

/** The callbacks of SMS providers, one source each. */
export const smsCallbacks = (context: SmsCallbacksContext): readonly CallbackSource[] => {
  const { storage, emitter, lists } = context;
  const opened = new LRUCache<string, Inbound>({ max: MAX_CACHED });

  const settingsAt = async (scope: InScope, { provider, version }: Credential): Promise<Inbound | null> => {
    if (provider !== 'twilio' && provider !== 'telnyx') return null;
    const name = `${scopeKey(scope)}/${provider}/${version}`;
    const cached = opened.get(name);
    if (cached) return cached;
    const read = await context.settingsOf(scope, provider);
    if (read) opened.set(name, read);
    return read;
  };
  const credentialOf = async <Of extends InScope>(scopes: readonly Of[], provider: string) => {
    const keys = scopes.map((scope) => ({ ...scopeOf(scope), channel: 'sms' as const }));
    const load = await context.configured(keys);
    return (scope: InScope) =>
      load({ ...scopeOf(scope), channel: 'sms' }).find((credential) => credential.provider === provider);
  };
  const secretsOf = async (scope: Scope, provider: string): Promise<readonly string[]> => {
    const credential = (await credentialOf([scope], provider))(scope);
    return credential ? ((await settingsAt(scope, credential))?.secrets ?? []) : [];
  };

  /** The projects of an organization with this provider to which an inbound text belongs. */
  const ownersOf = async (
    scopes: readonly Scope[],
    provider: string,
    { from, to, service }: ProviderEventOf<'inbound'>,
  ): Promise<readonly InScope[]> => {
    const credentialAt = await credentialOf(scopes, provider);
    const theirs = await Promise.all(
      scopes.map(async (scope) => {
        const credential = credentialAt(scope);
        return { scope, settings: credential ? await settingsAt(scope, credential) : null };
      }),
    );
    const using = theirs.flatMap(({ scope, settings }) => (settings ? [{ scope, settings }] : []));
    const naming = using.filter(({ settings: { senders } }) =>
      senders.some((one) => addressText(one) === to || one === service),
    );
    if (naming.length > 0) return naming.map(({ scope }) => scope);
    // A reply belongs to the scope of the last message to the number.
    const all = using.map(({ scope }) => scope);
    const [newest] = (await context.newestTo(all, from)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    return newest ? [newest] : all;
  };

  const scopesOf = async (
    reader: CallbackReader,
    request: CallbackRequest,
    orgId: string | null,
  ): Promise<readonly InScope[]> => {
    // A URL with a project key means that project only.
    if (orgId === null || request.url.searchParams.has('k')) return [];
    const event = claimOf(reader, request);
    if (!event || (event.type !== 'inbound' && event.messageId === null)) return [];
    const scopes = await context.scopes.ofOrg({ orgId, environment: 'prod' });
    if (event.type === 'inbound') return ownersOf(scopes, reader.provider, event);
    return event.messageId === null ? [] : context.scopesOfMessage(scopes, event.messageId);
  };

  const reported = (event: ProviderEventOf<'sent' | 'delivered' | 'failed'>) => {
    if (event.type !== 'failed') return { kind: event.type } as const;
    const code = event.code ?? 'failed';
    const message = event.message ?? 'The provider says that it failed.';
    const sender = event.from === undefined ? {} : { sender: event.from };
    return {
      kind: 'failed',
      code,
      message,
      ...(event.isOptedOut ? { address: 'opted_out' as const, ...sender } : {}),
    } as const;
  };

  const applyReport = async (
    event: ProviderEventOf<'sent' | 'delivered' | 'failed'>,
    { scope, message, mark }: EventContext,
  ): Promise<Applied> => {
    if (message === null || (event.to !== undefined && event.to !== message.address)) return 'unknown';
    const [providerId] = event.providerIds;
    const of = { messageId: message.id, ...compact({ providerId }) };
    const report = { scope: scopeOf(scope), channel: 'sms', of, reported: reported(event), at: event.at } as const;
    const [taken] = await context.reports([report], { writes: mark(), tag: MARK_TAG });
    if (taken === 'unknown' || taken === 'early') return 'unknown';
    return taken === 'repeated' ? 'duplicate' : 'applied';
  };

  const personOf = async (scope: InScope, from: string): Promise<string> => {
    const number = phoneNumber(from);
    if (number === null) return anonymousPerson(from);
    const [newest] = await context.newestTo([scope], number);
    return newest?.person ?? (await context.personWith(scope, number)) ?? anonymousPerson(number);
  };

  const applyInbound = async (event: ProviderEventOf<'inbound'>, { scope, mark }: EventContext): Promise<Applied> => {
    if (event.from === '' || event.from.length > MAX_FROM || event.from.includes('\0')) return 'unknown';
    const person = await personOf(scope, event.from);
    const { events, stopped, started } = inboundOf(scope, person, event);
    const { emit } = await emitter.load([scope]);
    const emitted = events.map(emit);
    const committed = await storage.commit({
      writes: [
        ...mark({ person, address: event.from }),
        ...lists.writes(stopped),
        ...lists.restoring(started),
        ...emitted.flatMap(({ writes }) => writes),
      ],
      wakes: emitted.flatMap(({ wakes }) => wakes),
    });
    if (!committed.ok && !committed.failed.has(MARK_TAG))
      throw new Error('an inbound text message could not be stored');
    return committed.ok ? 'applied' : 'duplicate';
  };

  return Object.values(READERS).map(
    (reader): CallbackSource => ({
      channel: 'sms',
      reader,
      secrets: (scope) => secretsOf(scope, reader.provider),
      scopes: (request, orgId) => scopesOf(reader, request, orgId),
      apply: async (posted, context) => {
        const event = withNumbersRead(posted);
        switch (event.type) {
          case 'sent':
          case 'delivered':
          case 'failed':
            return applyReport(event, context);
          case 'inbound':
            return applyInbound(event, context);
          default:
            return 'unknown';
        }
      },
    }),
  );
};
