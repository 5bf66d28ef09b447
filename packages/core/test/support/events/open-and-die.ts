/*
 * A process that reports an open of a push, processes the raised event and kills itself at the chosen stage. One
 * argument: JSON of `Death`.
 */
import { createBeckon } from '../../../src/app/create.ts';
import { type Death, dyingObserver } from './die.ts';

// Safe: die.ts is the only caller.
const { url, masterKey, now, scope, sendId, messageId, moment } = JSON.parse(process.argv[2] ?? '') as Death;

const observer = dyingObserver(moment, () => process.kill(process.pid, 'SIGKILL'));
const beckon = await createBeckon({ db: url, masterKey, clock: { now: () => new Date(now) } }, { observer });
await beckon.push.trackOpen(await beckon.tenancy.scope(scope), { sendId, messageId });
await beckon.worker.drain();
await beckon.close();
