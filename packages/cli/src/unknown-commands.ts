// What is said of a command that does not exist: the command that does it, where another name is expected.

import type { Command } from 'commander';
import { nearest } from './suggest.ts';

const PROFILES = 'Use "beckon profiles list" or "beckon profiles show USER".';
const NO_LOGIN =
  'There is no login: commands open the database of the configuration. For a running service use --url with --api-key-file.';
const HEALTH = 'Use "beckon doctor", or "beckon dashboard --once" for queues and failures.';
const BUNDLE_IMPORT = 'Use "beckon bundle import FILE".';
const BUNDLE_EXPORT = 'Use "beckon bundle export".';
const TEMPLATES = 'Templates are files: use "beckon templates pull" and "beckon templates push".';
const SEND = 'Use "beckon send push|email|sms --audience NAME".';

/** By the whole command; the interface of end-user accounts takes the name `users`, so it is no other name of profiles. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['user', PROFILES],
  ['users', 'Accounts of end users have no command yet. Profiles of users: "beckon profiles list".'],
  ['profile', PROFILES],
  ['people', PROFILES],
  ['status', HEALTH],
  ['health', HEALTH],
  ['login', NO_LOGIN],
  ['logout', NO_LOGIN],
  ['auth', NO_LOGIN],
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

/** Emitted by the parser while it parses: what a listener throws is what the parser throws. */
const UNKNOWN = 'command:*';
/** Commands of one name that are shown at most. */
const MAX_SHOWN = 3;

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const isShown = (command: Command): boolean => !command.name().startsWith('_');

const allOf = (command: Command): Command[] => command.commands.filter(isShown).flatMap((one) => [one, ...allOf(one)]);

const namesOf = ({ commands }: Command): string[] =>
  commands.filter(isShown).flatMap((one) => [one.name(), ...one.aliases()]);

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** What helps after an unknown word; empty where nothing is near. */
const advice = (command: Command, word: string): string => {
  const elsewhere = ELSEWHERE.get([...pathOf(command), word].join(' '));
  if (elsewhere !== undefined) return `\n${elsewhere}`;
  const near = nearest(word, namesOf(command));
  if (near !== undefined) return `\n(Did you mean ${near}?)`;
  const same = allOf(rootOf(command)).filter((one) => one.name() === word);
  if (same.length === 0 || same.length > MAX_SHOWN) return '';
  return `\n(Did you mean ${same.map((one) => `beckon ${pathOf(one).join(' ')}`).join(' or ')}?)`;
};

/** Ends the run with a usage error about a command that does not exist. */
export const refuseUnknown = (command: Command, word: string): never =>
  command.error(`error: unknown command '${word}'${advice(command, word)}`, { code: 'commander.unknownCommand' });

/** Lets the program and every group say what an unknown command is called here. */
export const adviseOnUnknown = (command: Command): void => {
  if (command.commands.length === 0) return;
  command.on(UNKNOWN, ([word = '']: readonly string[]) => refuseUnknown(command, word));
  for (const one of command.commands) adviseOnUnknown(one);
};
