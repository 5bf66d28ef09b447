import { digest48 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';

/**
 * By what a person's events are found: a 48-bit digest, since the index over it is written for every event. Two people
 * may share one, so whoever looks by it compares scope and person as well. Throws nothing.
 */
export const personKey = ({ scopeId }: InScope, person: string): number => digest48(person, scopeId);
