/** A value to compare with. */
export type Scalar = string | number | boolean;

/** Milliseconds of span units: elapsed time, independent of months and daylight saving time. */
export const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const;
export type Span = { readonly n: number; readonly unit: keyof typeof UNIT_MS };

/** Time zone in which a plain date begins: `user`, `org` or an IANA name; absent: UTC. */
type Zoned = { readonly timezone?: string };

/** A test of one value, which may be missing. */
export type ValueTest =
  | { readonly op: 'set' | 'not_set' }
  | { readonly op: 'eq' | 'neq' | 'includes' | 'not_includes'; readonly value: Scalar }
  | { readonly op: 'in' | 'not_in' | 'includes_any' | 'includes_all'; readonly value: readonly Scalar[] }
  | { readonly op: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: number }
  | { readonly op: 'between'; readonly value: readonly [least: number, most: number] }
  | {
      readonly op: 'contains' | 'not_contains' | 'starts_with' | 'ends_with';
      readonly value: string;
      readonly caseSensitive?: true;
    }
  | ({ readonly op: 'before' | 'after'; readonly value: string | number } & Zoned)
  | ({ readonly op: 'within_last' | 'within_next' | 'older_than'; readonly value: Span } & Zoned)
  | { readonly op: 'ver_eq' | 'ver_gt' | 'ver_gte' | 'ver_lt' | 'ver_lte'; readonly value: string };

export type Op = ValueTest['op'];
/** A test of a date. */
export type DateTest = Extract<ValueTest, { op: 'before' | 'after' | 'within_last' | 'within_next' | 'older_than' }>;

/** Built-in fields of a profile, named `user.email` and so on in leaves. */
export const USER_FIELDS = {
  userId: 'text',
  email: 'text',
  phone: 'text',
  locale: 'text',
  timezone: 'text',
  createdAt: 'time',
  lastSeenAt: 'time',
} as const;
export type UserField = keyof typeof USER_FIELDS;

/** True for the name of a built-in field. Throws nothing. */
export const isUserField = (name: string): name is UserField => Object.hasOwn(USER_FIELDS, name);

/** A trait by its complete name, including dots; `user.` is the prefix of built-in fields. */
export type TraitLeaf = { readonly trait: string } & ValueTest;
/** `event.<property>`, `user.*`, `trait.*` or `steps.<saveAs>.*`; each dot descends one object. */
export type PathLeaf = { readonly path: string } & ValueTest;
/** Tests relative to the present, which the `where` of an event does not support. */
type RelativeTest = Extract<ValueTest, { op: 'within_last' | 'within_next' | 'older_than' }>;
/** A test of an event's property; each dot of the path descends one object. */
export type WhereTest = { readonly path: string } & Exclude<ValueTest, RelativeTest>;
export type EventLeaf = {
  readonly event: string;
  readonly op: 'performed' | 'not_performed';
  readonly count?: { readonly gte?: number; readonly lte?: number };
  readonly within?: Span;
  readonly where?: readonly WhereTest[];
};
export type MemberLeaf = { readonly audience: string; readonly op: 'in' | 'not_in' };

type Tree<Leaf> =
  | Leaf
  | { readonly all: readonly Tree<Leaf>[] }
  | { readonly any: readonly Tree<Leaf>[] }
  | { readonly not: Tree<Leaf> };

/** The condition of an audience, in its stored form. */
export type Predicate = Tree<TraitLeaf | EventLeaf | MemberLeaf>;
/** The condition of a workflow step: tests the user like a predicate, and the run. */
export type Condition = Tree<TraitLeaf | EventLeaf | MemberLeaf | PathLeaf>;
/** A predicate in a request; an array means `all`. */
export type PredicateInput = Predicate | readonly Predicate[];
/** A condition in a request; an array means `all`. */
export type ConditionInput = Condition | readonly Condition[];
export type Leaf = TraitLeaf | EventLeaf | MemberLeaf | PathLeaf;

/** Three-valued: null is unknown. */
export type Verdict = boolean | null;

/** Direct children of a node; null for a leaf. Throws nothing. */
export const below = (node: Condition): readonly Condition[] | null => {
  if ('all' in node) return node.all;
  if ('any' in node) return node.any;
  return 'not' in node ? [node.not] : null;
};

/** All leaves, from left to right. Throws nothing. */
export const leavesOf = (node: Condition): readonly Leaf[] => {
  const within = below(node);
  // Safe: a node without children is a leaf.
  return within === null ? [node as Leaf] : within.flatMap(leavesOf);
};

/** Replaces the time zone `org` of a leaf by the project's; null: the project has none, so UTC. Throws nothing. */
export const leafInOrgZone = <L extends Leaf>(leaf: L, orgTimezone: string | null): L =>
  'timezone' in leaf && leaf.timezone === 'org' ? { ...leaf, timezone: orgTimezone ?? 'UTC' } : leaf;

/** Replaces the time zone `org` in all leaves of a predicate. Throws nothing. */
export const inOrgZone = (node: Predicate, orgTimezone: string | null): Predicate => {
  if ('all' in node) return { all: node.all.map((one) => inOrgZone(one, orgTimezone)) };
  if ('any' in node) return { any: node.any.map((one) => inOrgZone(one, orgTimezone)) };
  return 'not' in node ? { not: inOrgZone(node.not, orgTimezone) } : leafInOrgZone(node, orgTimezone);
};

/** Number of tests per profile: leaves, and entries of `where`. Throws nothing. */
export const leafCount = (node: Condition | null): number =>
  node === null
    ? 0
    : leavesOf(node).reduce((sum, leaf) => sum + 1 + ('event' in leaf ? (leaf.where?.length ?? 0) : 0), 0);

export const spanMs = ({ n, unit }: Span): number => n * UNIT_MS[unit];
