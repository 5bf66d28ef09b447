// Cost of rendering a compiled template, beside two libraries that compile the same text.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileTemplate } from '../packages/core/src/messaging/templates/compile.ts';
import { render as renderTemplate } from '../packages/core/src/messaging/templates/render.ts';
import type { Bench } from './lib/bench.ts';
import { ratioGate } from './lib/gates.ts';
import { peerVersion } from './lib/peers.ts';
import { places } from './lib/places.ts';
import { figure } from './lib/report.ts';
import { type Racer, series, takeTurns, VoidRun } from './lib/rounds.ts';
import { median, ratios } from './lib/statistics.ts';

/**
 * Duration of a turn, in milliseconds: long enough that garbage collection is a small part. Source: performance design,
 * 6.4.
 */
const TURN_MS = 500;
/** Renders between two reads of the clock. */
const STRIDE = 1_000;

type Context = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Compiled = (context: Context) => string;
type Handlebars = { compile(text: string, options: { noEscape: boolean; knownHelpersOnly: boolean }): Compiled };
type Mustache = {
  render(text: string, context: Context, partials: undefined, config: { escape?: (text: string) => string }): string;
};

const TEXTS = {
  plain:
    'Hi {{user.first_name}}, your order {{event.order_id}} of {{event.total}} is on its way to {{trait.city}}. ' +
    'Thank you for being with us since {{trait.since}}!',
  escaped:
    '<!doctype html><html><body><h1>Hi {{user.first_name}}</h1><p>Your order <b>{{event.order_id}}</b> of ' +
    '{{event.total}} is on its way to <i>{{trait.city}}</i>.</p><table><tr><td>{{event.item}}</td><td>{{event.price}}</td>' +
    '</tr></table><p>You are on plan {{trait.plan}}, with {{trait.points}} points.</p><p>{{trait.shop}}</p></body></html>',
} as const;
type Kind = keyof typeof TEXTS;

/** Some values need escaping, as in reality. */
const CONTEXTS: readonly Context[] = Array.from({ length: 64 }, (_, at) => ({
  user: { first_name: at % 8 === 0 ? 'Ann & Ben' : `Ann${at}` },
  event: {
    order_id: `A-${10_000 + at}`,
    total: 12.5 + at,
    item: at % 4 === 0 ? 'Nuts <1 kg>' : 'Nuts',
    price: '12.50',
  },
  trait: { city: 'Bern', since: 2_019, plan: 'pro', points: at * 7, shop: 'Shop "Nuts & Bolts"' },
}));

const racerOf = (name: string, compiled: Compiled): Racer => ({
  name,
  turn: async () => {
    const cpu = process.cpuUsage();
    const until = performance.now() + TURN_MS;
    let [renders, length] = [0, 0];
    while (performance.now() < until) {
      for (let at = 0; at < STRIDE; at += 1) length += compiled(CONTEXTS[at % CONTEXTS.length] ?? {}).length;
      renders += STRIDE;
    }
    if (length === 0) throw new VoidRun(`${name} rendered nothing`);
    const { user, system } = process.cpuUsage(cpu);
    return { cpuUs: (user + system) / renders };
  },
});

/** The installed libraries, each with the compiled text; a library that is not installed is missing. */
const librariesOf = (
  kind: Kind,
): { readonly racers: readonly [string, Compiled][]; readonly skips: readonly string[] } => {
  const load = createRequire(join(places.peers, 'package.json'));
  const racers: [string, Compiled][] = [];
  const skips: string[] = [];
  const text = TEXTS[kind];
  const made: Readonly<Record<string, (library: unknown) => Compiled>> = {
    // Safe, here and below: what these packages export.
    handlebars: (library) =>
      (library as Handlebars).compile(text, { noEscape: kind === 'plain', knownHelpersOnly: true }),
    mustache: (library) => {
      const config = kind === 'plain' ? { escape: (value: string) => value } : {};
      return (context) => (library as Mustache).render(text, context, undefined, config);
    },
  };
  for (const [name, make] of Object.entries(made))
    try {
      racers.push([name, make(load(name))]);
    } catch {
      skips.push(`${name} not installed in bench/peers`);
    }
  return { racers, skips };
};

const plainOf = (html: string): string => html.replaceAll('&#x3D;', '=').replaceAll('&#x2F;', '/');

/** Templates, plain and escaped. Gates: G16. */
export const render: Bench = async ({ options, say }) => {
  const racers: Racer[] = [];
  const skips = new Set<string>();
  for (const kind of ['plain', 'escaped'] as const) {
    const template = compileTemplate(TEXTS[kind]);
    const own: Compiled = (context) => renderTemplate(template, context, { escapeHtml: kind === 'escaped' });
    const others = librariesOf(kind);
    for (const skip of others.skips) skips.add(skip);
    for (const [name, compiled] of others.racers)
      for (const context of CONTEXTS)
        if (plainOf(compiled(context)) !== own(context)) throw new VoidRun(`${name} renders something else (${kind})`);
    for (const [name, compiled] of [['beckon', own], ...others.racers] as const)
      racers.push(racerOf(`${name} ${kind}`, compiled));
  }
  say('render: measuring');
  await takeTurns(racers, 1);
  const results = await takeTurns(racers, options.rounds);
  const cpuOf = (name: string): number[] => series(results, name, 'cpuUs');
  const times = (kind: Kind): number[] => ratios(cpuOf(`handlebars ${kind}`), cpuOf(`beckon ${kind}`));
  const isJudged = !skips.has('handlebars not installed in bench/peers');
  return {
    name: 'render',
    about: `rounds ${options.rounds}   turns of ${TURN_MS} ms in this process, results consumed`,
    table: [
      ['template', 'cpu us', 'renders a second'],
      ...racers.map(({ name }) => {
        const us = median(cpuOf(name));
        return [name, us.toFixed(3), figure(1_000_000 / us)];
      }),
    ],
    notes: isJudged ? [`handlebars ${peerVersion('handlebars')}, compiled once; all render the same texts`] : [],
    skips: [...skips],
    gates: isJudged
      ? [
          ratioGate('G16 plain', 'CPU of compiled handlebars over ours, text', times('plain'), 'at least', 2, 3),
          ratioGate('G16 escaped', 'CPU of compiled handlebars over ours, HTML', times('escaped'), 'at least', 1.5, 3),
        ]
      : [],
    results,
  };
};
