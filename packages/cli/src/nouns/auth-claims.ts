import { Option } from 'commander';
import type { Answer, Api } from '../api.ts';
import type { Context } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls } from '../table/verbs.ts';

type Template = Answer<'GET /auth-service/jwt-template'>;
export type FindUser = (api: Api, named: string) => Promise<string>;

const templateLines = ({ template }: Template): string[] =>
  template === null ? ['No claims template.'] : JSON.stringify(template, null, 2).split('\n');
/** Bytes of a file with a template. Chosen: well above the 8 KB that the service accepts. */
const MAX_FILE = 65_536;

const readJson = async (io: Context['io'], name: string): Promise<unknown> => {
  const tooLarge = (): CliError => new CliError(EXIT.negative, `The file "${name}" has more than ${MAX_FILE} bytes.`);
  const text = new TextDecoder().decode(await readInput(io, name, MAX_FILE, tooLarge));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(EXIT.negative, `The file "${name}" is not JSON.`, { cause: error });
  }
};
const file = (): Option => new Option('--file <file>', 'JSON file with the claims, - for stdin');

/** Claims that access tokens get in addition. */
export const claims = (findUser: FindUser) =>
  noun('claims', 'Manage claims that access tokens get in addition', {
    get: calls('GET /auth-service/jwt-template', {
      about: 'Show the claims template',
      examples: ['--env test'],
      lines: templateLines,
    }),
    set: custom<{ readonly file: string }>({
      about: 'Replace the claims template',
      examples: ['--file claims.json --env test'],
      args: [],
      options: [file().makeOptionMandatory()],
      work: async (api, { context, flags, output }) => {
        const template = await readJson(context.io, flags.file);
        // Safe: core validates the body.
        const stored = await api.call('PUT /auth-service/jwt-template', { body: { template } as never });
        output.answer(stored, templateLines(stored));
        return undefined;
      },
    }),
    preview: custom<{ readonly file?: string; readonly user?: string }>({
      about: 'Render a claims template without storing it',
      examples: ['--user ada@example.com --env test', '--file claims.json --user ada@example.com --env test'],
      args: [],
      options: [file(), new Option('--user <user>', 'Email address, user id or account id (default: none)')],
      work: async (api, { context, flags, output }) => {
        const template = flags.file === undefined ? undefined : await readJson(context.io, flags.file);
        const id = flags.user === undefined ? undefined : await findUser(api, flags.user);
        const body = { ...(template !== undefined && { template }), ...(id !== undefined && { id }) };
        // Safe: core validates the body.
        const preview = await api.call('POST /auth-service/jwt-template/preview', { body: body as never });
        const skipped = `Tokens are issued without these claims: ${preview.skipped ?? ''}`;
        output.answer(
          preview,
          preview.claims === null ? [skipped] : JSON.stringify(preview.claims, null, 2).split('\n'),
        );
        return undefined;
      },
    }),
    delete: calls('DELETE /auth-service/jwt-template', {
      about: 'Delete the claims template',
      examples: ['--env test'],
      lines: () => ['Deleted the claims template.'],
    }),
  });
