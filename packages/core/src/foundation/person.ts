/**
 * Key of a profile: `u:` and the userId, or `a:` and the anonymousId of a user who was never identified. The two forms
 * never collide.
 */
export type Person = `u:${string}` | `a:${string}`;

export const userPerson = (userId: string): Person => `u:${userId}`;
export const anonymousPerson = (anonymousId: string): Person => `a:${anonymousId}`;

/** The userId of a profile key; null for an anonymous one. */
export const userIdOf = (person: string): string | null => (person.startsWith('u:') ? person.slice(2) : null);
/** The anonymousId of a profile key; null for an identified user. */
export const anonymousIdOf = (person: string): string | null => (person.startsWith('a:') ? person.slice(2) : null);
