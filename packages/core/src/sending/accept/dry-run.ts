import type { DryRun, DryRunMessage } from '../../api.ts';
import type { Clock } from '../../primitives/clock.ts';
import type { Ids } from '../../primitives/ids.ts';
import { userIdOf } from '../../primitives/person.ts';
import { type InScope, scopeOf } from '../../primitives/scope.ts';
import { type LoadProfiles, messageScopes, type ProfileView, personKey } from '../../profiles/view.ts';
import type { ConnectionOf, ProviderConnections } from '../../providers/connections.ts';
import type { AddressState, Channels } from '../channel.ts';
import { chooseContent, readerLocale } from '../deliver/choose-content.ts';
import type { SendTests, TestView } from '../deliver/variants.ts';
import { describeMessage } from '../outbox/describe-message.ts';
import { addressOfRow, messageRows, type NewMessage, peopleOf } from '../rows.ts';
import { CHUNK_ADDRESSES, MAX_INLINE, type SendRequest, type SuppressionReason } from '../schema.ts';

export type DryRunDeps = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly channels: Channels;
  readonly connections: Pick<ProviderConnections, 'load'>;
  readonly loadProfiles: LoadProfiles;
  readonly tests: Pick<SendTests, 'load'>;
  readonly statusCallback: (scope: InScope) => string | null;
};

/** What a request would be, without a row. Throws what the database throws. */
export type DryRuns = (scope: InScope, request: SendRequest, now: Date) => Promise<DryRun>;

/**
 * Recipients are looked up as acceptance does it, all of them where their addresses are at most 2,000, else the first
 * hundred; the first hundred messages are rendered.
 */
export const dryRuns = (deps: DryRunDeps): DryRuns => {
  const { ids, channels, connections, loadProfiles, statusCallback } = deps;

  const rowsOf = async (scope: InScope, request: SendRequest, now: Date) => {
    const { channel } = request;
    const { load } = channels[channel];
    for (const recipients of [
      request.recipients,
      request.recipients.slice(0, MAX_INLINE),
      request.recipients.slice(0, 1),
    ]) {
      const wanted = recipients.map((recipient) => ({ ...scopeOf(scope), recipient }));
      const loaded =
        load && wanted.length > 0 ? await load(wanted, { after: null, limit: CHUNK_ADDRESSES }) : undefined;
      if (loaded === null) continue;
      const people = peopleOf(scope, recipients);
      const profiles = people.length === 0 ? new Map<string, ProfileView>() : await loadProfiles(people);
      const found = loaded?.found ?? new Map();
      const of = { channelName: channel, channel: channels[channel], content: request.content };
      const input = { scope, sendId: ids.next(), ...of, recipients };
      return { profiles, rows: messageRows({ ...input, profiles, loaded: found, seen: new Set(), now, ids }) };
    }
    return { profiles: new Map<string, ProfileView>(), rows: [] };
  };

  /** By message id. */
  const statesOf = async ({ channel }: SendRequest, rows: readonly NewMessage[]) => {
    const held = rows.flatMap((row) => {
      if (row.reason !== null || row.address === null) return [];
      const { address, facts } = addressOfRow(row, row.address);
      return [{ ...scopeOf(row), id: row.id, person: row.person, address, facts }];
    });
    const states = held.length === 0 ? undefined : await channels[channel].states?.(held);
    return states ?? new Map<string, AddressState>();
  };

  const would = (
    row: NewMessage,
    request: SendRequest,
    profiles: ReadonlyMap<string, ProfileView>,
    states: ReadonlyMap<string, AddressState>,
    test: TestView | null,
    connectionOf: ConnectionOf,
    now: Date,
  ): DryRunMessage => {
    const about = { userId: row.person === null ? null : userIdOf(row.person), address: row.address };
    if (row.reason !== null || row.address === null)
      return { ...about, status: 'suppressed', reason: row.reason ?? 'no_address', content: null };
    const connection = connectionOf({ ...scopeOf(row), channel: row.channel, platform: row.facts.platform });
    if (!connection) return { ...about, status: 'failed', reason: 'provider_not_configured', content: null };
    const profile = row.person === null ? undefined : profiles.get(personKey({ ...scopeOf(row), person: row.person }));
    const locale = readerLocale(row.channel, states.get(row.id) ?? null, profile ?? null);
    const send = { content: request.content, abTestId: request.abTestId ?? null };
    const { content } = chooseContent(channels[row.channel], { row, send, test, locale });
    if (content === null) return { ...about, status: 'suppressed', reason: 'locale_unsupported', content: null };
    const rendered = channels[row.channel].render(content, {
      scope: row,
      messageId: row.id,
      sendId: row.sendId,
      to: addressOfRow(row, row.address),
      role: row.role,
      defaultFrom: connection.defaultFrom,
      statusCallback: statusCallback(row),
      scopes: messageScopes(request.variables, profile),
      now,
    });
    if (rendered.verdict === 'pass')
      return { ...about, status: 'queued', reason: null, content: describeMessage(rendered.message) };
    return rendered.verdict === 'suppressed'
      ? { ...about, status: 'suppressed', reason: rendered.reason, content: null }
      : { ...about, status: 'failed', reason: rendered.code, content: null };
  };

  return async (scope, request, now) => {
    const { profiles, rows } = await rowsOf(scope, request, now);
    const first = rows.slice(0, MAX_INLINE);
    const connectionOf = await connections.load(
      first.map((row) => ({ ...scopeOf(row), channel: row.channel, platform: row.facts.platform })),
    );
    await channels[request.channel].ready?.();
    const { channel, abTestId } = request;
    const states = await statesOf(request, first);
    const testOf = abTestId ? await deps.tests.load([{ ...scopeOf(scope), abTestId }]) : null;
    const test = (abTestId && testOf?.({ ...scopeOf(scope), channel, abTestId })) || null;
    const messages = first.map((row) => would(row, request, profiles, states, test, connectionOf, now));
    const suppressed: Partial<Record<SuppressionReason, number>> = {};
    const reasons = [
      ...messages.map((message) => (message.status === 'suppressed' ? message.reason : null)),
      ...rows.slice(first.length).map(({ reason }) => reason),
    ];
    for (const reason of reasons) if (reason !== null) suppressed[reason] = (suppressed[reason] ?? 0) + 1;
    return {
      dryRun: true,
      channel: request.channel,
      recipients: request.recipients.length,
      tokenCount: rows.length,
      suppressed,
      messages,
    };
  };
};
