import { describe, expect, it } from 'vitest';
import { eventBody, isEventBody } from './schema.ts';

const x = (count: number): string => 'x'.repeat(count);
const FIELDS = Object.keys(eventBody.shape);
const VALUES: readonly unknown[] = [
  ...[0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257].map(x),
  ...['2026-03-01', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000+01:00', '2026-13-01', '2026-03-01T10', 'soon'],
  ...['\u{1f600}'.repeat(32), '\u{1f600}'.repeat(33), '\u{1f600}'.repeat(64), '\u{1f600}'.repeat(65), '\0', '\ud800'],
  ...[null, undefined, true, 0, 1, Number.NaN, 5n, {}, { a: 1 }, [], [{}], new Date(0), Object.create(null), () => 1],
];
const RIGHT = { module: 'app', eventType: 'opened', userId: 'ann', properties: {}, timestamp: '2026-03-01T10:00:00Z' };

const agrees = (body: unknown, says: string): boolean => {
  const parsed = eventBody.safeParse(body);
  const isTaken = isEventBody(body);
  expect(isTaken, says).toBe(parsed.success);
  // The parsed body equals the input.
  if (parsed.success)
    for (const [name, value] of Object.entries(parsed.data)) expect(body).toHaveProperty([name], value);
  return isTaken;
};

describe('isEventBody', () => {
  it('isEventBody agrees with the schema on every value of every field', () => {
    const taken = FIELDS.flatMap((name) =>
      VALUES.map((value, at) => agrees({ ...RIGHT, [name]: value }, `${name}, value ${at}`)),
    );
    expect(taken.filter(Boolean).length).toBeGreaterThan(80);
    expect(taken.filter((is) => !is).length).toBeGreaterThan(80);
  });

  it('isEventBody agrees with the schema on random bodies', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    let taken = 0;
    for (let n = 0; n < 3_000; n += 1) {
      const wrong = Array.from({ length: random(4) }, () => [
        FIELDS[random(FIELDS.length)],
        VALUES[random(VALUES.length)],
      ]);
      const body: Record<string, unknown> = { ...RIGHT, other: n, ...Object.fromEntries(wrong) };
      if (random(20) === 0) delete body[FIELDS[random(FIELDS.length)] ?? ''];
      if (agrees(body, `body ${n}`)) taken += 1;
    }
    expect(taken).toBeGreaterThan(500);
    expect(taken).toBeLessThan(2_500);
  });

  it('isEventBody agrees with the schema on values that are not objects', () => {
    for (const [at, body] of VALUES.entries()) expect(agrees(body, `value ${at}`)).toBe(false);
  });
});
