// Verbs that are more than one operation: they get their flags and help as all verbs do, and do their work by hand.

import type { Beckon } from '@beckon/core';
import type { Argument, Option } from 'commander';
import type { Api } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import type { Config } from '../config.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createOutput, type Form, type Output } from '../output.ts';
import { inApi, type Reach } from '../scoped.ts';
import type { Head, Verb } from './noun.ts';
import { type Screen, screenOf } from './screen.ts';

/** What a verb by hand works with. */
type Tools<Said> = {
  readonly context: Context;
  readonly flags: CommonFlags & Said;
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

const toolsOf = <Said>(context: Context, flags: CommonFlags, args: readonly string[]): Tools<Said> => ({
  context,
  // Proof of the cast: Said spells what the options of this very verb say; its tests run each of them.
  flags: flags as CommonFlags & Said,
  args,
  output: createOutput(context.io, flags),
  screen: screenOf(context.io),
});

/** A verb of several operations. */
export const does = <Said extends object = object>({
  work,
  isSending,
  ...spec
}: Spec &
  Omit<Reach, 'isSending'> & {
    /** Whether it sends to people, so that `prod` has to be named. */
    readonly isSending?: (flags: Said) => boolean;
    work(api: Api, tools: Tools<Said>): Done;
  }): Verb => ({
  ...spec,
  isRemote: true,
  run: (context, flags, args) => {
    const tools = toolsOf<Said>(context, flags, args);
    return inApi(context, flags, { ...spec, isSending: isSending?.(tools.flags) === true }, (api) => work(api, tools));
  },
});

/** A verb of the database alone, which the interface does not offer. */
export const doesLocally = <Said extends object = object>({
  work,
  ...spec
}: Spec &
  Pick<Verb, 'level' | 'environment'> & {
    work(beckon: Beckon, tools: Tools<Said> & { readonly config: Config }): Done;
  }): Verb => ({
  ...spec,
  run: async (context, flags, args) => {
    const { withBeckon } = await import('../session.ts');
    return withBeckon(context, flags, (beckon, config) =>
      work(beckon, { ...toolsOf<Said>(context, flags, args), config }),
    );
  },
});
