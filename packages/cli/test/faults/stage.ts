import { type Beckon, type BeckonOptions, createBeckon, type OutboundOptions, type Scope } from '@beckon/core';
import type { Running } from '../beckon.ts';
import { type Deployment, deploy, type Engine } from '../kill/deployment.ts';
import { type Gateways, prodOf, startGateways } from './gateways.ts';

/** A database with one project whose providers are stand-ins, and a Beckon without a worker. */
export type Stage = {
  readonly engine: Engine;
  readonly deployment: Deployment;
  readonly gateways: Gateways;
  readonly beckon: Beckon;
  /** The scope of `prod`. */
  readonly scope: Scope;
  /** Starts `beckon worker` and resolves when it runs. */
  work(): Promise<Running>;
  /** Stops everything. */
  end(): Promise<void>;
};

/** Options of the Beckon; the stand-ins use the same clock. */
export type StageOptions = Pick<BeckonOptions, 'clock' | 'pollMs' | 'log'> & {
  /** Transports instead of those to the stand-ins. */
  readonly outbound?: (standIns: OutboundOptions) => OutboundOptions;
};

/** Creates a stage. Cleans up and rejects on failure. */
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

/** Runs a function on a new stage and always closes it. */
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
