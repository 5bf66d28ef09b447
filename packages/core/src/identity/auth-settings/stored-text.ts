import { validationError } from '../../foundation/errors.ts';
import { isObject } from '../../foundation/json.ts';

/** The path of the first text or key that holds U+0000, which PostgreSQL cannot store; null: there is none. Throws nothing. */
const nulIn = (value: unknown, path: string): string | null => {
  if (typeof value === 'string') return value.includes('\0') ? path : null;
  const members = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  for (const [name, member] of members) {
    if (String(name).includes('\0')) return path;
    const found = nulIn(member, path === '' ? String(name) : `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
};

/**
 * Refuses texts that only one of the databases can store. Metadata may be nested deeply and is checked where it is cleaned.
 * Throws VALIDATION_ERROR.
 */
export const requireStorable = (body: object): void => {
  const path = nulIn(Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'metadata')), '');
  if (path !== null) throw validationError({ [path]: ['must not contain the character U+0000'] });
};
