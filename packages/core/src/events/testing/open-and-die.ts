/*
 * One process that reports an open of a push, takes what that raised, and kills itself at a chosen moment: `raised` (the
 * event is on disk and no worker has it), `claimed`, `unwritten` (all of it written and nothing on disk) or `taken` (all
 * of it on disk, and nobody told). One argument: JSON of `Death`.
 */
import { createBeckon } from '../../beckon.ts';
import type { StorageObserver } from '../../storage/observer.ts';
import type { Death } from './die.ts';

// Safe: die.ts is the only caller.
const { url, masterKey, now, scope, sendId, messageId, moment } = JSON.parse(process.argv[2] ?? '') as Death;

const STATEMENT = {
  raised: 'events.raise',
  claimed: 'raised events.claim',
  unwritten: 'events.end_raised',
  taken: 'events.end_raised',
} as const;

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

let isNear = false;
const observer: StorageObserver = {
  statement: (id, rows) => {
    if (id !== STATEMENT[moment] || rows === 0) return;
    if (moment === 'claimed') die();
    isNear = true;
  },
  beforeCommit: () => {
    if (isNear && moment === 'unwritten') die();
  },
  committed: () => {
    if (isNear) die();
  },
};

const beckon = await createBeckon({ db: url, masterKey, clock: { now: () => new Date(now) } }, { observer });
await beckon.push.trackOpen(await beckon.tenancy.scope(scope), { sendId, messageId });
await beckon.worker.drain();
await beckon.close();
