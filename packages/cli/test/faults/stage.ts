import { type Beckon, type BeckonOptions, createBeckon, type OutboundOptions, type Scope } from '@beckon/core';
import type { Running } from '../beckon.ts';
import { type Deployment, deploy, type Engine } from '../kill/deployment.ts';
import { type Gateways, prodOf, startGateways } from './gateways.ts';

/** A database with one project whose providers are stand-ins, and a handle that accepts sends but does no work. */
export type Stage = {
  readonly engine: Engine;
  readonly deployment: Deployment;
  readonly gateways: Gateways;
  readonly beckon: Beckon;
  /** `prod` of the project. */
  readonly scope: Scope;
  /** Starts `beckon worker` and resolves once it works. */
  work(): Promise<Running>;
  /** Ends everything that was started. */
  end(): Promise<void>;
};

/** Of the handle; the clock is the stand-ins' as well. */
export type StageOptions = Pick<BeckonOptions, 'clock' | 'pollMs' | 'log'> & {
  /** What the handle uses instead of the way to the stand-ins. */
  readonly outbound?: (standIns: OutboundOptions) => OutboundOptions;
};

/** Sets it up. Rejects with what is wrong, leaving nothing behind. */
export const setStage = async (
  engine: Engine,
  { outbound = (standIns) => standIns, ...options }: StageOptions = {},
): Promise<Stage> => {
  const deployment = await deploy(engine, []);
  const closing: (() => Promise<void>)[] = [deployment.remove];
  const end = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const gateways = await startGateways(options.clock);
    closing.unshift(gateways.stop);
    const { url, masterKey, project } = deployment;
    const beckon = await createBeckon({ ...options, db: url, masterKey, outbound: outbound(gateways.outbound) });
    closing.push(beckon.close);
    await gateways.connect(beckon, project);
    const work = async (): Promise<Running> => {
      const worker = deployment.start(['worker'], { ...gateways.env, BECKON_EMAIL_MAILS_PER_MINUTE: '60000' });
      await worker.says(/worker running/);
      return worker;
    };
    return { engine, deployment, gateways, beckon, scope: await prodOf(beckon, project), work, end };
  } catch (error) {
    await end();
    throw error;
  }
};

/** Sets the stage for one play and clears it whatever happens. */
export const onStage = async (
  engine: Engine,
  play: (stage: Stage) => Promise<void>,
  options?: StageOptions,
): Promise<void> => {
  const stage = await setStage(engine, options);
  try {
    await play(stage);
  } finally {
    await stage.end();
  }
};
