import { InvalidArgumentError, Option } from 'commander';
import type { Answer, Body } from '../api.ts';
import type { Context } from '../command-line.ts';
import { usageError } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { createOutput } from '../output.ts';
import { fieldLines, inApi } from '../scoped.ts';
import { noun, type Verb } from '../table/noun.ts';
import { calls } from '../table/verbs.ts';

type State = Answer<'GET /automation/ai/settings'>;
type AddFlags = {
  readonly wire: 'openai' | 'anthropic';
  readonly baseUrl?: string;
  readonly keyFile?: string;
  readonly withoutKey?: boolean;
  readonly modelGenerate?: string;
  readonly modelDecide?: string;
  readonly modelExtract?: string;
  readonly price?: Readonly<Record<string, Price>>;
};
type Price = { readonly input: number; readonly output: number };

const priceOf = (text: string, before: Readonly<Record<string, Price>> = {}): Readonly<Record<string, Price>> => {
  const [, model, input, output] = /^(.+)=(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (model === undefined) throw new InvalidArgumentError('Pass MODEL=INPUT,OUTPUT, such as small=0.15,0.6.');
  return { ...before, [model]: { input: Number(input), output: Number(output) } };
};

const lines = ({ configured, sharedTokens, models, ...state }: State): string[] =>
  fieldLines([
    ['provider', configured ? 'configured by the organization' : 'not configured by the organization'],
    ['wire', state.wire],
    ['url', state.baseUrl],
    ['key', state.lastFour === null ? null : `...${state.lastFour}`],
    ['generate', models.generate ?? null],
    ['decide', models.decide ?? null],
    ['extract', models.extract ?? null],
    ['failing since', state.keyRejectedAt === null ? null : `${state.keyRejectedAt} (${state.keyErrorCode})`],
    ['tokens of the shared provider today', `${sharedTokens.today} of ${sharedTokens.perDay}`],
  ]);

const settingsOf = async ({ io }: Context, flags: AddFlags): Promise<Body<'PUT /automation/ai/settings'>> => {
  const { wire, baseUrl, keyFile, withoutKey, price: prices = {} } = flags;
  if ((keyFile === undefined) === (withoutKey !== true))
    throw usageError('Pass either --key-file, or --without-key for a server that needs no key.');
  const named = [
    ['generate', flags.modelGenerate],
    ['decide', flags.modelDecide],
    ['extract', flags.modelExtract],
  ] as const;
  const models = Object.fromEntries(named.flatMap(([name, model]) => (model === undefined ? [] : [[name, model]])));
  const key = keyFile === undefined ? null : await readSecret(io, keyFile);
  return { wire, ...(baseUrl === undefined ? {} : { baseUrl }), key, models, prices };
};

const level = 'org';

/** `beckon providers add ai`: an organization's AI provider. */
export const addAi: Verb = {
  level,
  about: 'Add an AI provider for the organization',
  examples: ['--key-file key.txt --model-generate large', '--without-key --base-url http://127.0.0.1:11434/v1'],
  options: [
    new Option('--wire <format>', 'API protocol').choices(['openai', 'anthropic']).default('openai'),
    new Option('--base-url <url>', 'API URL (default: that of OpenAI or Anthropic)'),
    new Option('--key-file <file>', 'API key, - for stdin'),
    new Option('--without-key', 'For your own server that needs no key'),
    new Option('--model-generate <model>', 'Model of steps that generate text'),
    new Option('--model-decide <model>', 'Model of steps that decide'),
    new Option('--model-extract <model>', 'Model of steps that extract values'),
    new Option('--price <price>', 'Cost per million tokens: MODEL=INPUT,OUTPUT').argParser(priceOf),
  ],
  isRemote: true,
  run: async (context, flags) => {
    // Proof of the cast: AddFlags has the options above.
    const body = await settingsOf(context, flags as typeof flags & AddFlags);
    const state = await inApi(context, flags, { level }, (api) => api.call('PUT /automation/ai/settings', { body }));
    createOutput(context.io, flags).answer(state, lines(state));
    return undefined;
  },
};

/** AI provider of an organization. */
export const ai = noun('ai', "Manage an organization's AI provider", {
  show: calls('GET /automation/ai/settings', {
    level,
    about: "Show the AI provider and today's usage",
    examples: [''],
    lines,
  }),
  delete: calls('DELETE /automation/ai/settings', {
    level,
    about: 'Remove the AI provider',
    examples: [''],
    lines,
  }),
});
