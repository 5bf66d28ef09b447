import type { Mutant } from '../../../test/mutant.ts';

const SIMULATE = ['packages/core/src/simulate.test.ts'];
const STORED = ['packages/core/src/simulate.db.test.ts'];

/** Rules of simulations, for `npm run campaign -- mutants workflows/simulate`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'an event of another name starts nothing',
    file: 'simulate.ts',
    find: "if (eventType !== trigger.eventType) return { verdict: 'event' };",
    replace: '',
    tests: SIMULATE,
  },
  {
    says: 'filters that an event does not fit are told',
    file: 'simulate.ts',
    find: "if (filters.length > 0) return { verdict: 'filter', filters };",
    replace: '',
    tests: SIMULATE,
  },
  {
    says: 'a trigger of an audience starts for its members alone',
    file: 'simulate.ts',
    find: 'user.audiences?.includes(audienceId) ?? false',
    replace: 'true',
    tests: SIMULATE,
  },
  {
    says: 'a workflow that is disabled is simulated all the same',
    file: 'simulate.ts',
    find: "if (refusal && refusal.verdict !== 'inactive')",
    replace: 'if (refusal)',
    tests: SIMULATE,
  },
  {
    says: 'the clock jumps to when a step is due',
    file: 'simulate.ts',
    find: 'if (run.dueAt > now) now = run.dueAt;',
    replace: '',
    tests: SIMULATE,
  },
  {
    says: 'traits that a step changes are those of the steps behind it',
    file: 'simulate.ts',
    find: 'if (left) profile =',
    replace: 'if (left && now < startsAt) profile =',
    tests: SIMULATE,
  },
  {
    says: 'an event wakes one wait',
    file: 'simulate.ts',
    find: 'events = events.filter((one) => one !== woken);',
    replace: '',
    tests: SIMULATE,
  },
  {
    says: 'later events come in their order',
    file: 'stand-ins.ts',
    find: '.sort((a, b) => a.at.getTime() - b.at.getTime());',
    replace: ';',
    tests: SIMULATE,
  },
  {
    says: 'an event that comes when the time is over wakes nobody',
    file: 'stand-ins.ts',
    find: 'at < dueAt &&',
    replace: 'at <= dueAt &&',
    tests: SIMULATE,
  },
  {
    says: 'an event has to fit what a wait filters',
    file: 'stand-ins.ts',
    find: 'fitsFilters(awaitsFilters ?? {}, properties)',
    replace: 'true',
    tests: SIMULATE,
  },
  {
    says: 'an answer stands in for its step alone',
    file: 'stand-ins.ts',
    find: "[path, config['saveAs'], config['name']]",
    replace: "[path, config['saveAs']]",
    tests: SIMULATE,
  },
  {
    says: 'somebody is named',
    file: 'schema.ts',
    find: 'every((id) => id === undefined)',
    replace: 'every((id) => id === null)',
    tests: SIMULATE,
  },
  {
    says: 'what is given of a person stands over what is stored',
    file: '../../wiring/simulations.ts',
    find: 'traits: { ...before.traits, ...traits },',
    replace: 'traits: before.traits,',
    tests: STORED,
  },
  {
    says: 'whether somebody is in the audience of a trigger follows from what is given of them',
    file: 'simulate.ts',
    find: '(await isMember?.(audienceId)) ?? user',
    replace: 'user',
    tests: STORED,
  },
  {
    says: 'a person is given the variant of their bucket',
    file: 'sends.ts',
    find: '(abTestId && (await loadTest?.(channel, abTestId))) || null',
    replace: 'null',
    tests: STORED,
  },
  {
    says: 'gates of sending are asked',
    file: 'sends.ts',
    find: 'judge ? await judge(request, rendered, now) : rendered',
    replace: 'rendered',
    tests: STORED,
  },
];
