import type { Engine } from '../kill/deployment.ts';

export const ENGINES = ['sqlite', 'postgres'] as const satisfies readonly Engine[];

/** Results of one run, in print order. */
export type Figures = Readonly<Record<string, number | string>>;

/** Prints the results on one line for `.ci/run`; camel-case names become words. */
export const print = (name: string, engine: Engine, figures: Figures, seed: number): void => {
  const words = Object.entries(figures).map(
    ([key, value]) => `${key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  console.log(`fault ${name} ${engine}: ${words.join(' ')} seed ${seed}`);
};
