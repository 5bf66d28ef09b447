import type { Mutant } from '../../test/mutant.ts';

const PLANNED = ['packages/core/src/storage/commit-planned.test.ts'];
const RANKS = ['packages/core/src/storage/commit-order.test.ts'];
const CONTRACT = ['packages/core/src/storage/storage.db.test.ts'];

/** Rules of commits, claims and renewals, for `npm run mutants -- storage`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a plan is made again where a guard failed',
    file: 'commit-planned.ts',
    find: 'if (committed.ok) return { ok: true, plan };',
    replace: 'if (committed.ok || tries > 0) return { ok: true, plan };',
    tests: PLANNED,
  },
  {
    says: 'planning ends after five plans that got nothing done',
    file: 'commit-planned.ts',
    find: 'tries >= MAX_TRIES',
    replace: 'tries > MAX_TRIES',
    tests: PLANNED,
  },
  {
    says: 'what is somebody else’s is left out of the next plan',
    file: 'commit-planned.ts',
    find: 'items = rest;',
    replace: 'items = rest.length > 0 ? items : rest;',
    tests: PLANNED,
  },
  {
    says: 'a plan that lost items got on',
    file: 'commit-planned.ts',
    find: 'rest.length < items.length || ',
    replace: '',
    tests: PLANNED,
  },
  {
    says: 'a plan of which less is open got on',
    file: 'commit-planned.ts',
    find: ' || open(plan) < least',
    replace: '',
    tests: PLANNED,
  },
  {
    says: 'a plan of which as much is open as before got nothing done',
    file: 'commit-planned.ts',
    find: 'least = Math.min(least, open(plan));',
    replace: '',
    tests: PLANNED,
  },
  {
    says: 'a plan without writes is not committed',
    file: 'commit-planned.ts',
    find: 'plan.writes.length === 0 ?',
    replace: 'plan.writes.length < 0 ?',
    tests: PLANNED,
  },
  {
    says: 'the next plan is told which guards failed',
    file: 'commit-planned.ts',
    find: '    failed = missed;\n',
    replace: '',
    tests: PLANNED,
  },
  {
    says: 'a commit runs its statements by their ranks',
    file: 'write-set.ts',
    find: '[...groups].sort(([a], [b]) => a.rank - b.rank)',
    replace: '[...groups]',
    tests: CONTRACT,
  },
  {
    says: 'a statement without a rank is refused',
    file: 'commit-order.ts',
    find: 'if (rank === undefined) throw new TypeError(`statement ${id} has no place in storage/commit-order.ts`);\n  return rank;',
    replace: 'return rank ?? 0;',
    tests: RANKS,
  },
  {
    says: 'a claim raises the fence',
    file: 'claim.ts',
    find: 'set ${leased(lease)}, fence = fence + 1 where rowid',
    replace: 'set ${leased(lease)}, fence = fence where rowid',
    tests: CONTRACT,
  },
  {
    says: 'a claim puts a row off to the end of its lease',
    file: 'claim.ts',
    find: '`lease_until = ${end}, due_at = ${end}`',
    replace: '`lease_until = ${end}`',
    tests: CONTRACT,
  },
  {
    says: 'a claim takes no row that is leased',
    file: 'claim.ts',
    find: 'const free = `${DUE} <= ${now} and (lease_until is null or lease_until <= ${now})`;\n  const keys',
    replace: 'const free = `${DUE} <= ${now}`;\n  const keys',
    tests: CONTRACT,
  },
  {
    says: 'a claim takes what has been due for longest',
    file: 'claim.ts',
    find: '(select rowid from ${table} where ${free} order by due_at, id limit :limit)',
    replace: '(select rowid from ${table} where ${free} order by id limit :limit)',
    tests: CONTRACT,
  },
  {
    says: 'a renewal compares the fence',
    file: 'claim.ts',
    find: 'where (scope_id, id, fence) in ` +\n      `(select ${keys} from',
    replace: 'where (scope_id, id) in ` +\n      `(select l.value ->> 0, l.value ->> 1 from',
    tests: CONTRACT,
  },
  {
    says: 'a renewal compares the scope',
    file: 'claim.ts',
    find: 'where (scope_id, id, fence) in ` +\n      `(select ${keys} from',
    replace: 'where (id, fence) in ` +\n      `(select l.value ->> 1, l.value ->> 2 from',
    tests: CONTRACT,
  },
  {
    says: 'a renewal leases nothing that was finished',
    file: 'claim.ts',
    find: 'json_each(:leases) as l) and lease_until is not null ` +',
    replace: 'json_each(:leases) as l) ` +',
    tests: CONTRACT,
  },
  {
    says: 'a renewal makes nothing due that is not',
    file: 'claim.ts',
    find: 'due_at = case when due_at is not null then ${end} end',
    replace: 'due_at = ${end}',
    tests: CONTRACT,
  },
  {
    says: 'a read of one row for each key takes the greatest',
    file: 'render.ts',
    find: 'desc limit 1',
    replace: 'asc limit 1',
    tests: ['packages/core/src/push/token-tags.db.test.ts'],
  },
];
