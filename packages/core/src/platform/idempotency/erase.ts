import type { Eraser } from '../erasure/eraser.ts';
import type { idempotencyStore } from './store.ts';

/** Answers looked at per step; ours. */
const LOOK = 500;

/** Characters from which on a name in a key is taken for that name; ours: a short one may stand in anybody's. */
const MIN_NAME = 6;

const isPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** True where a text holds a name by itself, not as a part of a longer one. */
const names = (text: string, name: string): boolean => {
  if (name.length < MIN_NAME) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return true;
  return false;
};

/**
 * Forgets kept answers that name the person or an address of theirs, or whose key does: nothing else says whom they are
 * about. A request that comes again is done again then. What tells of them in no such way lapses within a day.
 */
export const answerEraser = (store: Pick<ReturnType<typeof idempotencyStore>, 'answersAfter' | 'forget'>): Eraser => ({
  name: 'kept answers',
  begin: ({ scope, people, addresses }) => {
    let after: { readonly route: string; readonly key: string } | null = null;
    const ids = people.map((person) => person.slice(2));
    const idsInAnswers = ids.map((id) => JSON.stringify(id));
    // A caller may write a mail address in other letters than the profile does: both reach the same person.
    const inKeys = addresses.map((address) => address.toLowerCase());
    const inAnswers = inKeys.map((address) => JSON.stringify(address).slice(1, -1));
    const holds = (text: string, these: readonly string[]): boolean => {
      if (these.length === 0) return false;
      const folded = text.toLowerCase();
      return these.some((one) => folded.includes(one));
    };
    return async () => {
      const rows = await store.answersAfter(scope, after, LOOK);
      const telling = rows.filter(
        ({ key, answer }) =>
          holds(key, inKeys) ||
          ids.some((id) => names(key, id)) ||
          (answer !== null && (idsInAnswers.some((text) => answer.includes(text)) || holds(answer, inAnswers))),
      );
      for (const row of telling) await store.forget(row);
      after = rows.at(-1) ?? null;
      return { rows: telling.length, isMore: rows.length === LOOK };
    };
  },
});
