import type { AiSettingsInput, AiState, Beckon } from '@beckon/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { usageError } from '../exit-codes.ts';
import { readSecret } from '../input.ts';
import { createOutput } from '../output.ts';
import { fieldLines } from '../scoped.ts';

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

const lines = ({ configured, sharedTokens, models, ...state }: AiState): string[] =>
  fieldLines([
    ['provider', configured ? "the org's own" : "none of the org's own"],
    ['wire', state.wire],
    ['url', state.baseUrl],
    ['key', state.lastFour === null ? null : `...${state.lastFour}`],
    ['generate', models.generate ?? null],
    ['decide', models.decide ?? null],
    ['extract', models.extract ?? null],
    ['faulty since', state.faultyAt === null ? null : `${state.faultyAt.toISOString()} (${state.faultyCode})`],
    ["tokens of the deployment's provider today", `${sharedTokens.today} of ${sharedTokens.perDay}`],
  ]);

/** Runs `work` for the org that the flags name, or the only one there is. */
const inOrg = async (
  context: Context,
  flags: CommonFlags,
  work: (beckon: Pick<Beckon, 'ai'>, orgId: string) => Promise<AiState>,
): Promise<AiState> => {
  // Whose settings they are the key says, or --org.
  if (flags.url !== undefined)
    return (await import('../remote/session.ts')).withRemote(context, flags, ({ ai }) => work({ ai }, ''));
  const { pickOrg, withBeckon } = await import('../session.ts');
  return withBeckon(context, flags, async (beckon) =>
    work(beckon, pickOrg(await beckon.tenancy.listOrgs(), flags.org).id),
  );
};

const settingsOf = async (context: Context, flags: AddFlags): Promise<AiSettingsInput> => {
  const { wire, baseUrl, keyFile, withoutKey, price: prices = {} } = flags;
  if ((keyFile === undefined) === (withoutKey !== true))
    throw usageError('Give the key with --key-file, or say --without-key for a server that asks for none.');
  const named = [
    ['generate', flags.modelGenerate],
    ['decide', flags.modelDecide],
    ['extract', flags.modelExtract],
  ] as const;
  const models = Object.fromEntries(named.flatMap(([name, model]) => (model === undefined ? [] : [[name, model]])));
  const key = keyFile === undefined ? null : await readSecret(context.io, keyFile);
  return { wire, ...(baseUrl === undefined ? {} : { baseUrl }), key, models, prices };
};

/** `beckon providers add ai`: an org's own provider of models. */
export const registerAddAi = (to: Command, context: Context): void => {
  outputOptions(
    scopeOptions(
      remoteOptions(databaseOptions(to.command('ai').description('models, for ai_action steps of the whole org'))),
    ),
  )
    .addOption(new Option('--wire <format>', 'what it speaks').choices(['openai', 'anthropic']).default('openai'))
    .option('--base-url <url>', "such as https://api.example.com/v1 (default: the provider's own)")
    .option('--key-file <file>', 'holds an API key; - is stdin')
    .option('--without-key', 'it asks for none, as a server of your own')
    .option('--model-generate <model>', 'for steps that write a text')
    .option('--model-decide <model>', 'for steps that choose')
    .option('--model-extract <model>', 'for steps that take values out of data')
    .option('--price <price>', 'MODEL=INPUT,OUTPUT: what a million tokens cost; repeatable', priceOf)
    .action(
      act<AddFlags>(context, async (flags) => {
        const given = await settingsOf(context, flags);
        const state = await inOrg(context, flags, ({ ai }, orgId) => ai.put(orgId, given));
        createOutput(context.io, flags).answer(state, lines(state));
        return undefined;
      }),
    );
};

/** `beckon ai show|remove`: the provider of models that an org brings. */
export const register: Register = (program, context) => {
  const group = program.command('ai').description('see or remove the provider of models of an org');
  const leaf = (name: string, description: string): Command =>
    outputOptions(scopeOptions(remoteOptions(databaseOptions(group.command(name).description(description)))));
  const answer = (flags: CommonFlags, state: AiState): undefined => {
    createOutput(context.io, flags).answer(state, lines(state));
  };

  leaf('show', 'show it, without the key, and what the org had of the deployment today').action(
    act(context, async (flags) => answer(flags, await inOrg(context, flags, ({ ai }, orgId) => ai.get(orgId)))),
  );
  leaf('remove', 'forget it; doing it twice changes nothing').action(
    act(context, async (flags) => answer(flags, await inOrg(context, flags, ({ ai }, orgId) => ai.remove(orgId)))),
  );
};
