import type { Mutant } from '../../../test/mutant.ts';

/** Rules of counters, for `npm run campaign -- mutants audiences/counting`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'the newest times are kept, whatever the order in which events come',
    file: 'tally.ts',
    find: 'times.toSorted((a, b) => b - a).slice(0, kept)',
    replace: 'times.slice(0, kept)',
  },
  {
    says: 'no more times are kept than are asked for',
    file: 'tally.ts',
    find: '.slice(0, kept);',
    replace: ';',
  },
  {
    says: 'all conditions of an event hold',
    file: 'tally.ts',
    find: 'where.every(',
    replace: 'where.some(',
  },
  {
    says: 'a counter that changed meanwhile is not overwritten',
    file: 'hot.ts',
    find: "where: [...KEY, 'version'],\n    set:",
    replace: 'where: [...KEY],\n    set:',
  },
  {
    says: 'a counter that appeared meanwhile is not lost',
    file: 'hot.ts',
    find: 'conflict: { target: KEY },\n    isGuarded: true,',
    replace: 'conflict: { target: KEY },\n    isGuarded: false,',
  },
  {
    says: 'a duplicate is not counted',
    file: 'counters.ts',
    find: 'of freshEntries(draft))',
    replace: 'of draft.entries)',
  },
  {
    says: 'a merged person’s counters go to the user',
    file: 'counters.ts',
    find: 'put(to, eventType, (tally) => withTally(tally, state.tally, kept));',
    replace: '',
  },
  {
    says: 'a merged person’s own counters end',
    file: 'counters.ts',
    find: '          state.isGone = true;\n',
    replace: '',
  },
  {
    says: 'what is not filled yet is unknown',
    file: 'counters.ts',
    find: 'if (!counted(key).get(name)?.isFilled) return null;',
    replace: 'if (!counted(key).get(name)) return null;',
  },
  {
    says: 'filling waits until every process counts',
    file: 'counters.ts',
    find: 'if (now.getTime() < from) return new Date(from);',
    replace: '',
  },
  {
    says: 'more times than are kept are counted anew',
    file: 'counters.ts',
    find: 'if ((known.get(eventType)?.kept ?? 0) >= keptOf(needed)) continue;',
    replace: 'if (known.has(eventType)) continue;',
  },
  {
    says: 'what nobody asks about is counted no longer',
    file: 'counters.ts',
    find: 'if (unasked.length > 0) await store.forget(scope, unasked);',
    replace: '',
  },
  {
    says: 'what lies back includes events of merged people that have not moved',
    file: 'from-log.ts',
    find: '...(moving.get(person) ?? []),',
    replace: '',
  },
  {
    says: 'a window of the log ends',
    file: 'from-log.ts',
    find: 'leaf.within === undefined ? {} :',
    replace: 'leaf.within !== undefined ? {} :',
  },
  {
    says: 'a tally of the log holds those that are meant alone',
    file: 'from-log.ts',
    find: 'if (isMeant(leaf, row, evaluation)) recent.push',
    replace: 'recent.push',
  },
];
