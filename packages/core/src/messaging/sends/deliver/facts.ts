import type { ProviderConnection } from '../../../delivery/providers/connections.ts';
import type { SendContext, SendOutcome } from '../../../delivery/transports/port.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { nextTurn } from '../../../foundation/contained.ts';
import { scopeOf } from '../../../foundation/scope.ts';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import {
  messageScopes,
  type PersonKey,
  type ProfileView,
  personKey,
  timezoneOf,
} from '../../../people/profiles/view.ts';
import type { DeliverySettings } from '../../settings/view.ts';
import type { AddressState, Rendered } from '../channel.ts';
import type { Choices } from '../choices.ts';
import type { SendsContext } from '../context.ts';
import { sendKey } from '../finalize/counters.ts';
import { addressOfRow } from '../rows.ts';
import { ANY_SENDER } from '../senders.ts';
import type { LeasedRow } from '../statements.ts';
import { chooseContent, readerLocale } from './choose-content.ts';
import type { ReadContents, SendContent } from './content.ts';
import { quietHours } from './gates/quiet-hours.ts';
import type { LeasedMessage, ReadyMessage, SendRef } from './message.ts';
import { readsTags } from './reads-tags.ts';
import type { SendTests, TestRef, TestView } from './variants.ts';

/** Dependencies of reading the facts of messages. */
export type FactsContext = Pick<
  SendsContext,
  'clock' | 'channels' | 'loadProfiles' | 'loadSettings' | 'loadChoices' | 'loadSenders' | 'statusCallback'
> & { readonly readContents: ReadContents; readonly loadTests: SendTests['load'] };

const UNSUPPORTED: Rendered<never> = { verdict: 'suppressed', reason: 'locale_unsupported' };

const UNREADABLE: Rendered<never> = {
  verdict: 'failed',
  code: 'content_missing',
  message: 'The send of this message no longer exists.',
};

/**
 * Time slice of rendering, in milliseconds, after which timers and sockets run: many large emails take as long to
 * render as a lease lasts.
 */
const REST_AFTER_MS = 10;

