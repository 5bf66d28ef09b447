// From a leased row to one that a transport may be given. Between lease and handover everything happens in memory; the
// handover is one transaction that only lets through what is still ours and whose send is not cancelled. From its
// commit on a message counts as given to its provider: if we die before the answer is written, the next owner decides
// by the channel's rule.

import type { Channel } from '../../api.ts';
import type { Clock } from '../../primitives/clock.ts';
import { type InScope, scopeKey, scopeOf } from '../../primitives/scope.ts';
import { type LoadProfiles, type PersonKey, type ProfileView, personKey, templateScopes } from '../../profiles/view.ts';
import type { ProviderConnection } from '../../providers/connections.ts';
import type { Claimed } from '../../storage/claim.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Tag, type Write, write } from '../../storage/write-set.ts';
import type { SendContext, SendOutcome } from '../../transports/port.ts';
import type { Channels, Rendered } from '../channel.ts';
import type { SendingHot } from '../hot.ts';
import { addressOfRow } from '../rows.ts';
import type { SendStatus, SuppressionReason } from '../schema.ts';
import { bySend, sendKey } from '../settle/counters.ts';
import { type MessageRef, messageTag, type Settled, settleOrder, settleWrites, stopOf } from '../settle/outcome.ts';
import type { MessageRow } from '../store.ts';
import { type SendContent, sendContentReader } from './content.ts';
import { GATES, type GateContext, judge } from './gates.ts';

export type HandoverDeps = {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly hot: SendingHot;
  readonly clock: Clock;
  readonly channels: Channels;
  readonly loadProfiles: LoadProfiles;
  readonly resendsAmbiguous: boolean;
  /** Where the provider of text messages of a scope reports; null: nowhere. */
  readonly statusCallback: (scope: InScope) => string | null;
};

export type Leased = Claimed<MessageRow>;

/** A leased message and what would send it. */
export type Job = { readonly row: Leased; readonly connection: ProviderConnection | null };

type Candidate<J extends Job> = WithSend<J> & {
  readonly unusable: SuppressionReason | null;
  readonly rendered: () => Rendered<unknown>;
  readonly send: (context: SendContext) => Promise<SendOutcome>;
};

/** A message that was handed over; `send` gives it to its transport. */
export type Given<J extends Job> = { readonly job: J; readonly send: (context: SendContext) => Promise<SendOutcome> };

const UNREADABLE: Rendered<never> = {
  verdict: 'failed',
  code: 'content_missing',
  message: 'The send of this message is gone.',
};

/** What later statements compare of a leased row. Throws nothing. */
export const refOf = (row: Leased, attempt: number): MessageRef => ({
  ...scopeOf(row),
  id: row.id,
  fence: row.fence,
  sendId: row.sendId,
  channel: row.channel,
  createdAt: row.createdAt,
  attempt,
});

const sendTag = (scope: InScope, sendId: string): Tag => `s:${sendKey(scope, sendId)}`;

/** A send, and its `sendKey`: strings as long as that are not made twice. */
type SendRef = InScope & { readonly id: string; readonly sendId: string; readonly key: string };
type WithSend<J extends Job> = { readonly job: J; readonly sendOf: SendRef };

/** Each job with its send; jobs of one send have the same object. */
const withSends = <J extends Job>(jobs: readonly J[]): WithSend<J>[] => {
  const sends = new Map<string, SendRef>();
  return jobs.map((job) => {
    const { row } = job;
    const key = sendKey(row, row.sendId);
    const sendOf = sends.get(key) ?? { ...scopeOf(row), id: row.sendId, sendId: row.sendId, key };
    sends.set(key, sendOf);
    return { job, sendOf };
  });
};
const sendsIn = (jobs: readonly WithSend<Job>[]): SendRef[] => [...new Set(jobs.map(({ sendOf }) => sendOf))];

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * Makes the function that hands leased messages over: answers those that their transports may be given; every other
 * one has its verdict on disk, or is not ours any more. A constant number of statements, whatever their number.
 */
