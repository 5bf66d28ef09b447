import type { Platform } from '../../platform/platform.ts';
import type { Precondition } from '../sends/deliver/message.ts';
import { bindMessageReaction } from '../sends/finalize/reactions.ts';
import { reportedAddresses } from './reported-addresses.ts';
import { type Suppressions, suppressionsEngine } from './suppressions.ts';
import type { SuppressionTables } from './tables.ts';

export type SuppressionsPlatform = Platform<SuppressionTables>;

/** Builds suppression lists, which need no other module. */
export const suppressionsModule = ({ storage, tables, clock }: SuppressionsPlatform) => {
  const suppressions: Suppressions = suppressionsEngine({ storage, tables, clock });
  const { api, eraser, assertUnchanged } = suppressions;
  const precondition: Precondition = ({ row, addressState }) => assertUnchanged(row, addressState);
  return {
    name: 'suppressions',
    api,
    messageReactions: [bindMessageReaction(reportedAddresses(suppressions))],
    preconditions: [precondition],
    erasers: [eraser],
    internal: suppressions,
  };
};
