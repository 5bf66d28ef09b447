import { describe, expect, it } from 'vitest';
import { tablesOf } from '../../app/tables.ts';
import type { BulkSelect } from '../../database/statements/bulk.ts';
import { localWake } from '../../database/wake.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { authenticator } from './authenticate.ts';
import { generateKey } from './key-format.ts';
import { tenancyStatements } from './statements.ts';

describe('authenticator', () => {
  it('the authenticator keeps a bounded number of results, however many unknown keys are tried', async () => {
    let reads = 0;
    const select = async <Row>(_: BulkSelect<Row>): Promise<Row[]> => {
      reads += 1;
      return [];
    };
    const keys = authenticator({
      storage: { select, outsideTransaction: (work) => work(), wake: localWake() },
      hot: tenancyStatements(tablesOf('sqlite')),
      clock: virtualClock('2026-03-01T10:00:00.000Z'),
      uses: { note: () => undefined },
      maxKeys: 1_000,
    });
    const first = generateKey('secret', 'prod');
    await keys.authenticate(first);
    for (let tried = 1; tried < 1_000; tried++) await keys.authenticate(generateKey('secret', 'prod'));
    await keys.authenticate(first);
    expect(reads).toBe(1_000);
    for (let tried = 0; tried < 1_000; tried++) await keys.authenticate(generateKey('secret', 'prod'));
    await keys.authenticate(first);
    expect(reads).toBe(2_001);
  });
});