export const handover = (deps: HandoverDeps): (<J extends Job>(jobs: readonly J[]) => Promise<readonly Given<J>[]>) => {
  const { storage, hot, clock, channels, loadProfiles, resendsAmbiguous, statusCallback } = deps;
  const readContents = sendContentReader(storage, hot);
  const order = [hot.claimSend, ...settleOrder(hot).slice(0, -1), hot.handOver, hot.settle];

  const statesOf = async (candidates: readonly Candidate<Job>[]): Promise<Map<string, SendStatus>> => {
    const keys = sendsIn(candidates).map((send) => [scopeKey(send), send.sendId]);
    const states = await storage.select(hot.sendStates, keys);
    return new Map(states.map((state) => [sendKey(state, state.id), state.status]));
  };

  /** The profile of each row, in the order of the rows. */
  const profilesOf = async (rows: readonly Leased[]): Promise<readonly (ProfileView | undefined)[]> => {
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

  const unusableOf = async (rows: readonly Leased[]): Promise<ReadonlyMap<string, SuppressionReason>> => {
    const asked = [...Map.groupBy(rows, ({ channel }) => channel)].map(async ([channel, group]) => {
      const held = group.flatMap((row) =>
        row.address === null
          ? []
          : [
              {
                ...scopeOf(row),
                id: row.id,
                person: row.person,
                address: row.address,
                facts: addressOfRow(row, row.address).facts,
              },
            ],
      );
      return held.length === 0 ? undefined : channels[channel].unusable?.(held);
    });
    return new Map((await Promise.all(asked)).flatMap((reasons) => [...(reasons ?? [])]));
  };

  type Loaded = { send: SendContent | undefined; profile: ProfileView | undefined };

  /** `channel` and `connection` are those of the row: the caller proves it. */
  const bound = <C extends Channel>(
    channel: C,
    connection: ProviderConnection<C> | null,
    row: Leased,
    { send, profile }: Loaded,
  ) => {
    const rendered = once(() => {
      if (!send || !connection || row.address === null) return UNREADABLE;
      return channels[channel].render(send.content, {
        scope: row,
        messageId: row.id,
        sendId: row.sendId,
        to: addressOfRow(row, row.address),
        role: row.role,
        defaultFrom: connection.defaultFrom,
        statusCallback: statusCallback(row),
        scopes: { ...send.variables, ...templateScopes(profile) },
        now: clock.now(),
      });
    });
    return {
      rendered,
      send: async (context: SendContext): Promise<SendOutcome> => {
        const made = rendered();
        if (!connection || made.verdict !== 'pass')
          throw new Error('a message without provider or text passed its gates');
        return connection.transport.send(made.message, context);
      },
    };
  };

  const load = async <J extends Job>(jobs: readonly J[]): Promise<Candidate<J>[]> => {
    const rows = jobs.map(({ row }) => row);
    const placed = withSends(jobs);
    const [contents, profiles, unusable] = await Promise.all([
      readContents(sendsIn(placed)),
      profilesOf(rows),
      unusableOf(rows),
    ]);
    return placed.map(({ job, sendOf }, at) => {
      const { row, connection } = job;
      const loaded = { send: contents.get(sendOf.key), profile: profiles[at] };
      // Safe: connections are looked up by the row's own channel (dispatch.ts).
      const { rendered, send } = bound(
        row.channel,
        connection as ProviderConnection<typeof row.channel> | null,
        row,
        loaded,
      );
      return { job, sendOf, unusable: unusable.get(row.id) ?? null, rendered, send };
    });
  };

  const writesOf = (
    passed: readonly Candidate<Job>[],
    stopped: readonly Settled[],
    states: ReadonlyMap<string, SendStatus>,
    now: Date,
  ): Write[] => [
    ...sendsIn(passed)
      // One that was found in `sending` can be cancelled no more, and its row would make hand-overs wait for each other.
      .filter(({ key }) => states.get(key) !== 'sending')
      .sort(bySend)
      .map((send) =>
        write(
          hot.claimSend,
          { ...scopeOf(send), id: send.id, status: 'sending', claimedAt: now },
          sendTag(send, send.id),
        ),
      ),
    ...passed.map(({ job: { row } }) =>
      write(hot.handOver, { ...scopeOf(row), id: row.id, fence: row.fence, status: 'sending' }, messageTag(row)),
    ),
    ...settleWrites(hot, stopped, now),
  ];

  return async (jobs) => {
    let open = await load(jobs);
    // Bounded by itself: each failed plan shows a message that is somebody else's or a send that has closed, and
    // neither comes back.
    while (open.length > 0) {
      const states = await statesOf(open);
      const now = clock.now();
      const passed: typeof open = [];
      const stopped: Settled[] = [];
      for (const candidate of open) {
        const { row, connection } = candidate.job;
        const context: GateContext = {
          sendStatus: states.get(candidate.sendOf.key) ?? null,
          unusable: candidate.unusable,
          hasProvider: connection !== null,
          resendsAmbiguous,
          rendered: candidate.rendered,
        };
        const verdict = judge(GATES, row, context);
        if (verdict.verdict === 'pass') passed.push(candidate);
        else stopped.push({ message: refOf(row, row.attempt), settlement: stopOf(verdict, row.attempt, now) });
      }
      const committed = await storage.commit({ order, writes: writesOf(passed, stopped, states, now) });
      if (committed.ok) return passed;
      // A message whose fence moved on is another worker's. A send that was refused is read again, and judged.
      open = open.filter(({ job }) => !committed.failed.has(messageTag(job.row)));
    }
    return [];
  };
};
