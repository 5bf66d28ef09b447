import type { Mutant } from '../../../test/mutant.ts';

/** Rules of geofences, for `npm run campaign -- mutants push/geofences`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'the same transition within a minute counts once',
    file: 'report.ts',
    find: 'ageMs >= 0 && ageMs < ONE_MS',
    replace: 'ageMs < 0',
  },
  {
    says: 'after a minute it counts again',
    file: 'report.ts',
    find: 'ageMs < ONE_MS) return null',
    replace: 'ageMs <= ONE_MS) return null',
  },
  {
    says: 'a transition that nobody asked for is no event',
    file: 'report.ts',
    find: 'if (!fence.transitions.includes(transition))',
    replace: 'if (!fence.transitions)',
  },
  {
    says: 'two people cross by themselves',
    file: 'report.ts',
    find: 'const who = person ??',
    replace: "const who = 'u:anybody' ??",
  },
  {
    says: 'the nearest come first',
    file: 'nearest.ts',
    find: 'a.meters - b.meters',
    replace: 'b.meters - a.meters',
  },
  {
    says: 'a degree of longitude is shorter away from the equator',
    file: 'nearest.ts',
    find: 'Math.cos(radians(to.lat)) * byLng',
    replace: 'byLng',
  },
];
