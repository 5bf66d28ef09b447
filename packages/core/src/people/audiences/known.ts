import type { InScope } from '../../foundation/scope.ts';
import type { Facts } from './predicate/facts.ts';
import type { Condition } from './predicate/types.ts';

/** What a condition asks of somebody besides their profile. */
export type Known = Pick<Facts, 'isMember' | 'tallyOf'>;

/** Reads, for one person, which of the audiences they are in and how often they did what a condition asks about. */
export type LoadKnown = (scope: InScope, person: string, asked: Condition, now: Date) => Promise<Known>;
