import type { ConnectionOf } from '../../../delivery/providers/connections.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { type InScope, scopeOf } from '../../../foundation/scope.ts';
import { type ProfileView, personKey } from '../../../people/profiles/view.ts';
import type { DeliverySettings } from '../../settings/view.ts';
import type { DryRun, DryRunMessage } from '../answers.generated.ts';
import { recipientsOfPeople } from '../audience.ts';
import type { AddressState } from '../channel.ts';
import type { Choices } from '../choices.ts';
import type { SendsContext } from '../context.ts';
import { readerLocale } from '../deliver/choose-content.ts';
import { contentOf } from '../deliver/content.ts';
import { timezoneFor } from '../deliver/facts.ts';
import { unusableFor } from '../deliver/gates/address-usable.ts';
import { gates } from '../deliver/gates/evaluate.ts';
import type { Gate } from '../deliver/gates/gate.ts';
import { evaluateQuietHours } from '../deliver/gates/quiet-hours.ts';
import { isUnwanted } from '../deliver/gates/subscribed.ts';
import type { TestView } from '../deliver/variants.ts';
import { addressOfRow, messageRows, type NewMessage, peopleOf } from '../rows.ts';
import { CHUNK_ADDRESSES, MAX_INLINE, type Recipients, type SendRequest, type SuppressionReason } from '../schema.ts';
import { isForAudience, laterOf } from './accept.ts';
import { renderedRow } from './rendered-row.ts';

/**
 * How a dry run treats each delivery gate. A new gate must be added here: without its evaluation a dry run would report
 * messages as deliverable that the gate stops.
 */
const DRY_RUN_GATES: Readonly<Record<string, 'evaluated' | 'before it' | 'not before delivery'>> = {
  send_open: 'not before delivery',
  not_expired: 'not before delivery',
  not_ambiguous: 'not before delivery',
  attempts_left: 'not before delivery',
  address_usable: 'evaluated',
  subscribed: 'evaluated',
  provider_configured: 'evaluated',
  // Acceptance rejects such a sender, also in a dry run.
  sender_verified: 'before it',
  quiet_hours: 'evaluated',
  rendering: 'evaluated',
};

/** Checks that every gate is in `DRY_RUN_GATES`. Throws Error. */
export const checkGates = (list: readonly Pick<Gate, 'name'>[]): void => {
  const unknown = list.find(({ name }) => !Object.hasOwn(DRY_RUN_GATES, name));
  if (unknown !== undefined) throw new Error(`dry runs do not know the gate ${unknown.name}: name it in DRY_RUN_GATES`);
};

/** Dependencies of dry runs. */
type DryRunContext = Pick<
  SendsContext,
  | 'clock'
  | 'ids'
  | 'channels'
  | 'audiences'
  | 'connections'
  | 'loadProfiles'
  | 'loadSettings'
  | 'loadChoices'
  | 'tests'
  | 'statusCallback'
> & {
  /** Messages that handover would suppress now, by message id. */
  readonly wouldStop: (
    rows: readonly NewMessage[],
    request: SendRequest,
    now: Date,
  ) => Promise<ReadonlyMap<string, SuppressionReason>>;
};

type AddressVerdict = { readonly addressState: AddressState | null; readonly unwanted: SuppressionReason | null };

/**
 * Computes the result of a request without writing a row. Throws what the database throws.
 *
 * @param members members of the audience; 0 without an audience
 */
export type DryRuns = (scope: InScope, request: SendRequest, members: number, now: Date) => Promise<DryRun>;

/**
 * Looks recipients up as acceptance does: all of them if they have at most 2,000 addresses, else the first hundred.
 * Renders the first hundred messages.
 */
