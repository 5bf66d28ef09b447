import type { Platform } from '../platform.ts';
import { type LimitNeeds, type Limits, limitsEngine } from './limits.ts';
import type { LimitTables } from './tables.ts';

/** Rate limits of calls and of email. */
export const limitsModule = ({ storage, tables, clock }: Platform<LimitTables>, needs: LimitNeeds) => {
  const { api, hasMailPermit, mailPermits, maintenance, close } = limitsEngine({ storage, tables, clock, ...needs });
  const { mailRequest, ...openApi } = api;
  return {
    name: 'limits',
    api: { mailRequest },
    openApi,
    maintenance,
    internal: { hasMailPermit, mailPermits } satisfies Pick<Limits, 'hasMailPermit' | 'mailPermits'>,
    close,
  };
};
