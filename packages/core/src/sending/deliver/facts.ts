import type { Channel } from '../../api.ts';
import type { Clock } from '../../primitives/clock.ts';
import { nextTurn } from '../../primitives/next-turn.ts';
import { type InScope, scopeOf } from '../../primitives/scope.ts';
import {
  type LoadProfiles,
  messageScopes,
  type PersonKey,
  type ProfileView,
  personKey,
  timezoneOf,
} from '../../profiles/view.ts';
import type { ProviderConnection } from '../../providers/connections.ts';
import type { LoadSettings } from '../../settings/settings.ts';
import type { SendContext, SendOutcome } from '../../transports/port.ts';
import type { AddressState, Channels, Rendered } from '../channel.ts';
import { addressOfRow } from '../rows.ts';
import { sendKey } from '../settle/counters.ts';
import type { MessageRow } from '../store.ts';
import { chooseContent, readerLocale } from './choose-content.ts';
import type { ReadContents, SendContent } from './content.ts';
import type { LeasedMessage, ReadyMessage, SendRef } from './message.ts';
import type { SendTests, TestRef } from './variants.ts';

export type FactsDeps = {
  readonly clock: Clock;
  readonly channels: Channels;
  readonly loadProfiles: LoadProfiles;
  readonly readContents: ReadContents;
  readonly loadSettings: LoadSettings;
  readonly loadTests: SendTests['load'];
  /** Where the provider of text messages of a scope reports; null: nowhere. */
  readonly statusCallback: (scope: InScope) => string | null;
};

const UNSUPPORTED: Rendered<never> = { verdict: 'suppressed', reason: 'locale_unsupported' };

const UNREADABLE: Rendered<never> = {
  verdict: 'failed',
  code: 'content_missing',
  message: 'The send of this message is gone.',
};

/** After so long timers and sockets have their turn, in milliseconds: many large mails take as long as a lease to render. */
const REST_AFTER_MS = 10;

/** Renders mails, whose bodies may be large, so that whoever judges them finds it done. */
const renderMails = async (messages: readonly ReadyMessage[]): Promise<void> => {
  let rested = performance.now();
  for (const { row, addressState, rendered } of messages) {
    if (row.channel !== 'email' || (addressState?.unusable ?? null) !== null) continue;
    rendered();
    if (performance.now() - rested <= REST_AFTER_MS) continue;
    await nextTurn();
    rested = performance.now();
  }
};

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The send of each message; messages of one send have the same object. */
const sendRefs = (messages: readonly LeasedMessage[]): SendRef[] => {
  const sends = new Map<string, SendRef>();
  return messages.map(({ row }) => {
    const key = sendKey(row, row.sendId);
    const sendRef = sends.get(key) ?? { ...scopeOf(row), id: row.sendId, sendId: row.sendId, key };
    sends.set(key, sendRef);
    return sendRef;
  });
};

/**
 * Makes the function that reads what is to be known of leased messages: a constant number of reads, whatever their
 * number, and none for what is remembered of their sends.
 */
