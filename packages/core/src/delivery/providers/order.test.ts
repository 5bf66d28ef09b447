import { describe, expect, it } from 'vitest';
import { inOrder } from './order.ts';

const smtp = { provider: 'smtp', version: 1 } as const;
const ses = { provider: 'ses', version: 4 } as const;

describe('the order of providers', () => {
  it('is as they are where nothing is set', () => {
    expect(inOrder([smtp, ses], [])).toEqual([smtp, ses]);
  });

  it('is that of the list, which leaves out whom it does not name', () => {
    expect(inOrder([smtp, ses], ['ses', 'smtp'])).toEqual([ses, smtp]);
    expect(inOrder([smtp, ses], ['postmark', 'ses'])).toEqual([ses]);
    expect(inOrder([smtp], ['ses'])).toEqual([]);
  });
});
