import { afterEach, describe } from 'vitest';
import { claimsContract } from './contract-claims.ts';
import { commitsContract } from './contract-commits.ts';
import { deadlinesContract } from './contract-deadlines.ts';
import { edgesContract } from './contract-edges.ts';
import { plansContract } from './contract-plans.ts';
import { slotsContract } from './contract-slots.ts';
import { togetherContract } from './contract-together.ts';
import { transactionsContract } from './contract-transactions.ts';
import { valuesContract } from './contract-values.ts';
import type { ContractDatabase, Given } from './given.ts';

/**
 * The contract of every database behind `Storage`. `open` returns an empty database with the tables of sample.ts, with
 * an injected clock and observer; the contract closes it.
 */
export const storageContract = (name: string, open: Given): void => {
  describe(name, () => {
    const opened: ContractDatabase[] = [];
    const given: Given = async (options) => {
      const database = await open(options);
      opened.push(database);
      return database;
    };
    afterEach(async () => {
      for (const database of opened.splice(0)) await database.close();
    });

    valuesContract(given);
    plansContract(given);
    commitsContract(given);
    slotsContract(given);
    togetherContract(given);
    transactionsContract(given);
    claimsContract(given);
    deadlinesContract(given);
    edgesContract(given);
  });
};
