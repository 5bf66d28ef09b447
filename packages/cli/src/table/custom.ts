// Verbs that call several operations: flags and help are data, the action is a function.

import type { Beckon } from '@beckon/core';
import type { Argument, Option } from 'commander';
import type { Api } from '../api.ts';
import { type Screen, screenOf } from '../cells.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import type { Config } from '../config.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createOutput, type Form, type Output } from '../output.ts';
import { inApi, type Reach } from '../scoped.ts';
import type { Head, Verb } from './noun.ts';

/** Input of the action. */
type Tools<Extra> = {
  readonly context: Context;
  readonly flags: CommonFlags & Extra;
  readonly args: readonly string[];
  readonly output: Output;
  readonly screen: Screen;
};
type Done = Promise<ExitCode | undefined>;
type Spec = Head & {
  readonly args?: readonly (Argument | readonly [name: string, text: string])[];
  readonly options?: readonly Option[];
  readonly forms?: readonly Form[];
};

const toolsOf = <Extra>(context: Context, flags: CommonFlags, args: readonly string[]): Tools<Extra> => ({
  context,
  // Proof of the cast: Extra has the options of this verb; its tests run each of them.
  flags: flags as CommonFlags & Extra,
  args,
  output: createOutput(context.io, flags),
  screen: screenOf(context.io),
});

/** A verb with several operations. */
export const custom = <Extra extends object = object>({
  work,
  ...spec
}: Spec & Reach & { work(api: Api, tools: Tools<Extra>): Done }): Verb => ({
  ...spec,
  isRemote: true,
  run: (context, flags, args) => {
    const tools = toolsOf<Extra>(context, flags, args);
    return inApi(context, flags, spec, (api) => work(api, tools));
  },
});

/** A verb that needs the database, because the API does not offer it. */
export const customLocal = <Extra extends object = object>({
  work,
  ...spec
}: Spec &
  Pick<Verb, 'level' | 'environment'> & {
    work(beckon: Beckon, tools: Tools<Extra> & { readonly config: Config }): Done;
  }): Verb => ({
  ...spec,
  run: async (context, flags, args) => {
    const { withBeckon } = await import('../session.ts');
    return withBeckon(context, flags, (beckon, config) =>
      work(beckon, { ...toolsOf<Extra>(context, flags, args), config }),
    );
  },
});
