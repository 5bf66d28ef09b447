import { describe, expect, it } from 'vitest';
import { missingIn, PAGES, readPage } from './docs-paths.ts';

describe('source files in the pages that describe the code', () => {
  it.each(PAGES)('every file that %s names exists, with the names behind it', (page) => {
    expect(missingIn(readPage(page))).toEqual([]);
  });

  it('the pages of docs/internals are among those that are read', () => {
    expect(PAGES.length).toBeGreaterThan(10);
  });

  it('a file or a folder that does not exist is found in a sentence and in a drawing', () => {
    const page = [
      'Read `people/events/ingest.ts`, `people/events/gone.ts`, `core/test/invariants/` and `people/nowhere/`.',
      '```text',
      'accept   people/events/queue.ts -> jobs/nobody.ts',
      '```',
    ].join('\n');
    expect(missingIn(page)).toEqual(['people/events/gone.ts', 'people/nowhere/', 'jobs/nobody.ts']);
  });

  it('a name behind a file that does not occur in it is found', () => {
    const page =
      '```text\npeople/events/ingest.ts: ingest, noSuchFunction\n```\n`people/events/queue.ts`: `ingestQueue`';
    expect(missingIn(page)).toEqual(['people/events/ingest.ts: noSuchFunction']);
  });

  it('file names without a folder, placeholders, addresses and built files are no claims', () => {
    const page =
      '`schema.ts`, `<module>/module.ts`, `runs/steps/<type>.ts`, `POST /events`, `dist/a/b.ts`, `text/html`';
    expect(missingIn(page)).toEqual([]);
  });
});
