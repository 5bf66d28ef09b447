// Invalid bodies: each variant differs from a valid one in one place.

type Schema = Readonly<Record<string, unknown>>;
/** A body, and the change that was made to it. */
export type Variant = { readonly says: string; readonly body: unknown };

/** Longer texts and lists are rejected by the body cap before any schema reads them. */
const LONGEST = 10_000;
const STRANGERS: readonly unknown[] = [
  null,
  7,
  -1.5,
  'no such thing',
  '',
  '\u0000',
  '\ud800',
  true,
  [],
  [null],
  {},
  { a: { b: [1] } },
];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const edgesOf = (schema: Schema, value: unknown): unknown[] => {
  const { maxLength, maxItems, minimum, maximum } = schema;
  return [
    ...(typeof maxLength === 'number' && maxLength < LONGEST ? ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)] : []),
    ...(typeof maxItems === 'number' && maxItems < LONGEST && Array.isArray(value)
      ? [Array.from({ length: maxItems + 1 }, () => value[0])]
      : []),
    ...(typeof minimum === 'number' ? [minimum - 1] : []),
    ...(typeof maximum === 'number' ? [maximum + 1, 1e300] : []),
  ];
};

/**
 * Variants of a valid body: each member left out, or replaced by a value of another kind, one at a time.
 *
 * @param resolve resolves a reference
 */
export const variantsOf = (schema: Schema, good: unknown, resolve: (ref: string) => Schema): Variant[] => {
  const visit = (
    schema: Schema,
    value: unknown,
    at: string,
    put: (value: unknown) => unknown,
    depth: number,
  ): Variant[] => {
    const { $ref: ref, anyOf, oneOf } = schema;
    if (typeof ref === 'string') return visit(resolve(ref), value, at, put, depth);
    const branches = anyOf ?? oneOf;
    const own = [...STRANGERS, ...edgesOf(schema, value)].map((stranger) => ({
      says: `${at || 'body'} = ${JSON.stringify(stranger)?.slice(0, 40)}`,
      body: put(stranger),
    }));
    if (depth === 0) return own;
    if (Array.isArray(branches)) return [...own, ...branches.flatMap((one) => visit(one, value, at, put, depth - 1))];
    const { properties, items } = schema;
    if (isObject(properties) && isObject(value)) {
      const members = Object.entries(properties).flatMap(([name, inner]) => {
        if (!isObject(inner)) return [];
        const { [name]: _gone, ...rest } = value;
        const without = { says: `${at}.${name} is left out`, body: put(rest) };
        return [
          without,
          ...visit(inner, value[name], `${at}.${name}`, (one) => put({ ...value, [name]: one }), depth - 1),
        ];
      });
      return [...own, ...members, { says: `${at} has a stranger`, body: put({ ...value, noSuchKey: 1 }) }];
    }
    if (isObject(items) && Array.isArray(value) && value.length > 0) {
      const [first, ...others] = value;
      return [...own, ...visit(items, first, `${at}.0`, (one) => put([one, ...others]), depth - 1)];
    }
    return own;
  };
  return visit(schema, good, '', (value) => value, 6);
};
