import { digest48 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';

/**
 * Index key of a profile's events: a 48-bit digest, small because every event writes it. Two profiles may share a key,
 * so queries must also compare scope and person. Throws nothing.
 */
export const personKey = ({ scopeId }: InScope, person: string): number => digest48(person, scopeId);
