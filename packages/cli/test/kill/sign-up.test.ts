import { expect, it } from 'vitest';
import { deploy } from './deployment.ts';
import { killRounds, killSeed } from './random.ts';
import { killSignUps, welcomeWorkflow } from './sign-up-rounds.ts';

const rounds = killRounds();
const seed = killSeed();

it.for(['sqlite', 'postgres'] as const)(
  'W1 kill -9 leaves account, profile, event, run, delivery, email and the row of the host together or not at all on %s',
  { timeout: 600_000 + rounds * 60_000 },
  async (engine) => {
    const deployment = await deploy(engine, [welcomeWorkflow]);
    try {
      const run = await killSignUps(deployment, { rounds, seed });
      for (const { acknowledged, found, lost } of run.rounds)
        console.log(`kill sign-up ${engine}: acknowledged ${acknowledged} found ${found} lost ${lost} seed ${seed}`);
      expect(run.problems).toEqual([]);
      expect(run.rounds).toHaveLength(rounds);
      for (const round of run.rounds) {
        expect(round.lost).toBe(0);
        expect(round.acknowledged).toBeGreaterThan(0);
        expect(round.found).toBeGreaterThanOrEqual(round.acknowledged);
      }
    } finally {
      await deployment.remove();
    }
  },
);
