import type { Client } from './client.ts';
import type { GithubEvent } from './payloads.ts';
import { compareLists, type Line } from './report.ts';
import { until } from './until.ts';

type Explanation = { readonly isMember: boolean; readonly explanation: { readonly verdict: string } };
type Audience = { readonly id: string; readonly status: string; readonly memberCount: number };

/** Number of events of one kind that make a regular. */
export const REGULAR = 3;
const KINDS = ['github.issue_comment', 'github.sponsorship', 'github.fork'];
/** The workflow of `regulars.bundle.json` refers to it by this name. */
const NAME = 'Regulars';

/** An organization is never a regular. */
const predicate = [
  { trait: 'type', op: 'eq', value: 'User' },
  { any: KINDS.map((event) => ({ event, op: 'performed', count: { gte: REGULAR } })) },
];

/** The predicate by simple arithmetic over the payloads. */
const regularsOf = (events: readonly GithubEvent[]): readonly string[] => {
  const users = new Set(events.flatMap(({ userId }) => (userId === undefined ? [] : [userId])));
  const typeOf = (userId: string): string | undefined =>
    events.find((one) => one.userId === userId)?.properties.sender?.type;
  const counted = (userId: string, kind: string): number =>
    events.filter((one) => one.userId === userId && one.eventType === kind).length;
  return [...users].filter(
    (userId) => typeOf(userId) === 'User' && KINDS.some((kind) => counted(userId, kind) >= REGULAR),
  );
};

/** A segment of active users. */
export type Regulars = {
  /**
   * Checks its members and `memberCount`: these newcomers and those that it found; waits until the count is reached.
   */
  lines(what: string, newcomers: readonly string[]): Promise<Line[]>;
  /** Its explanation of a user: membership, and the verdict of its predicate. */
  explained(what: string, userId: string, expected: boolean): Promise<Line>;
};

const group = 'audience';

/** Creates the segment and waits until it has evaluated every existing user. */
export const createRegulars = async (
  { post, get, list }: Client,
  events: readonly GithubEvent[],
): Promise<Regulars> => {
  const { id } = await post<Audience>('/audiences', JSON.stringify({ name: NAME, predicate }));
  const path = `/audiences/${id}`;
  await until(async () => (await get<Audience>(path)).status === 'ready');
  return {
    lines: async (what, newcomers) => {
      const expected = [...regularsOf(events), ...newcomers];
      // For some seconds after its predicate is new, the worker counts events a moment after ingest.
      await until(async () => (await get<Audience>(path)).memberCount >= expected.length);
      const { memberCount } = await get<Audience>(path);
      const members = (await list<{ readonly userId: string }>(`${path}/members`)).map(({ userId }) => userId);
      return [
        { group, what: `${NAME}, ${what}: who they are`, ...compareLists(expected, members) },
        { group, what: `${NAME}, ${what}: memberCount`, expected: expected.length, got: memberCount },
      ];
    },
    explained: async (what, userId, expected) => {
      const { isMember, explanation } = await get<Explanation>(`${path}/explain/${userId}`);
      return {
        group,
        what: `${userId}, ${what}: member, verdict`,
        expected: `${expected}, ${expected}`,
        got: `${isMember}, ${explanation.verdict}`,
      };
    },
  };
};
