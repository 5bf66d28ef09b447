import type { MasterKeyRotation } from '@beckon/core';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { progressLines } from '../progress.ts';
import { registerWorkflowSecrets } from './workflow-secrets.ts';

const lines = ({ dataKeys, values, unreadable }: MasterKeyRotation, isOnlyKey: boolean): string[] => [
  dataKeys + values === 0
    ? 'Everything was sealed with the first master key already.'
    : `Everything is sealed with the first master key: ${dataKeys} data keys and ${values} values were sealed anew.`,
  ...(unreadable === 0 ? [] : [`${unreadable} values open with no key, before as after; they were left as they are.`]),
  ...(isOnlyKey
    ? []
    : ['Take the other master keys out of the configuration and restart every process that has them.']),
];

const rotate = async (context: Context, flags: CommonFlags): Promise<undefined> => {
  const { io } = context;
  const { withBeckon } = await import('../session.ts');
  return withBeckon(context, flags, async ({ secrets }, { masterKey = '' }) => {
    const output = createOutput(io, flags);
    const onProgress = progressLines('sealed anew', io.now, output.note);
    const rotation = await secrets.rotateMasterKey({ onProgress });
    const isOnlyKey = !masterKey.includes(',');
    if (rotation.left > 0)
      throw new CliError(
        EXIT.unavailable,
        `${rotation.left} data keys are still wrapped with another master key: a process that knows only that one makes them.`,
        { hint: 'Give every process both keys, the new one first, and run this again.', details: rotation },
      );
    output.answer(rotation, lines(rotation, isOnlyKey));
    return undefined;
  });
};

/** `beckon secrets`: those of workflows; `rotate-master` seals everything with the first master key, so that the others may go. */
export const register: Register = (program, context) => {
  const group = program.command('secrets').description('what is kept sealed');
  registerWorkflowSecrets(group, context);
  outputOptions(
    databaseOptions(
      group
        .command('rotate-master')
        .description('seal everything with the first master key; may be stopped and repeated'),
    ),
  )
    .addHelpText(
      'after',
      '\nFirst give every process both keys, the new one first: BECKON_MASTER_KEY=NEW,OLD. Then run this; then remove OLD.',
    )
    .action(act(context, (flags) => rotate(context, flags)));
};
