// The lists of mutants that the rooms keep, from the root of the repository.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { Mutant } from '../packages/core/test/mutant.ts';
import type { AppliedMutant } from './mutant-plugin.ts';
import { folderOf, isWithin, mutated, roomOfList } from './mutant-score.ts';

/** The rooms that keep a list, such as `events` and `events/people`. */
export const roomsWithList = (): string[] =>
  globSync('packages/{core,sdk-js}/src/**/mutants.ts')
    .flatMap((path) => roomOfList(path.replaceAll('\\', '/')) ?? [])
    .sort();

/** The modules that keep a list: all, or those that `names` holds with the modules within them. Throws for an unknown name. */
export const modulesWithMutants = (names: readonly string[]): string[] => {
  const all = roomsWithList();
  const unknown = names.filter((name) => !all.some((one) => isWithin(one, name)));
  if (unknown.length > 0) throw new Error(`no list of mutants for ${unknown.join(', ')}; there are: ${all.join(', ')}`);
  return names.length === 0 ? all : all.filter((one) => names.some((name) => isWithin(one, name)));
};

/** A room's list. Throws where two of its mutants say the same, and where one names a test that there is not. */
export const listOf = async (room: string): Promise<readonly Mutant[]> => {
  const url = pathToFileURL(`${folderOf(room)}/mutants.ts`).href;
  // Safe: every mutants.ts exports a list of this type, which tsc holds.
  const { mutants } = (await import(url)) as { mutants: readonly Mutant[] };
  const says = mutants.map((mutant) => mutant.says);
  const twice = says.find((one, at) => says.indexOf(one) !== at);
  if (twice !== undefined) throw new Error(`${room}: two mutants say "${twice}"`);
  const gone = mutants.flatMap(({ tests = [] }) => tests).find((test) => !existsSync(test));
  if (gone !== undefined) throw new Error(`${room}: there is no ${gone}`);
  return mutants;
};

/** What a mutant is for one run. Throws where the code no longer holds its rule, or where what it makes is no program. */
export const appliedOf = (room: string, { says, file, find, replace }: Mutant): AppliedMutant => {
  const path = `${folderOf(room)}/${file}`;
  try {
    transformSync(mutated(readFileSync(path, 'utf8'), { find, replace }), { loader: 'ts', logLevel: 'silent' });
  } catch (error) {
    throw new Error(`${room}, "${says}", ${file}: ${error instanceof Error ? error.message : error}`);
  }
  return { path, find, replace };
};
