import { expect, it } from 'vitest';
import { tablesOf } from '../../../app/tables.ts';
import { sendingStatements } from '../statements.ts';
import { engagementStatements } from '../track/engagement-statements.ts';
import { reportStatements } from '../track/report-statements.ts';
import { COUNTED } from './sums.ts';

it('every statement that changes a counted column marks its send as unreported', () => {
  const tables = tablesOf('sqlite');
  const all = [sendingStatements(tables), engagementStatements(tables), reportStatements(tables)];
  const counting = all
    .flatMap((statements) => Object.values(statements))
    .flatMap((statement) => {
      if (!('kind' in statement) || statement.kind !== 'write' || statement.table !== tables.sends) return [];
      if (statement.form.verb !== 'update') return [];
      const { set } = statement.form;
      return COUNTED.some((key) => key in set) ? [[statement.id, set['reportedAt']]] : [];
    });
  expect(Object.fromEntries(counting)).toEqual({
    'sending.count': 'null',
    'sending.advance': 'null',
    'sending.give_up': 'null',
    'sending.count_engagement': 'null',
    'sending.count_report': 'null',
  });
});
