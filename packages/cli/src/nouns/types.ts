import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../event-types.ts';
import { writeNamedFile } from '../files.ts';
import { collect, limitOf } from '../listing.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';

type Flags = { readonly out?: string; readonly name: string; readonly sample: number };

/** Default number of events. Chosen: a few pages, quick even with a remote server. */
const DEFAULT_SAMPLE = 2_000;
/** Maximum workflows. Chosen: far more than a project has; it ends endless pages of a faulty server. */
const MAX_WORKFLOWS = 10_000;

/** The event that `identify` stores; programs do not track it. Source: contract, Ingest. */
const IDENTIFIED = 'user.identified';

const nameOf = (text: string): string => {
  if (!/^[A-Za-z_]\w*$/.test(text)) throw new InvalidArgumentError('Pass a TypeScript identifier.');
  return text;
};

/** TypeScript types of tracked events, for `createClient`. */
export const types = noun('types', 'Generate TypeScript types', {
  generate: custom<Flags>({
    about: 'Generate event types for the SDK client',
    examples: ['--out src/events.ts --env test'],
    help: '\nThe interface contains recent events and workflow triggers.',
    options: [
      new Option('--out <file>', 'File to write (default: stdout)'),
      new Option('--name <name>', 'Name of the interface').argParser(nameOf).default('BeckonEvents'),
      new Option('--sample <number>', 'Number of recent events to read').argParser(limitOf).default(DEFAULT_SAMPLE),
    ],
    work: async (api, { context: { io }, flags: { out, name, sample }, output }) => {
      const { RAISED_NAMES } = await import('@beckon/core');
      const { rows } = await collect(sample, (query) => api.page('GET /events', { query }));
      const workflows = await collect(MAX_WORKFLOWS, (query) => api.page('GET /automation/workflows', { query }));
      // Programs do not track the events of Beckon itself.
      const triggers = workflows.rows
        .map(({ trigger }) => trigger.eventType)
        .filter((one) => !Object.hasOwn(RAISED_NAMES, one));
      const tracked = rows.filter(({ source, eventType }) => source === 'customer' && eventType !== IDENTIFIED);
      const text = eventTypes(name, tracked, triggers);
      if (out === undefined || out === '-') {
        io.stdout.write(text);
        return undefined;
      }
      // An unchanged file is not written, so watching compilers do not run.
      const changed = writeNamedFile(resolve(io.cwd, out), out, text);
      output.answer({ file: out, changed }, [changed ? `Wrote ${out}.` : `${out} is up to date.`]);
      return undefined;
    },
  }),
});
