import { renderToString } from 'ink';
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { after, emptyModel, KEY_HELP } from './model.ts';
import { Screen } from './screen.ts';

it('the dashboard shows every key with what it does in place of its panels', () => {
  const model = after(emptyModel, { kind: 'text', text: '?' });
  const frame = renderToString(createElement(Screen, { model, height: 20 }), { columns: 80 });
  for (const [key, what] of KEY_HELP)
    expect(frame).toMatch(new RegExp(`^${key.replace(/[?/]/, '\\$&')} +${what.slice(0, 12)}`, 'm'));
  expect(frame).not.toContain('[throughput]');
  const panels = renderToString(createElement(Screen, { model: emptyModel, height: 20 }), { columns: 80 });
  expect(panels).toContain('[throughput]');
  expect(panels).toContain('? keys');
});