export const factsLoader = (
  deps: FactsDeps,
): ((messages: readonly LeasedMessage[]) => Promise<readonly ReadyMessage[]>) => {
  const { clock, channels, loadProfiles, loadSettings, loadTests, readContents, statusCallback } = deps;

  /** The profile of each row, in the order of the rows. */
  const profilesOf = async (rows: readonly MessageRow[]): Promise<readonly (ProfileView | undefined)[]> => {
    const people = new Map<string, PersonKey>();
    const keys = rows.map((row): string | null => {
      if (row.person === null) return null;
      const person = { ...scopeOf(row), person: row.person };
      const key = personKey(person);
      people.set(key, person);
      return key;
    });
    if (people.size === 0) return [];
    const profiles = await loadProfiles([...people.values()]);
    return keys.map((key) => (key === null ? undefined : profiles.get(key)));
  };

  /** By message id. */
  const statesOf = async (rows: readonly MessageRow[]): Promise<ReadonlyMap<string, AddressState>> => {
    const asked = [...Map.groupBy(rows, ({ channel }) => channel)].map(async ([channel, group]) => {
      const held = group.flatMap((row) => {
        if (row.address === null) return [];
        const { address, facts } = addressOfRow(row, row.address);
        return [{ ...scopeOf(row), id: row.id, person: row.person, address, facts }];
      });
      return held.length === 0 ? undefined : channels[channel].states?.(held);
    });
    return new Map((await Promise.all(asked)).flatMap((states) => [...(states ?? [])]));
  };

  /** The tests that sends name. */
  const testsOf = async (refs: readonly SendRef[], contents: ReadonlyMap<string, SendContent>) => {
    const asked = [...new Set(refs)].flatMap((ref): TestRef[] => {
      const { abTestId = null } = contents.get(ref.key) ?? {};
      return abTestId === null ? [] : [{ ...scopeOf(ref), abTestId }];
    });
    return asked.length === 0 ? () => null : loadTests(asked);
  };

  const readyFor = (rows: readonly MessageRow[]) =>
    Promise.all([...new Set(rows.map(({ channel }) => channel))].map((channel) => channels[channel].ready?.()));

  /** `channel` and `connection` are those of the row: the caller proves it. */
  const bound = <C extends Channel>(
    channel: C,
    connection: ProviderConnection<C> | null,
    { row, send, profile, choice }: Pick<ReadyMessage, 'row' | 'send' | 'profile' | 'choice'>,
  ): Pick<ReadyMessage, 'rendered' | 'call'> => {
    const rendered = once(() => {
      if (!send || !choice || !connection || row.address === null) return UNREADABLE;
      if (choice.content === null) return UNSUPPORTED;
      return channels[channel].render(choice.content, {
        scope: row,
        messageId: row.id,
        sendId: row.sendId,
        to: addressOfRow(row, row.address),
        role: row.role,
        defaultFrom: connection.defaultFrom,
        statusCallback: statusCallback(row),
        scopes: messageScopes(send.variables, profile ?? undefined),
        now: clock.now(),
      });
    });
    return {
      rendered,
      call: async (context: SendContext): Promise<SendOutcome> => {
        const made = rendered();
        if (!connection || made.verdict !== 'pass')
          throw new Error('a message without provider or text passed its gates');
        return connection.transport.send(made.message, context);
      },
    };
  };

  return async (messages) => {
    const rows = messages.map(({ row }) => row);
    const refs = sendRefs(messages);
    const [contents, profiles, states, settingsOf] = await Promise.all([
      readContents([...new Set(refs)]),
      profilesOf(rows),
      statesOf(rows),
      loadSettings(rows),
      readyFor(rows),
    ]);
    const testOf = await testsOf(refs, contents);
    const ready = messages.flatMap((leased, at) => {
      const { row, connection } = leased;
      const sendRef = refs[at];
      if (!sendRef) return [];
      const send = contents.get(sendRef.key) ?? null;
      const profile = profiles[at] ?? null;
      const addressState = states.get(row.id) ?? null;
      const settings = settingsOf(row);
      const own = addressState?.timezone ?? (profile && timezoneOf(profile));
      const timezone = own ?? settings.orgDefaultTimezone;
      // Safe: connections are looked up by the row's own channel (dispatch.ts).
      const ownConnection = connection as ProviderConnection<typeof row.channel> | null;
      const locale = readerLocale(row.channel, addressState, profile);
      const { channel } = row;
      const test = send?.abTestId ? testOf({ ...scopeOf(row), channel, abTestId: send.abTestId }) : null;
      const choice = send && chooseContent(channels[channel], { row, send, test, locale });
      const { rendered, call } = bound(row.channel, ownConnection, { row, send, profile, choice });
      return [{ ...leased, sendRef, send, profile, addressState, settings, timezone, choice, rendered, call }];
    });
    await renderMails(ready);
    return ready;
  };
};
