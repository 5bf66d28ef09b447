import { describe, expect, it } from 'vitest';
import { databaseFindings } from './service.ts';

const states = (facts: Parameters<typeof databaseFindings>[0]): string[] =>
  databaseFindings(facts).map(({ check, state }) => `${check} ${state}`);

describe('checks of a database', () => {
  it('doctor fails for a damaged SQLite file and warns about a large write-ahead log', () => {
    const sqlite = { dialect: 'sqlite', version: '3.50.0', integrity: 'ok', walBytes: 0 } as const;
    expect(states(sqlite)).toEqual(['integrity ok', 'write-ahead log ok']);
    expect(states({ ...sqlite, integrity: 'page 3', walBytes: 2 ** 30 })).toEqual([
      'integrity fail',
      'write-ahead log warn',
    ]);
  });

  it('doctor warns about an old PostgreSQL, different clocks and missing notifications', () => {
    const postgres = { dialect: 'postgres', version: '15.4', clockAheadMs: -5_000, areSignalsDelivered: true } as const;
    expect(states(postgres)).toEqual(['postgres ok', 'clock ok', 'notifications ok']);
    const other = { ...postgres, version: '13.9', clockAheadMs: -7_200_000, areSignalsDelivered: false };
    expect(states(other)).toEqual(['postgres warn', 'clock warn', 'notifications warn']);
  });

  it('doctor prints the clock difference to PostgreSQL and what to do', () => {
    const postgres = { dialect: 'postgres', version: '15.4', areSignalsDelivered: true } as const;
    const messageOf = (clockAheadMs: number) =>
      databaseFindings({ ...postgres, clockAheadMs }).find(({ check }) => check === 'clock')?.message;
    expect(messageOf(-7_200_000)).toBe(
      "this host's clock is 7200000 ms ahead of the database's: synchronize both with NTP",
    );
    expect(messageOf(5_001)).toBe("this host's clock is 5001 ms behind the database's: synchronize both with NTP");
    expect(messageOf(12)).toBe("this host's clock is 12 ms behind the database's");
  });
});
