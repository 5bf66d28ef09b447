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

/** Rows of a panel that is not selected. Chosen. */
const FEW = 4;
const MANY = 12;
/** Maximum lines of all panels, with borders and titles. */
const ALL_LINES = PANELS.length * (FEW + 3) + MANY - FEW;
/** Lines around the rows of a single panel: two of the header, title and borders, the keys, and one spare. */
const AROUND = 7;
const HINTS = 'q quit  ? keys  tab next panel  ↑↓ select  enter detail  / filter  p pause  r replay';
/** Columns of the widest key. */
const KEY_WIDTH = 7;

const panelBox = (model: Model, panel: Panel, many: number): ReactNode => {
  const isSelected = model.panel === panel;
  const rows = rowsOf(model, panel);
  const maxRows = isSelected ? (model.isDetailed ? rows.length : many) : FEW;
  // Scrolls so that the selected row stays visible.
  const first = isSelected ? Math.max(0, model.selected - maxRows + 1) : 0;
  const lines = rows.slice(first, first + maxRows).map((row, at) =>
    // Rows have no id, so their position is the key.
    h(
      Text,
      {
        key: at,
        wrap: isSelected && model.isDetailed ? 'wrap' : 'truncate-end',
        inverse: isSelected && first + at === model.selected,
      },
      row,
    ),
  );
  return h(
    Box,
    { key: panel, flexDirection: 'column', borderStyle: 'round', borderDimColor: !isSelected, paddingX: 1 },
    h(Text, { key: 'title', bold: isSelected }, panel),
    ...(lines.length > 0 ? lines : [h(Text, { key: 'none', dimColor: true }, 'nothing')]),
  );
};

/** The names of all panels; the selected one is marked. */
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

/** One frame: all panels if they fit the height, else the selected panel. */
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

/** The data source of the live screen. */
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

const useReadings = ({ read, refreshMs }: Source, dispatch: (action: Action) => void): void => {
  useEffect(() => {
    let isBusy = false;
    // One read at a time: with a slow database, a second one would only queue up.
    const refresh = contained(() => {
      if (isBusy) return;
      isBusy = true;
      void read()
        .then((reading) => dispatch({ kind: 'read', reading }))
        .catch((error: unknown) => dispatch({ kind: 'note', note: messageOf(error) }))
        .finally(() => {
          isBusy = false;
        });
    });
    refresh();
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, [read, refreshMs, dispatch]);
};

/** The live screen, until `q`. */
export const Live: FunctionComponent<{ readonly source: Source }> = ({ source }) => {
  const { exit } = useApp();
  const { rows } = useWindowSize();
  const [model, dispatch] = useReducer(after, emptyModel);
  useReadings(source, dispatch);
  const replay = (delivery: Delivery): void =>
    void source
      .replay(delivery)
      .then(() => dispatch({ kind: 'note', note: `Replaying delivery ${delivery.id}` }))
      .catch((error: unknown) => dispatch({ kind: 'note', note: messageOf(error) }));
  useInput((text, pressed) => {
    const key = keyOf(pressed);
    let now = model;
    for (const action of key === null ? typedAs(text) : [{ kind: 'key', key } as const]) {
      const command = now.typing === null && action.kind === 'text' ? action.text : null;
      if (command === 'q') return exit();
      // The list of keys hides the selection, so `r` does nothing there.
      const delivery = command === 'r' && !now.isHelping ? selectedDelivery(now) : null;
      if (delivery !== null) replay(delivery);
      now = after(now, action);
      dispatch(action);
    }
  });
  return h(
    Box,
    { height: rows - 1, overflow: 'hidden', flexDirection: 'column' },
    h(Screen, { model, height: rows - 1 }),
  );
};
