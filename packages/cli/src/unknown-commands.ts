// Advice for unknown commands: the command that users of other tools look for.

import type { Command } from 'commander';
import { nearest } from './suggest.ts';

const PROFILES = 'Use "beckon profiles list" or "beckon profiles show USER".';
const NO_LOGIN =
  'No login is needed: commands open the configured database. For a running server pass --url and --api-key-file.';
const HEALTH = 'Use "beckon doctor", or "beckon dashboard --once" for queues and failures.';
const BUNDLE_IMPORT = 'Use "beckon bundle import FILE".';
const BUNDLE_EXPORT = 'Use "beckon bundle export".';
const TEMPLATES = 'Templates are files: use "beckon templates pull" and "beckon templates push".';
const SEND = 'Use "beckon send push|email|sms --audience NAME".';

/** By full command. `users` are end users who sign in, so it is no alias of profiles. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['user', PROFILES],
  ['profile', PROFILES],
  ['people', PROFILES],
  ['status', HEALTH],
  ['health', HEALTH],
  ['login', NO_LOGIN],
  ['logout', NO_LOGIN],
  ['whoami', NO_LOGIN],
  ['start', 'Use "beckon serve".'],
  ['import', `${BUNDLE_IMPORT} Lists: "beckon audiences import", "beckon suppressions import".`],
  ['export', `${BUNDLE_EXPORT} Members of a segment: "beckon audiences export".`],
  ['segments', 'Use "beckon audiences".'],
  ['campaigns', SEND],
  ['broadcast', SEND],
  ['messages', 'Use "beckon sends show SEND --messages".'],
  ['config', 'Use "beckon help config" for the keys, and "beckon doctor" to check them.'],
  ['workflows import', BUNDLE_IMPORT],
  ['workflows create', BUNDLE_IMPORT],
  ['workflows update', BUNDLE_IMPORT],
  ['workflows export', BUNDLE_EXPORT],
  ['workflows validate', 'Use "beckon bundle validate FILE".'],
  ['workflows diff', 'Use "beckon bundle diff FILE".'],
  ['workflows runs', 'Use "beckon runs list --workflow NAME".'],
  ['workflows stats', 'Use "beckon workflows figures NAME".'],
  ['templates create', TEMPLATES],
  ['templates update', TEMPLATES],
  ['templates import', 'Use "beckon templates push".'],
  ['templates export', 'Use "beckon templates pull".'],
  ['sends get', 'Use "beckon sends show SEND".'],
  ['events send', 'Send events with POST /api/v1/events, or with the SDK.'],
  ['events track', 'Send events with POST /api/v1/events, or with the SDK.'],
]);

/** Event of the parser; errors of the listener are thrown by the parser. */
const UNKNOWN = 'command:*';
/** Maximum suggestions for one name. */
const MAX_SHOWN = 3;

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const isShown = (command: Command): boolean => !command.name().startsWith('_');

const allOf = (command: Command): Command[] => command.commands.filter(isShown).flatMap((one) => [one, ...allOf(one)]);

const namesOf = ({ commands }: Command): string[] =>
  commands.filter(isShown).flatMap((one) => [one.name(), ...one.aliases()]);

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** Advice for an unknown word; empty if nothing is similar. */
const advice = (command: Command, word: string): string => {
  const elsewhere = ADVICE.get([...pathOf(command), word].join(' '));
  if (elsewhere !== undefined) return `\n${elsewhere}`;
  const near = nearest(word, namesOf(command));
  if (near !== undefined) return `\n(Did you mean ${near}?)`;
  const same = allOf(rootOf(command)).filter((one) => one.name() === word);
  if (same.length === 0 || same.length > MAX_SHOWN) return '';
  return `\n(Did you mean ${same.map((one) => `beckon ${pathOf(one).join(' ')}`).join(' or ')}?)`;
};

/** Ends the run with a usage error about a command that does not exist. */
export const rejectUnknown = (command: Command, word: string): never =>
  command.error(`error: unknown command '${word}'${advice(command, word)}`, { code: 'commander.unknownCommand' });

/** Adds advice for unknown commands to the program and every group. */
export const adviseOnUnknown = (command: Command): void => {
  if (command.commands.length === 0) return;
  command.on(UNKNOWN, ([word = '']: readonly string[]) => rejectUnknown(command, word));
  for (const one of command.commands) adviseOnUnknown(one);
};
