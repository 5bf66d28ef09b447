import { Box, Text, useApp, useInput, useWindowSize } from 'ink';
import { type FunctionComponent, createElement as h, type ReactNode, useEffect, useReducer } from 'react';
import { contained } from '../contained.ts';
import {
  type Action,
  after,
  emptyModel,
  KEY_HELP,
  type Key,
  type Model,
  PANELS,
  type Panel,
  rowsOf,
  selectedDelivery,
  typedAs,
} from './model.ts';
import type { Delivery, Reading } from './reading.ts';

/** Lines of a panel that is not the one looked at; ours. */
const FEW = 4;
const MANY = 12;
/** Lines of all panels at their greatest, with their borders and titles. */
const ALL_LINES = PANELS.length * (FEW + 3) + MANY - FEW;
/** Lines around the rows of a panel that stands alone: two of the head, its title and borders, the keys, and one to spare. */
const AROUND = 7;
const HINTS = 'q quit  ? keys  tab next panel  ↑↓ select  enter detail  / filter  p pause  r replay';
/** Columns of the widest key. */
const KEY_WIDTH = 7;

const panelBox = (model: Model, panel: Panel, many: number): ReactNode => {
  const isOwn = model.panel === panel;
  const rows = rowsOf(model, panel);
  const most = isOwn ? (model.isDetailed ? rows.length : many) : FEW;
  // What is selected stays in sight.
  const first = isOwn ? Math.max(0, model.selected - most + 1) : 0;
  const lines = rows.slice(first, first + most).map((row, at) =>
    // Rows have no other name than their place.
    h(
      Text,
      {
        key: at,
        wrap: isOwn && model.isDetailed ? 'wrap' : 'truncate-end',
        inverse: isOwn && first + at === model.selected,
      },
      row,
    ),
  );
  return h(
    Box,
    { key: panel, flexDirection: 'column', borderStyle: 'round', borderDimColor: !isOwn, paddingX: 1 },
    h(Text, { key: 'title', bold: isOwn }, panel),
    ...(lines.length > 0 ? lines : [h(Text, { key: 'none', dimColor: true }, 'nothing')]),
  );
};

/** The names of all panels, the one looked at marked. */
const tabs = (model: Model): ReactNode =>
  h(
    Text,
    { key: 'tabs', wrap: 'truncate-end' },
    PANELS.map((panel) => (panel === model.panel ? `[${panel}]` : panel)).join(' '),
  );

const keyLines = (): ReactNode[] =>
  KEY_HELP.map(([key, what]) =>
    h(Text, { key, wrap: 'truncate-end' }, h(Text, { bold: true }, key.padEnd(KEY_WIDTH)), what),
  );

/** One frame of so many lines: all panels where they fit, else the one that is looked at. */
export const Screen: FunctionComponent<{ readonly model: Model; readonly height?: number }> = ({ model, height }) => {
  const now = model.readings.at(-1);
  const shown = model.typing === null ? model.filter : `${model.typing}_`;
  const state = [
    now ? `${now.at.toISOString()}  ${now.health}` : 'reading',
    ...(model.isPaused ? ['paused'] : []),
    ...(shown === '' ? [] : [`/${shown}`]),
    ...(model.note === null ? [] : [model.note]),
  ].join('  ');
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, { bold: true, wrap: 'truncate-end' }, `beckon  ${state}`),
    ...(model.isHelping
      ? keyLines()
      : height === undefined || height > ALL_LINES
        ? PANELS.map((panel) => panelBox(model, panel, MANY))
        : [tabs(model), panelBox(model, model.panel, Math.max(1, height - AROUND))]),
    h(Text, { dimColor: true, wrap: 'truncate-end' }, HINTS),
  );
};

/** What the live screen asks of the service. */
export type Source = {
  read(): Promise<Reading>;
  replay(delivery: Delivery): Promise<void>;
  readonly refreshMs: number;
};

type Pressed = Parameters<Parameters<typeof useInput>[0]>[1];

const keyOf = (key: Pressed): Key | null => {
  if (key.tab) return 'tab';
  if (key.return) return 'enter';
  if (key.escape) return 'escape';
  if (key.backspace || key.delete) return 'backspace';
  if (key.upArrow) return 'up';
  return key.downArrow ? 'down' : null;
};

const saying = (error: unknown): string => (error instanceof Error ? error.message : 'it failed');

const useReadings = ({ read, refreshMs }: Source, tell: (action: Action) => void): void => {
  useEffect(() => {
    let isBusy = false;
    // One look at a time: of a slow database the next says the same.
    const look = contained(() => {
      if (isBusy) return;
      isBusy = true;
      void read()
        .then((reading) => tell({ kind: 'read', reading }))
        .catch((error: unknown) => tell({ kind: 'note', note: saying(error) }))
        .finally(() => {
          isBusy = false;
        });
    });
    look();
    const timer = setInterval(look, refreshMs);
    return () => clearInterval(timer);
  }, [read, refreshMs, tell]);
};

/** The screen that goes on until `q`. */
export const Live: FunctionComponent<{ readonly source: Source }> = ({ source }) => {
  const { exit } = useApp();
  const { rows } = useWindowSize();
  const [model, tell] = useReducer(after, emptyModel);
  useReadings(source, tell);
  const replay = (delivery: Delivery): void =>
    void source
      .replay(delivery)
      .then(() => tell({ kind: 'note', note: `${delivery.id} is told again` }))
      .catch((error: unknown) => tell({ kind: 'note', note: saying(error) }));
  useInput((text, pressed) => {
    const key = keyOf(pressed);
    let now = model;
    for (const action of key === null ? typedAs(text) : [{ kind: 'key', key } as const]) {
      const command = now.typing === null && action.kind === 'text' ? action.text : null;
      if (command === 'q') return exit();
      // Behind the keys nobody sees which one is selected.
      const delivery = command === 'r' && !now.isHelping ? selectedDelivery(now) : null;
      if (delivery !== null) replay(delivery);
      now = after(now, action);
      tell(action);
    }
  });
  return h(
    Box,
    { height: rows - 1, overflow: 'hidden', flexDirection: 'column' },
    h(Screen, { model, height: rows - 1 }),
  );
};
