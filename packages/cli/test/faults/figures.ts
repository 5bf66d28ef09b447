import type { Engine } from '../kill/deployment.ts';

export const ENGINES = ['sqlite', 'postgres'] as const satisfies readonly Engine[];

/** What one run showed, in the order in which it is printed. */
export type Figures = Readonly<Record<string, number | string>>;

/** Prints the one line of a run, which `.ci/run` shows: names in camel case become words. */
export const print = (name: string, engine: Engine, figures: Figures, seed: number): void => {
  const words = Object.entries(figures).map(
    ([key, value]) => `${key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  console.log(`fault ${name} ${engine}: ${words.join(' ')} seed ${seed}`);
};
