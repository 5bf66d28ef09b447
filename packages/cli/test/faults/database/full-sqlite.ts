import { createRequire } from 'node:module';
import { preload } from '../../beckon.ts';

const driver = createRequire(new URL('../../../../core/package.json', import.meta.url)).resolve('better-sqlite3');

/**
 * Flags of Node that simulate a full disk: after SIGUSR2 the SQLite file cannot grow, after the next one it can again.
 */
export const fullOnSignal = preload(`
  import { createRequire } from 'node:module';
  const Database = createRequire(${JSON.stringify(driver)})(${JSON.stringify(driver)});
  const { pragma } = Database.prototype;
  const opened = new Set();
  Database.prototype.pragma = function (text, ...rest) {
    opened.add(this);
    return pragma.call(this, text, ...rest);
  };
  let isFull = false;
  process.on('SIGUSR2', () => {
    isFull = !isFull;
    for (const one of opened) {
      if (!one.open) continue;
      const pages = isFull ? pragma.call(one, 'page_count', { simple: true }) : 1_073_741_823;
      pragma.call(one, 'max_page_count = ' + pages);
    }
  });
`).join(' ');
