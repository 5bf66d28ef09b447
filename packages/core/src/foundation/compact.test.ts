import { expect, it } from 'vitest';
import { compact } from './compact.ts';

it('compact leaves out undefined members and keeps every other value', () => {
  const absent: string | undefined = undefined;
  expect(Object.keys(compact({ a: absent, b: null, c: 0, d: '', e: false }))).toEqual(['b', 'c', 'd', 'e']);
});
