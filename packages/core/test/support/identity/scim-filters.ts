import fc from 'fast-check';

/** A user as filters see it. */
export type FilterUser = {
  readonly id: string;
  readonly externalId: string | null;
  readonly userName: string;
  readonly displayName: string | null;
  readonly active: boolean;
  readonly created: number;
  readonly emails: readonly { readonly value: string; readonly type?: string; readonly primary?: boolean }[];
};

/** A filter as text, with its reference evaluation. */
export type ReferenceFilter<T> = { readonly text: string; readonly test: (subject: T) => boolean };

const TEXTS = ['', 'a', 'A', 'b', 'ab', 'Ab', 'É', 'é', '%', '_', "'", '"', '\\', '😀', '\uffee', 'work'] as const;
const text = fc.array(fc.constantFrom(...TEXTS), { maxLength: 2 }).map((parts) => parts.join(''));
const START = Date.UTC(2026, 0, 1);
const instant = fc.integer({ min: 0, max: 5 }).map((day) => START + day * 86_400_000);

export const filterUser: fc.Arbitrary<FilterUser> = fc.record({
  id: text,
  externalId: fc.option(text),
  userName: text,
  displayName: fc.option(text),
  active: fc.boolean(),
  created: instant,
  emails: fc.array(fc.record({ value: text, type: text, primary: fc.boolean() }, { requiredKeys: ['value'] }), {
    maxLength: 3,
  }),
});

const compareText = (op: string, left: string | null, right: string): boolean => {
  if (op === 'ne') return left !== right;
  if (left === null) return false;
  const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
  const outcomes: Readonly<Record<string, boolean>> = {
    eq: order === 0,
    co: left.includes(right),
    sw: left.startsWith(right),
    ew: left.endsWith(right),
    gt: order > 0,
    ge: order >= 0,
    lt: order < 0,
    le: order <= 0,
  };
  return outcomes[op] === true;
};

const randomCase = (name: string) => fc.constantFrom(name, name.toUpperCase(), name.toLowerCase());
const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le');

const textTerm = <T>(
  name: string,
  isExact: boolean,
  read: (subject: T) => string | null,
  values: fc.Arbitrary<string> = text,
) =>
  fc.tuple(randomCase(name), operator, values).map(([path, op, value]): ReferenceFilter<T> => {
    const fold = (input: string) => (isExact ? input : input.toLowerCase());
    const term = (subject: T) => {
      const left = read(subject);
      return compareText(op, left === null ? null : fold(left), fold(value));
    };
    return { text: `${path} ${op} ${JSON.stringify(value)}`, test: term };
  });
const presentTerm = <T>(name: string, read: (subject: T) => unknown) =>
  fc.constantFrom(
    { text: `${name} pr`, test: (subject: T) => read(subject) != null },
    { text: `${name} eq null`, test: (subject: T) => read(subject) == null },
    { text: `${name} ne null`, test: (subject: T) => read(subject) != null },
  );
const booleanTerm = <T>(name: string, read: (subject: T) => boolean | null) =>
  fc.tuple(fc.constantFrom('eq', 'ne'), fc.boolean(), fc.boolean()).map(
    ([op, value, isText]): ReferenceFilter<T> => ({
      text: `${name} ${op} ${isText ? `"${value ? 'True' : 'False'}"` : value}`,
      test: (subject) => (read(subject) === value) === (op === 'eq'),
    }),
  );
const timeTerm = fc.tuple(fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le'), instant).map(
  ([op, value]): ReferenceFilter<FilterUser> => ({
    text: `meta.created ${op} "${new Date(value).toISOString()}"`,
    // Instants of one length compare like their digits.
    test: (user) => compareText(op, String(user.created), String(value)),
  }),
);

const combined = <T>(term: fc.Arbitrary<ReferenceFilter<T>>, maxDepth: number): fc.Arbitrary<ReferenceFilter<T>> => {
  if (maxDepth === 0) return term;
  const inner = combined(term, maxDepth - 1);
  return fc.oneof(
    term,
    inner.map((filter) => ({ text: `not (${filter.text})`, test: (subject: T) => !filter.test(subject) })),
    fc.tuple(inner, inner, fc.constantFrom('and', 'OR')).map(([left, right, word]) => ({
      text: `(${left.text}) ${word} (${right.text})`,
      test: (subject: T) =>
        word === 'and' ? left.test(subject) && right.test(subject) : left.test(subject) || right.test(subject),
    })),
    // Without parentheses `and` binds closer than `or`.
    fc.tuple(term, term, term).map(([first, second, third]) => ({
      text: `${first.text} or ${second.text} and ${third.text}`,
      test: (subject: T) => first.test(subject) || (second.test(subject) && third.test(subject)),
    })),
  );
};

type Email = FilterUser['emails'][number];
const emailTerm = fc.oneof(
  textTerm<Email>('value', false, ({ value }) => value),
  textTerm<Email>('type', false, ({ type }) => type ?? null),
  booleanTerm<Email>('primary', ({ primary }) => primary ?? null),
  presentTerm<Email>('type', ({ type }) => type),
);
const emailsTerm = fc.oneof(
  combined(emailTerm, 1).map((filter) => ({
    text: `emails[${filter.text}]`,
    test: (user: FilterUser) => user.emails.some(filter.test),
  })),
  fc.tuple(fc.constantFrom('emails', 'emails.value'), operator, text).map(([path, op, value]) => ({
    text: `${path} ${op} ${JSON.stringify(value)}`,
    test: ({ emails }: FilterUser) => {
      const matches = (each: string) => (email: Email) =>
        compareText(each, email.value.toLowerCase(), value.toLowerCase());
      return op === 'ne' ? !emails.some(matches('eq')) : emails.some(matches(op));
    },
  })),
);

/** Random filters of users. `ids`: values that filters compare ids with. */
export const userFilterOver = (ids: fc.Arbitrary<string>): fc.Arbitrary<ReferenceFilter<FilterUser>> =>
  combined(
    fc.oneof(
      textTerm<FilterUser>('id', true, ({ id }) => id, ids),
      textTerm<FilterUser>('externalId', true, ({ externalId }) => externalId),
      textTerm<FilterUser>('urn:ietf:params:scim:schemas:core:2.0:User:userName', false, ({ userName }) => userName),
      textTerm<FilterUser>('displayName', false, ({ displayName }) => displayName),
      booleanTerm<FilterUser>('active', ({ active }) => active),
      presentTerm<FilterUser>('externalId', ({ externalId }) => externalId),
      presentTerm<FilterUser>('displayName', ({ displayName }) => displayName),
      timeTerm,
      emailsTerm,
    ),
    2,
  );

/** A random filter of users. */
export const userFilter = userFilterOver(text);
