import { describe, expect, it } from 'vitest';
import { inOrder } from './order.ts';

const smtp = { provider: 'smtp', version: 1 } as const;
const ses = { provider: 'ses', version: 4 } as const;

describe('the order of providers', () => {
  it('without a configured order, providers keep their own', () => {
    expect(inOrder([smtp, ses], [])).toEqual([smtp, ses]);
  });

  it('a configured order lists the providers to use and leaves out the others', () => {
    expect(inOrder([smtp, ses], ['ses', 'smtp'])).toEqual([ses, smtp]);
    expect(inOrder([smtp, ses], ['postmark', 'ses'])).toEqual([ses]);
    expect(inOrder([smtp], ['ses'])).toEqual([]);
  });
});
