import { describe, expect, it } from 'vitest';
import { validationError } from '../../foundation/errors.ts';
import { gated } from './gated.ts';
import { tierRequired } from './plan.ts';

const scope = { orgId: 'org' };

describe('gated functions', () => {
  const api = {
    create: async (_: { orgId: string }, body: { name: string }) => `made ${body.name}`,
    get: async (_: { orgId: string }, id: string) => `read ${id}`,
  };
  const check = (_: unknown, { name }: { name: string }): void => {
    if (name === '') throw validationError({ name: ['is empty'] });
  };
  const under = (isOpen: boolean) => {
    const asked: unknown[] = [];
    const require = async (of: { readonly orgId: string }, gate: string): Promise<void> => {
      asked.push([of.orgId, gate]);
      if (!isOpen) throw tierRequired('templates', 'starter');
    };
    return { asked, ...gated(require, 'templates', api, { create: check }) };
  };

  it('a gated function works if the plan includes it', async () => {
    const { create, get, asked } = under(true);
    expect([await create(scope, { name: 'a' }), await get(scope, '1')]).toEqual(['made a', 'read 1']);
    expect(asked).toEqual([
      ['org', 'templates'],
      ['org', 'templates'],
    ]);
  });

  it('a gated function is rejected without the plan, after invalid input is reported', async () => {
    const { create, get } = under(false);
    await expect(create(scope, { name: '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(create(scope, { name: 'a' })).rejects.toMatchObject({ code: 'tier_required' });
    await expect(get(scope, '1')).rejects.toMatchObject({ code: 'tier_required' });
  });
});
