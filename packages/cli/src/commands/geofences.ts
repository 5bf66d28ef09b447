import type { Geofence } from '@beckon/core';
import { type Command, InvalidArgumentError } from 'commander';
import {
  act,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { idOfNamed } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

type CreateFlags = {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly radius: number;
  readonly on?: Geofence['transitions'];
};

const COLUMNS: readonly Column<Geofence>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
  ['LAT', ({ lat }) => lat],
  ['LNG', ({ lng }) => lng],
  ['RADIUS', ({ radiusMeters }) => `${radiusMeters} m`],
  ['ON', ({ transitions }) => transitions.join(' ')],
];

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
};

/** `beckon geofences list|create|delete`: the places that devices watch. */
export const register: Register = (program, context) => {
  const group = program.command('geofences').description('keep the places that devices watch');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description))).addOption(environmentOption());

  outputOptions(leaf('list', 'list geofences, oldest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<{ readonly limit: number }>(context, (flags) =>
        inEnvironment(context, flags, async ({ geofences }, scope) => {
          const { rows, hasMore } = await collect(flags.limit, (query) => geofences.list(scope, query));
          const output = createOutput(context.io, flags);
          output.rows(rows, COLUMNS);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('create', 'create one'))
    .requiredOption('--name <text>', 'what it is called')
    .requiredOption('--lat <degrees>', 'latitude of its middle', number)
    .requiredOption('--lng <degrees>', 'longitude of its middle', number)
    .requiredOption('--radius <metres>', 'from 100 to 100000', number)
    .option('--on <transitions...>', 'entered, exited or dwelled; without it all of them')
    .action(
      act<CreateFlags>(context, ({ name, lat, lng, radius, on, ...flags }) =>
        inEnvironment(context, flags, async ({ geofences }, scope) => {
          const made = await geofences.create(scope, {
            ...{ name, lat, lng, radiusMeters: radius },
            ...(on === undefined ? {} : { transitions: on }),
          });
          createOutput(context.io, flags).answer(made, [`The geofence ${made.name} is ${made.id}.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('delete', 'delete one'))
    .argument('<geofence>', 'its id or name')
    .action(
      act(context, (flags, [given = '']) =>
        inEnvironment(context, flags, async ({ geofences }, scope) => {
          const id = await idOfNamed('geofence', given, (query) => geofences.list(scope, query));
          const gone = await geofences.remove(scope, id);
          createOutput(context.io, flags).answer(gone, [`The geofence ${gone.name} is deleted.`]);
          return undefined;
        }),
      ),
    );
};