export const dryRuns = (context: DryRunContext): DryRuns => {
  checkGates(gates({ resendsAmbiguous: false }));
  const { ids, channels, audiences, connections, loadProfiles, loadChoices, loadSettings, statusCallback, wouldStop } =
    context;

  /** The recipients of a request; of an audience, its first members. */
  const recipientsOf = async (scope: InScope, { audienceId = null, recipients }: SendRequest): Promise<Recipients> =>
    audienceId === null ? recipients : recipientsOfPeople(await audiences.page(scope, audienceId, null, MAX_INLINE));

  const rowsOf = async (scope: InScope, request: SendRequest, now: Date) => {
    const { channel } = request;
    const all = await recipientsOf(scope, request);
    const { load } = channels[channel];
    for (const recipients of [all, all.slice(0, MAX_INLINE), all.slice(0, 1)]) {
      const targets = recipients.map((recipient) => ({ ...scopeOf(scope), recipient }));
      const loaded =
        load && targets.length > 0 ? await load(targets, { after: null, limit: CHUNK_ADDRESSES }) : undefined;
      if (loaded === null) continue;
      const people = peopleOf(scope, recipients);
      const profiles = people.length === 0 ? new Map<string, ProfileView>() : await loadProfiles(people);
      const found = loaded?.found ?? new Map();
      const of = { channelName: channel, channel: channels[channel], content: request.content };
      const input = { scope, sendId: ids.next(), isBulk: false, ...of, recipients };
      return { profiles, rows: messageRows({ ...input, profiles, loaded: found, usedKeys: new Set(), now, ids }) };
    }
    return { profiles: new Map<string, ProfileView>(), rows: [] };
  };

  /** Reads the address states and choices of messages, with the reason that would suppress each; null: none. */
  const addressVerdicts = async (rows: readonly NewMessage[], request: SendRequest) => {
    const held = rows.flatMap((row) => {
      if (row.reason !== null || row.address === null) return [];
      const { address, facts } = addressOfRow(row, row.address);
      return [{ ...scopeOf(row), id: row.id, person: row.person, channel: row.channel, address, facts }];
    });
    const choosers = held.flatMap(({ person, ...one }) => (person === null ? [] : [{ ...one, person }]));
    const [states, choices] = await Promise.all([
      held.length === 0 ? undefined : channels[request.channel].states?.(held),
      choosers.length === 0 ? undefined : loadChoices?.(choosers),
    ]);
    return (row: NewMessage): AddressVerdict => {
      const { person, channel } = row;
      const addressState: AddressState | null = states?.get(row.id) ?? null;
      const chosen: Choices | null = person === null ? null : (choices?.({ ...scopeOf(row), person, channel }) ?? null);
      const message = { row, send: contentOf(request), addressState, choices: chosen };
      return { addressState, unwanted: unusableFor(message) ?? (isUnwanted(message) ? 'unsubscribed' : null) };
    };
  };

  const outcomeOf = (
    row: NewMessage,
    request: SendRequest,
    profiles: ReadonlyMap<string, ProfileView>,
    { addressState, unwanted }: AddressVerdict,
    test: TestView | null,
    connectionOf: ConnectionOf,
    settings: DeliverySettings,
    now: Date,
  ): DryRunMessage => {
    const about = { userId: row.person === null ? null : userIdOf(row.person), address: row.address };
    if (row.reason !== null || row.address === null)
      return { ...about, status: 'suppressed', reason: row.reason ?? 'no_address', content: null };
    if (unwanted !== null) return { ...about, status: 'suppressed', reason: unwanted, content: null };
    const connection = connectionOf({ ...scopeOf(row), channel: row.channel, platform: row.facts.platform });
    if (!connection) return { ...about, status: 'failed', reason: 'provider_not_configured', content: null };
    const profile = row.person === null ? undefined : profiles.get(personKey({ ...scopeOf(row), person: row.person }));
    const shown = renderedRow(channels, row, request, {
      profile,
      locale: readerLocale(row.channel, addressState, profile ?? null),
      test,
      defaultFrom: connection.defaultFrom,
      statusCallback: row.channel === 'sms' ? statusCallback(row, connection) : null,
      now,
    });
    if (shown.status !== 'queued') return shown;
    const timezone = timezoneFor(row.channel, addressState, profile ?? null, settings);
    const quiet = evaluateQuietHours(
      { row, send: contentOf(request), settings, timezone },
      laterOf(request, now) ?? now,
    );
    if (quiet.verdict === 'suppressed') return { ...about, status: 'suppressed', reason: quiet.reason, content: null };
    return quiet.verdict === 'deferred'
      ? { ...shown, status: 'deferred', reason: 'quiet_hours', deferredUntil: quiet.until }
      : shown;
  };

  return async (scope, request, members, now) => {
    const { profiles, rows } = await rowsOf(scope, request, now);
    const first = rows.slice(0, MAX_INLINE);
    const connectionOf = await connections.load(
      first.map((row) => ({ ...scopeOf(row), channel: row.channel, platform: row.facts.platform })),
    );
    await channels[request.channel].ready?.();
    const { channel, abTestId } = request;
    const [verdictOf, settingsOf, testOf] = await Promise.all([
      addressVerdicts(first, request),
      loadSettings([scope]),
      abTestId ? context.tests.load([{ ...scopeOf(scope), abTestId }]) : null,
    ]);
    const test = (abTestId && testOf?.({ ...scopeOf(scope), channel, abTestId })) || null;
    const rendered = first.map((row) =>
      outcomeOf(row, request, profiles, verdictOf(row), test, connectionOf, settingsOf(scope), now),
    );
    const going = rows.filter(({ reason }, at) => reason === null && (rendered[at]?.status ?? 'queued') === 'queued');
    const stopped = await wouldStop(going, request, now);
    const messages = rendered.map((message, at): DryRunMessage => {
      const reason = stopped.get(first[at]?.id ?? '');
      const { userId, address } = message;
      return reason === undefined ? message : { userId, address, status: 'suppressed', reason, content: null };
    });
    const suppressed: Partial<Record<SuppressionReason, number>> = {};
    const reasons = [
      ...messages.map((message) => (message.status === 'suppressed' ? message.reason : null)),
      ...rows.slice(first.length).map(({ id, reason }) => reason ?? stopped.get(id) ?? null),
    ];
    for (const reason of reasons) if (reason !== null) suppressed[reason] = (suppressed[reason] ?? 0) + 1;
    const isSample = members > MAX_INLINE;
    const warning = `Shown and counted as suppressed are those of the first ${MAX_INLINE} of ${members} members.`;
    return {
      dryRun: true,
      channel: request.channel,
      recipients: isForAudience(request) ? members : request.recipients.length,
      tokenCount: isSample ? Math.max(members, rows.length) : rows.length,
      suppressed,
      messages,
      ...(isSample ? { warnings: [warning] } : {}),
    };
  };
};
