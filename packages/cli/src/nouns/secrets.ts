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
    throw new InvalidArgumentError('It is a whole number from 0 to 168.');
  return number;
};

const rotationLines = ({ dataKeys, values, unreadable }: MasterKeyRotation, isOnlyKey: boolean): string[] => [
  dataKeys + values === 0
    ? 'Everything was sealed with the first master key already.'
    : `Everything is sealed with the first master key: ${dataKeys} data keys and ${values} values were sealed anew.`,
  ...(unreadable === 0 ? [] : [`${unreadable} values open with no key, before as after; they were left as they are.`]),
  ...(isOnlyKey
    ? []
    : ['Take the other master keys out of the configuration and restart every process that has them.']),
];

/** Secrets of workflows, and the keys that seal everything. */
export const secrets = noun('secrets', 'Manage secrets and signing keys', {
  set: calls('PUT /automation/secrets/{name}', {
    about: 'Set a secret for webhook step headers',
    examples: ['TOKEN --file token.txt --env test'],
    help: '\nHeaders of webhook steps use it as {{secret.NAME}}.',
    args: [{ arg: ['<name>', 'Letters, digits, _ and -'], into: 'name' }],
    flags: {
      file: {
        field: 'value',
        text: 'Holds the value; - is stdin',
        value: 'file',
        usual: ['-', '"-"'],
        isRequired: false,
        convert: (file: string, { io }) => readSecret(io, file),
      },
    },
    lines: ({ name }) => [`The secret ${name} is set.`],
  }),
  list: lists('GET /automation/secrets', {
    about: 'List secret names',
    examples: ['--env test'],
    columns: () => [
      ['NAME', ({ name }) => name],
      ['UPDATED', ({ updatedAt }) => updatedAt],
    ],
    none: () => 'There are no secrets.',
  }),
  delete: calls('DELETE /automation/secrets/{name}', {
    about: 'Delete a secret',
    examples: ['TOKEN --env test'],
    help: '\nSteps that use it end as error.',
    args: [{ arg: ['<name>', 'As "secrets list" shows it'], into: 'name' }],
    lines: ({ name }) => [`The secret ${name} is removed.`],
  }),
  'rotate-signing': customLocal<{ readonly graceHours: number }>({
    level: 'project',
    about: "Rotate the project's webhook step signing key",
    examples: ['--grace-hours 48'],
    help: '\nThe new secret is shown once. While the old one still signs, receivers that know either of both go on.',
    options: [
      new Option('--grace-hours <number>', 'How long the old one still signs (0 to 168)').argParser(hours).default(24),
    ],
    work: async (beckon, { flags, output }) => {
      const { projectScope } = await import('../session.ts');
      const graceSeconds = flags.graceHours * 3_600;
      const rotation = await beckon.secrets.rotateSigning(await projectScope(beckon, flags), { graceSeconds });
      const { secret, previousUntil } = rotation;
      output.answer(rotation, [
        secret,
        previousUntil === null
          ? 'The one before signs no more.'
          : `The one before signs along until ${previousUntil.toISOString()}.`,
      ]);
      return undefined;
    },
  }),
  'rotate-master': customLocal({
    level: 'database',
    about: 'Re-encrypt all data with the first master key',
    examples: [''],
    help: `
It may be stopped and repeated. First give every process both keys, the new one first: BECKON_MASTER_KEY=NEW,OLD.
Then run this; then remove OLD.`,
    work: async (beckon, { context, output, config: { masterKey = '' } }) => {
      const onProgress = progressLines('sealed anew', context.io.now, output.note);
      const rotation = await beckon.secrets.rotateMasterKey({ onProgress });
      if (rotation.left > 0)
        throw new CliError(
          EXIT.unavailable,
          `${rotation.left} data keys are still wrapped with another master key: a process that knows only that one makes them.`,
          { hint: 'Give every process both keys, the new one first, and run this again.', details: rotation },
        );
      output.answer(rotation, rotationLines(rotation, !masterKey.includes(',')));
      return undefined;
    },
  }),
});
