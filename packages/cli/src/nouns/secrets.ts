import type { MasterKeyRotation } from '@beckon/core';
import { InvalidArgumentError, Option } from 'commander';
import { CliError, EXIT } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { progressLines } from '../progress.ts';
import { customLocal } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

const hours = (text: string): number => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < 0 || number > 168)
    throw new InvalidArgumentError('Pass a whole number from 0 to 168.');
  return number;
};

const rotationLines = ({ dataKeys, values, unreadable }: MasterKeyRotation, isOnlyKey: boolean): string[] => [
  dataKeys + values === 0
    ? 'All data is already encrypted with the first master key.'
    : `All data is encrypted with the first master key: re-encrypted ${dataKeys} data keys and ${values} values.`,
  ...(unreadable === 0 ? [] : [`${unreadable} values cannot be decrypted with any key and were left unchanged.`]),
  ...(isOnlyKey ? [] : ['Remove the other master keys from the configuration and restart all processes.']),
];

/** Secrets of workflows, signing secrets and master keys. */
export const secrets = noun('secrets', 'Manage secrets and signing keys', {
  set: calls('PUT /automation/secrets/{name}', {
    about: 'Set a secret for webhook step headers',
    examples: ['TOKEN --file token.txt --env test'],
    help: '\nUse it in headers of webhook steps as {{secret.NAME}}.',
    args: [{ arg: ['<name>', 'Secret name: letters, digits, _ and -'], into: 'name' }],
    flags: {
      file: {
        field: 'value',
        text: 'File with the value, - for stdin',
        value: 'file',
        usual: ['-', '"-"'],
        isRequired: false,
        convert: (file: string, { io }) => readSecret(io, file),
      },
    },
    lines: ({ name }) => [`Set secret ${name}.`],
  }),
  list: lists('GET /automation/secrets', {
    about: 'List secret names',
    examples: ['--env test'],
    columns: () => [
      ['NAME', ({ name }) => name],
      ['UPDATED', ({ updatedAt }) => updatedAt],
    ],
    none: () => 'No secrets yet.',
  }),
  delete: calls('DELETE /automation/secrets/{name}', {
    about: 'Delete a secret',
    examples: ['TOKEN --env test'],
    help: '\nWebhook steps that use the secret then fail.',
    args: [{ arg: ['<name>', 'Secret name, from "secrets list"'], into: 'name' }],
    lines: ({ name }) => [`Deleted secret ${name}.`],
  }),
  'rotate-signing': customLocal<{ readonly graceHours: number }>({
    level: 'project',
    about: "Rotate the project's webhook step signing key",
    examples: ['--grace-hours 48'],
    help: '\nThe new key is shown only once. During the grace period requests carry signatures of both keys.',
    options: [
      new Option('--grace-hours <number>', 'Grace period of the old key in hours').argParser(hours).default(24),
    ],
    work: async (beckon, { flags, output }) => {
      const { projectScope } = await import('../session.ts');
      const graceSeconds = flags.graceHours * 3_600;
      const rotation = await beckon.secrets.rotateSigning(await projectScope(beckon, flags), { graceSeconds });
      const { secret, previousUntil } = rotation;
      output.answer(rotation, [
        secret,
        previousUntil === null
          ? 'The previous key no longer signs.'
          : `The previous key also signs until ${previousUntil.toISOString()}.`,
      ]);
      return undefined;
    },
  }),
  'rotate-master': customLocal({
    level: 'database',
    about: 'Re-encrypt all data with the first master key',
    examples: [''],
    help: `
1. Start all processes with both keys: BECKON_MASTER_KEY=NEW,OLD
2. Run this command. It can be interrupted and repeated.
3. Remove OLD.`,
    work: async (beckon, { context, output, config: { masterKey = '' } }) => {
      const onProgress = progressLines('Re-encrypted', context.io.now, output.note);
      const rotation = await beckon.secrets.rotateMasterKey({ onProgress });
      if (rotation.left > 0)
        throw new CliError(
          EXIT.unavailable,
          `${rotation.left} data keys are still encrypted with another master key: a process has only that key.`,
          {
            hint: 'Start all processes with both keys, the new one first, and repeat this command.',
            details: rotation,
          },
        );
      output.answer(rotation, rotationLines(rotation, !masterKey.includes(',')));
      return undefined;
    },
  }),
});
