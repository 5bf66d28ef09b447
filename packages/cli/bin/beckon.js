#!/usr/bin/env node
// Plain JavaScript that an old Node can parse: it must get as far as the sentence below, because better-sqlite3
// ends an old Node with a segmentation fault. Only built-ins are imported before that.
import { existsSync } from 'node:fs';

const source = new URL('../src/main.ts', import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`beckon needs Node 22.19 or newer, and this is Node ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (existsSync(source)) {
  // A checkout: what is published has no src. The preload sends imports of our packages to their source.
  await import(new URL('../../../scripts/source-preload.mjs', import.meta.url).href);
  await import(source.href);
} else {
  await import(new URL('../dist/main.js', import.meta.url).href);
}
