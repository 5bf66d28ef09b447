import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { eventTypes } from '../event-types.ts';
import { writeNamedFile } from '../files.ts';
import { collect, limitOf } from '../listing.ts';
import { createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

type Flags = { readonly out?: string; readonly name: string; readonly sample: number };

/** Ours: some pages, of which even a service far away answers each within a moment. */
const DEFAULT_SAMPLE = 2_000;
/** Ours: far more than a project has, and an end for a service that answers pages for ever. */
const MAX_WORKFLOWS = 10_000;

/** What `identify` is stored as: it comes of programs too, but none tracks it. Source: contract, Ingest. */
const IDENTIFIED = 'user.identified';

const nameOf = (text: string): string => {
  if (!/^[A-Za-z_]\w*$/.test(text)) throw new InvalidArgumentError('It is a name of TypeScript.');
  return text;
};

const generate = (context: Context, flags: CommonFlags & Flags): Promise<undefined> => {
  let text = '';
  return inEnvironment(context, flags, async (beckon, scope) => {
    const { RAISED_NAMES } = await import('@beckon/core');
    const { rows } = await collect(flags.sample, (query) => beckon.events.list(scope, query));
    const workflows = await collect(MAX_WORKFLOWS, (query) => beckon.workflows.list(scope, query));
    // What the service raises by itself nobody tracks.
    const triggers = workflows.rows
      .map(({ trigger }) => trigger.eventType)
      .filter((one) => !Object.hasOwn(RAISED_NAMES, one));
    text = eventTypes(
      flags.name,
      rows.filter(({ source, eventType }) => source === 'customer' && eventType !== IDENTIFIED),
      triggers,
    );
    return undefined;
  }).then(() => {
    const { out } = flags;
    if (out === undefined || out === '-') {
      context.io.stdout.write(text);
      return undefined;
    }
    const file = resolve(context.io.cwd, out);
    // A file that is written again makes watching compilers work for nothing.
    const changed = writeNamedFile(file, out, text);
    const done = changed ? `Wrote ${out}.` : `${out} says the same already.`;
    createOutput(context.io, flags).answer({ file: out, changed }, [done]);
    return undefined;
  });
};

/** `beckon types generate`: what programs track, as an interface for `createClient`. */
export const register: Register = (program, context) => {
  const group = program.command('types').description('types of what your programs track');
  const leaf: Command = group
    .command('generate')
    .description('an interface of the events that were seen and that workflows wait for, for createClient');
  outputOptions(remoteOptions(scopeOptions(databaseOptions(leaf))))
    .addOption(environmentOption())
    .option('--out <file>', 'writes it there; - is stdout, as is leaving it out')
    .option('--name <name>', 'of the interface', nameOf, 'BeckonEvents')
    .option('--sample <number>', 'how many of the newest events are looked at', limitOf, DEFAULT_SAMPLE)
    .action(act<Flags>(context, (flags) => generate(context, flags)));
};