/** Renders emails in advance, because their bodies may be large; gates then find them rendered. */
const renderMails = async (messages: readonly ReadyMessage[], now: Date): Promise<void> => {
  let rested = performance.now();
  for (const message of messages) {
    const { row, addressState } = message;
    if (row.channel !== 'email' || (addressState?.unusable ?? null) !== null) continue;
    if (quietHours.evaluate(message, { now, sendStatus: null }).verdict !== 'pass') continue;
    message.rendered();
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

/**
 * The time zone of a message: for push that of the device, else that of the user; without one that of the project. A
 * zone that the runtime does not know counts as none. Source: semantics, Quiet hours.
 */
export const timezoneFor = (
  channel: Channel,
  state: AddressState | null,
  profile: ProfileView | null,
  { orgDefaultTimezone }: DeliverySettings,
): string | null => {
  const own = channel === 'push' ? state?.timezone : profile && timezoneOf(profile);
  return [own, orgDefaultTimezone].find((zone) => zone && zoneClock(zone) !== null) ?? null;
};

/** The send of each message; messages of one send share one object. */
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
 * Makes the function that reads the facts of leased messages with a constant number of reads. Cached facts of their
 * sends are not read again.
 */
export const factsLoader = (
  context: FactsContext,
): ((messages: readonly LeasedMessage[]) => Promise<readonly ReadyMessage[]>) => {
  const { clock, channels, loadProfiles, loadSettings, loadSenders, loadTests, readContents, statusCallback } = context;

  /** The profile of each row, in row order. */
  const profilesOf = async (
    rows: readonly LeasedRow[],
    needs: { readonly tags: boolean },
  ): Promise<readonly (ProfileView | undefined)[]> => {
    const people = new Map<string, PersonKey>();
    const keys = rows.map((row): string | null => {
      if (row.person === null) return null;
      const person = { ...scopeOf(row), person: row.person };
      const key = personKey(person);
      people.set(key, person);
      return key;
    });
    if (people.size === 0) return [];
    const profiles = await loadProfiles([...people.values()], needs);
    return keys.map((key) => (key === null ? undefined : profiles.get(key)));
  };

  /** The choices of each row's user, in row order. */
  const choicesOf = async (rows: readonly LeasedRow[]): Promise<readonly (Choices | null)[]> => {
    // Field by field: a spread would copy every column of the row.
    const choosers = rows.map((row) =>
      row.person === null ? null : { scopeId: row.scopeId, person: row.person, channel: row.channel },
    );
    const requested = choosers.filter((one) => one !== null);
    if (!context.loadChoices || requested.length === 0) return [];
    const choices = await context.loadChoices(requested);
    return choosers.map((chooser) => chooser && choices(chooser));
  };

  /** By message id. */
  const statesOf = async (rows: readonly LeasedRow[]): Promise<ReadonlyMap<string, AddressState>> => {
    const requested = [...Map.groupBy(rows, ({ channel }) => channel)].map(async ([channel, group]) => {
      const held = group.flatMap((row) => {
        if (row.address === null) return [];
        const { address, facts } = addressOfRow(row, row.address);
        return [{ ...scopeOf(row), id: row.id, person: row.person, address, facts }];
      });
      return held.length === 0 ? undefined : channels[channel].states?.(held);
    });
    const [only, ...others] = (await Promise.all(requested)).filter((states) => states !== undefined);
    if (others.length === 0) return only ?? new Map();
    return new Map([only, ...others].flatMap((states) => [...(states ?? [])]));
  };

  /** The A/B tests that sends name. */
  const testsOf = async (sends: readonly SendRef[], contents: ReadonlyMap<string, SendContent>) => {
    const requested = sends.flatMap((ref): TestRef[] => {
      const { abTestId = null } = contents.get(ref.key) ?? {};
      return abTestId === null ? [] : [{ ...scopeOf(ref), abTestId }];
    });
    return requested.length === 0 ? () => null : loadTests(requested);
  };

  const readyFor = (rows: readonly LeasedRow[]) =>
    Promise.all([...new Set(rows.map(({ channel }) => channel))].map((channel) => channels[channel].ready?.()));

  /** `channel` and `connection` match the row; the caller proves it. */
  const bound = <C extends Channel>(
    channel: C,
    connection: ProviderConnection<C> | null,
    { row, send, profile, settings, choice }: Pick<ReadyMessage, 'row' | 'send' | 'profile' | 'settings' | 'choice'>,
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
        class: send.class,
        defaultFrom: connection.defaultFrom,
        bounceDomain: settings.channels.email.bounceDomain,
        statusCallback: row.channel === 'sms' ? statusCallback(row, connection) : null,
        scopes: messageScopes(send.variables, profile ?? undefined),
        now: clock.now(),
      });
    });
    return {
      rendered,
      // Not async: the caller awaits the promise, and another one per message would only cost memory.
      call: (context: SendContext): Promise<SendOutcome> => {
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
    const mails = rows.filter(({ channel }) => channel === 'email');
    const sends = [...new Set(refs)];
    // First, and mostly cached: the content determines what else is read.
    const contents = await readContents(sends);
    const testOf = await testsOf(sends, contents);
    const tests = new Map<SendRef, TestView | null>();
    /** The test of a send; all its messages share the object. */
    const testFor = (sendRef: SendRef, channel: Channel): TestView | null => {
      const known = tests.get(sendRef);
      if (known !== undefined) return known;
      const abTestId = contents.get(sendRef.key)?.abTestId ?? null;
      const test = abTestId === null ? null : testOf({ ...scopeOf(sendRef), channel, abTestId });
      tests.set(sendRef, test);
      return test;
    };
    const tags = rows.some(({ channel }, at) => {
      const sendRef = refs[at];
      return !sendRef || readsTags(channel, contents.get(sendRef.key) ?? null, testFor(sendRef, channel));
    });
    const [profiles, states, choices, settingsOf, sendersOf] = await Promise.all([
      profilesOf(rows, { tags }),
      statesOf(rows),
      choicesOf(rows),
      loadSettings(rows),
      mails.length === 0 ? () => ANY_SENDER : loadSenders(mails),
      readyFor(rows),
    ]);
    const ready = messages.flatMap((leased, at) => {
      const { row, connection } = leased;
      const sendRef = refs[at];
      if (!sendRef) return [];
      const send = contents.get(sendRef.key) ?? null;
      const profile = profiles[at] ?? null;
      const addressState = states.get(row.id) ?? null;
      const settings = settingsOf(row);
      const senders = row.channel === 'email' ? sendersOf(row) : ANY_SENDER;
      const timezone = timezoneFor(row.channel, addressState, profile, settings);
      // Safe: connections are looked up by the row's own channel (dispatch.ts).
      const ownConnection = connection as ProviderConnection<typeof row.channel> | null;
      const locale = readerLocale(row.channel, addressState, profile);
      const { channel } = row;
      const test = testFor(sendRef, channel);
      const choice = send && chooseContent(channels[channel], { row, send, test, locale });
      const { rendered, call } = bound(row.channel, ownConnection, { row, send, profile, settings, choice });
      // One literal without spreads: each spread would copy the object again for every message.
      const { batch } = leased;
      return {
        row,
        connection,
        batch,
        sendRef,
        send,
        profile,
        addressState,
        choices: choices[at] ?? null,
        settings,
        senders,
        timezone,
        choice,
        rendered,
        call,
      };
    });
    await renderMails(ready, clock.now());
    return ready;
  };
};
