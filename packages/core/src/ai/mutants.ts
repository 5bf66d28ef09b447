import type { Mutant } from '../../test/mutant.ts';

/** Rules of steps that ask models, for `npm run campaign -- mutants ai`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'data is a message of its own',
    file: 'task.ts',
    find: 'text: JSON.stringify(task.data)',
    replace: "text: ''",
  },
  {
    says: 'a choice is one of the options',
    file: 'answer.ts',
    find: 'asked.options.some(({ name }) => name === choice)',
    replace: 'typeof choice === "string"',
  },
  {
    says: 'the fallback is a choice where the author let it',
    file: 'answer.ts',
    find: 'asked.hasFallback && choice === FALLBACK',
    replace: 'choice === FALLBACK',
  },
  {
    says: 'a key that the schema does not have is refused',
    file: 'answer.ts',
    find: 'if (stranger !== undefined)',
    replace: 'if (stranger === null)',
  },
  {
    says: 'a value has the type of its schema',
    file: 'answer.ts',
    find: 'if (!TYPES[type](value))',
    replace: 'if (value === null)',
  },
  {
    says: 'a required value is there',
    file: 'answer.ts',
    find: 'if (isMissing && !required.includes(name)) continue;',
    replace: 'if (isMissing) continue;',
  },
  {
    says: 'a text is not empty',
    file: 'answer.ts',
    find: "if (said === '')",
    replace: 'if (said === null)',
  },
  {
    says: 'the shared provider is not asked over the cap',
    file: 'asking.ts',
    find: 'if (await usage.isOver(orgId))',
    replace: 'if (orgId === null)',
  },
  {
    says: 'tokens of the shared provider are counted',
    file: 'asking.ts',
    find: "if (outcome.result === 'answered' && own === null)",
    replace: 'if (own !== null && own === null)',
  },
  {
    says: 'a key that is refused is marked',
    file: 'asking.ts',
    find: "if (outcome.result === 'credential') await store.setFaulty",
    replace: 'if (own === null) await store.setFaulty',
  },
  {
    says: 'a provider may ask for another wait',
    file: 'asking.ts',
    find: 'outcome.retryAfterMs ?? wait',
    replace: 'wait',
  },
  {
    says: 'a call is made again at most twice',
    file: 'asking.ts',
    find: 'if (wait === undefined)',
    replace: 'if (tries > 2)',
  },
  {
    says: 'an answer that cannot be used is told of in the second call',
    file: 'asking.ts',
    find: 'rejected = { answer: outcome.text, problem: answer.problem };',
    replace: '',
  },
  {
    says: 'an org has so many calls at once and no more',
    file: 'queue.ts',
    find: 'if (now >= MAX_PER_ORG) return false;',
    replace: '',
  },
  {
    says: 'a call that ended makes room',
    file: 'queue.ts',
    find: '          leave(orgId);\n',
    replace: '',
  },
  {
    says: 'a run that waits no more is told nothing',
    file: 'queue.ts',
    find: "if (!found) return done(call, { call, kind: 'told', news: null });",
    replace: "if (!found) return done(call, { call, kind: 'told', news: without('no_answer') });",
  },
  {
    says: 'a day ends at midnight UTC',
    file: 'usage.ts',
    find: '.slice(0, 10)',
    replace: '.slice(0, 7)',
  },
];
