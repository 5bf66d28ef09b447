import { describe, expect, it } from 'vitest';
import { atMost } from './at-most.ts';
import { deploy, type Engine } from './deployment.ts';
import { isCampaign, killRounds, killSeed } from './random.ts';
import { countingWorkflow, killServer } from './server-rounds.ts';
import { killWorker, mailWorkflow } from './worker-rounds.ts';

const ENGINES = ['sqlite', 'postgres'] as const satisfies readonly Engine[];
/** A lease of 30 s and five to notice. Source: reliability promises (worker takeover). */
const TAKEOVER_MS = 35_000;

/** Maximum problems printed; one cause may have hundreds. */
const SHOWN = 10;

const rounds = killRounds();
const seed = killSeed();
/** Timeout for a test that hangs. */
const TIMEOUT_MS = 600_000 + rounds * 60_000;

// Concurrent, because all rounds wait for leases; two at a time on two cores.
const limited = atMost(2);

describe.concurrent('kill -9', () => {
  it.for(ENGINES)(
    'kill -9 of the server loses no acknowledged event and repeats no effect on %s',
    { timeout: TIMEOUT_MS },
    async (engine) => {
      const deployment = await deploy(engine, [countingWorkflow]);
      try {
        const run = await killServer(deployment, { rounds, seed, limited });
        for (const { acknowledged, found, lost, recovered, retried, mostEffects } of run.rounds)
          console.log(
            `kill server ${engine}: acknowledged ${acknowledged} found ${found} lost ${lost} recovered ${recovered} ` +
              `retried ${retried} most effects ${mostEffects} seed ${seed}`,
          );
        expect(run.problems.slice(0, SHOWN)).toEqual([]);
        expect(run.rounds).toHaveLength(rounds);
        for (const round of run.rounds) {
          expect(round).toMatchObject({ lost: 0, mostEffects: 1, found: round.acknowledged });
          expect(round.acknowledged).toBeGreaterThan(0);
          expect(round.inFlight).toBeGreaterThanOrEqual(32);
        }
      } finally {
        await deployment.remove();
      }
    },
  );

  it.for(ENGINES)(
    'kill -9 of a worker loses no message and repeats at most those in flight on %s',
    { timeout: TIMEOUT_MS },
    async (engine) => {
      const deployment = await deploy(engine, [mailWorkflow]);
      try {
        const run = await killWorker(deployment, { rounds, seed, limited });
        for (const { messages, sent, lost, sentTwice, inSending, takeoverMs } of run.rounds)
          console.log(
            `kill worker ${engine}: messages ${messages} sent ${sent} lost ${lost} twice ${sentTwice} in sending ` +
              `${inSending} takeover ${(takeoverMs / 1_000).toFixed(1)} s seed ${seed}`,
          );
        expect(run.problems.slice(0, SHOWN)).toEqual([]);
        expect(run.rounds).toHaveLength(rounds);
        for (const round of run.rounds) {
          expect(round.lost).toBe(0);
          expect(round.inSending).toBeGreaterThan(0);
          // The duration is only meaningful in a campaign without other load.
          expect(round.takeoverMs).toBeLessThanOrEqual(isCampaign() ? TAKEOVER_MS : Number.MAX_VALUE);
        }
      } finally {
        await deployment.remove();
      }
    },
  );
});
