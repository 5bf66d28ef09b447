import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../event-types.ts';
import { writeNamedFile } from '../files.ts';
import { collect, limitOf } from '../listing.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';

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

/** What programs track, as an interface for `createClient`. */
export const types = noun('types', 'Generate TypeScript types', {
  generate: custom<Flags>({
    about: 'Generate event types for the SDK client',
    examples: ['--out src/events.ts --env test'],
    help: '\nThe interface holds the events that were seen and those that workflows listen to.',
    options: [
      new Option('--out <file>', 'File to write (default: stdout)'),
      new Option('--name <name>', 'Name of the interface').argParser(nameOf).default('BeckonEvents'),
      new Option('--sample <number>', 'How many of the newest events to read')
        .argParser(limitOf)
        .default(DEFAULT_SAMPLE),
    ],
    work: async (api, { context: { io }, flags: { out, name, sample }, output }) => {
      const { RAISED_NAMES } = await import('@beckon/core');
      const { rows } = await collect(sample, (query) => api.page('GET /events', { query }));
      const workflows = await collect(MAX_WORKFLOWS, (query) => api.page('GET /automation/workflows', { query }));
      // What the service raises by itself nobody tracks.
      const triggers = workflows.rows
        .map(({ trigger }) => trigger.eventType)
        .filter((one) => !Object.hasOwn(RAISED_NAMES, one));
      const tracked = rows.filter(({ source, eventType }) => source === 'customer' && eventType !== IDENTIFIED);
      const text = eventTypes(name, tracked, triggers);
      if (out === undefined || out === '-') {
        io.stdout.write(text);
        return undefined;
      }
      // A file that is written again makes watching compilers work for nothing.
      const changed = writeNamedFile(resolve(io.cwd, out), out, text);
      output.answer({ file: out, changed }, [changed ? `Wrote ${out}.` : `${out} says the same already.`]);
      return undefined;
    },
  }),
});
