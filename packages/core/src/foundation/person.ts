/**
 * The one whom a profile describes, as one key: `u:` and the userId, or `a:` and the anonymousId of somebody who was
 * never identified. The two can never meet.
 */
export type Person = `u:${string}` | `a:${string}`;

export const userPerson = (userId: string): Person => `u:${userId}`;
export const anonymousPerson = (anonymousId: string): Person => `a:${anonymousId}`;

/** The userId of a person key; null for somebody anonymous. */
export const userIdOf = (person: string): string | null => (person.startsWith('u:') ? person.slice(2) : null);
/** The anonymousId of a person key; null for an identified user. */
export const anonymousIdOf = (person: string): string | null => (person.startsWith('a:') ? person.slice(2) : null);
