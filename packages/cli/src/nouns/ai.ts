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
  if (model === undefined) throw new InvalidArgumentError('It is MODEL=INPUT,OUTPUT, such as small=0.15,0.6.');
  return { ...before, [model]: { input: Number(input), output: Number(output) } };
};

const lines = ({ configured, sharedTokens, models, ...state }: State): string[] =>
  fieldLines([
    ['provider', configured ? "the org's own" : "none of the org's own"],
    ['wire', state.wire],
    ['url', state.baseUrl],
    ['key', state.lastFour === null ? null : `...${state.lastFour}`],
    ['generate', models.generate ?? null],
    ['decide', models.decide ?? null],
    ['extract', models.extract ?? null],
    ['key rejected since', state.keyRejectedAt === null ? null : `${state.keyRejectedAt} (${state.keyErrorCode})`],
    ["tokens of the deployment's provider today", `${sharedTokens.today} of ${sharedTokens.perDay}`],
  ]);

const settingsOf = async ({ io }: Context, flags: AddFlags): Promise<Body<'PUT /automation/ai/settings'>> => {
  const { wire, baseUrl, keyFile, withoutKey, price: prices = {} } = flags;
  if ((keyFile === undefined) === (withoutKey !== true))
    throw usageError('Give the key with --key-file, or say --without-key for a server that asks for none.');
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

/** `beckon providers add ai`: an org's own provider of models. */
export const addAi: Verb = {
  level,
  about: 'Add an AI provider for the organization',
  examples: ['--key-file key.txt --model-generate large', '--without-key --base-url http://127.0.0.1:11434/v1'],
  options: [
    new Option('--wire <format>', 'Protocol of the API').choices(['openai', 'anthropic']).default('openai'),
    new Option('--base-url <url>', "Such as https://api.example.com/v1 (default: the provider's own)"),
    new Option('--key-file <file>', 'Holds an API key; - is stdin'),
    new Option('--without-key', 'For a server of your own that needs no key'),
    new Option('--model-generate <model>', 'For steps that write a text'),
    new Option('--model-decide <model>', 'For steps that choose'),
    new Option('--model-extract <model>', 'For steps that take values out of data'),
    new Option('--price <price>', 'MODEL=INPUT,OUTPUT: cost of a million tokens; repeatable').argParser(priceOf),
  ],
  isRemote: true,
  run: async (context, flags) => {
    // Proof of the cast: the options above.
    const body = await settingsOf(context, flags as typeof flags & AddFlags);
    const state = await inApi(context, flags, { level }, (api) => api.call('PUT /automation/ai/settings', { body }));
    createOutput(context.io, flags).answer(state, lines(state));
    return undefined;
  },
};

/** The provider of models that an org brings. */
export const ai = noun('ai', "Manage an organization's AI provider", {
  show: calls('GET /automation/ai/settings', {
    level,
    about: "Show the AI provider and today's usage",
    examples: [''],
    lines,
  }),
  remove: calls('DELETE /automation/ai/settings', {
    level,
    about: 'Remove the AI provider',
    examples: [''],
    lines,
  }),
});
