import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../transports/port.ts';
import { CIRCUIT_CAP_MS, CIRCUIT_MS, circuit } from './circuit.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const at = (ms: number): Date => new Date(start + ms);
const accepted: SendOutcome = { result: 'accepted', providerId: null };
const refused: SendOutcome = { result: 'credential', code: 'auth', message: 'No.' };
const busy: SendOutcome = { result: 'retry', code: 'busy', message: 'Later.', processed: 'no' };

describe('a circuit', () => {
  it('lets everything pass until credentials are refused', () => {
    const one = circuit();
    expect(one.pass(at(0))).toEqual({ may: 'all' });
    for (const outcome of [accepted, busy]) expect(one.tell(outcome, false, at(0))).toBeNull();
    expect(one.pass(at(0))).toEqual({ may: 'all' });
    expect(one.tell(refused, false, at(0))).toEqual({ until: at(CIRCUIT_MS), code: 'auth' });
    expect(one.pass(at(CIRCUIT_MS - 1))).toEqual({ may: 'none', until: at(CIRCUIT_MS) });
    expect(one.refusedUntil(at(0))).toEqual(at(CIRCUIT_MS));
  });

  it('opens once for all that were refused together', () => {
    const one = circuit();
    one.tell(refused, false, at(0));
    for (let call = 0; call < 50; call += 1) expect(one.tell(refused, false, at(100))).toBeNull();
    expect(one.refusedUntil(at(100))).toEqual(at(CIRCUIT_MS));
  });

  it('sends one message to see, and nothing beside it', () => {
    const one = circuit();
    one.tell(refused, false, at(0));
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'none' });
    expect(one.tell(accepted, true, at(CIRCUIT_MS))).toEqual({ until: null, code: null });
    expect(one.pass(at(CIRCUIT_MS))).toEqual({ may: 'all' });
  });

  it('stays open twice as long each time, up to a quarter of an hour', () => {
    const one = circuit();
    let now = 0;
    const waits: number[] = [];
    for (let opening = 0; opening < 7; opening += 1) {
      const pass = one.pass(at(now));
      const until = one.tell(refused, pass.may === 'one', at(now))?.until ?? at(now);
      waits.push(until.getTime() - start - now);
      now = until.getTime() - start;
    }
    expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900].map((seconds) => seconds * 1_000));
    one.pass(at(now));
    one.tell(accepted, true, at(now));
    expect(one.tell(refused, false, at(now))?.until).toEqual(at(now + CIRCUIT_MS));
  });

  it('tries the next message when the first one told nothing', () => {
    const one = circuit();
    one.tell(refused, false, at(0));
    one.pass(at(CIRCUIT_MS));
    expect(one.tell(busy, true, at(CIRCUIT_MS))).toBeNull();
    expect(one.pass(at(CIRCUIT_MS))).toMatchObject({ may: 'one' });
  });

  it('stays open at least as long as the provider asked for, and never longer than its cap', () => {
    const one = circuit();
    expect(one.tell({ ...refused, retryAfterMs: 300_000 }, false, at(0))?.until).toEqual(at(300_000));
    const other = circuit();
    expect(other.tell({ ...refused, retryAfterMs: 1e12 }, false, at(0))?.until).toEqual(at(CIRCUIT_CAP_MS));
  });
});
