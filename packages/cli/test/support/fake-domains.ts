import type { Beckon, EmailDomain } from '@beckon/core';
import { AT, coreError, page, type World } from './world.ts';

/** Domains that are verified by name: those that begin with `good`. */
export const emailDomains = (state: World): Beckon['emailDomains'] => {
  const find = (id: string): EmailDomain => {
    const one = state.domains.find((some) => some.id === id);
    if (!one) throw coreError('NOT_FOUND', 'There is no such resource.');
    return one;
  };
  return {
    add: async (scope, { domain, dkim = false }) => {
      state.calls.push(`domains ${scope.environment} ${scope.orgId}/${scope.projectId}`);
      const one: EmailDomain = {
        id: `d${state.domains.length + 1}`,
        domain,
        status: 'pending',
        dkim,
        dkimFound: dkim ? false : null,
        records: [
          { type: 'TXT', name: `_beckon.${domain}`, value: 'beckon-verify=n', purpose: 'ownership' },
          ...(dkim
            ? [{ type: 'TXT', name: `k._domainkey.${domain}`, value: 'v=DKIM1', purpose: 'dkim' } as const]
            : []),
        ],
        createdAt: AT,
        verifiedAt: null,
        checkedAt: null,
      };
      state.domains.push(one);
      return one;
    },
    list: async (_, { limit = 50, cursor } = {}) => page(state.domains, limit, cursor),
    get: async (_, id) => find(id),
    remove: async (_, id) => {
      const [one] = state.domains.splice(state.domains.indexOf(find(id)), 1);
      if (!one) throw coreError('NOT_FOUND', 'There is no such resource.');
      return one;
    },
    verify: async (_, id) => {
      const one = find(id);
      const isGood = one.domain.startsWith('good');
      return {
        ...one,
        status: isGood ? 'verified' : 'pending',
        checks: [
          { name: 'ownership', state: isGood ? 'found' : 'missing', message: 'what to do' },
          { name: 'spf', state: 'missing', message: 'There is no SPF record' },
        ],
      };
    },
  };
};
