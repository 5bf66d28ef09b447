/*
 * Writes the pages of docs/reference and builds the site of docs/ where `beckon docs` looks for it: npm run docs
 * Neither is committed. The build fails on a dead link.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { openApiFile } from '../packages/http/src/openapi/testing/kept.ts';
import { apiReference, apiTypes } from './api-reference.ts';
import { cliReference } from './cli-reference.ts';
import { settingsTable } from './settings-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const reference = join(root, 'docs/reference');

const CONFIGURATION = `# Configuration

Every key of \`beckon.config.json\` and its environment variable, which wins over the file; flags win over both.
`;

const document: unknown = JSON.parse(readFileSync(openApiFile, 'utf8'));
const pages = {
  api: apiReference(document),
  types: apiTypes(document),
  cli: cliReference(),
  configuration: `${CONFIGURATION}\n${settingsTable()}`,
};
rmSync(reference, { recursive: true, force: true });
mkdirSync(reference, { recursive: true });
for (const [name, markdown] of Object.entries(pages)) writeFileSync(join(reference, `${name}.md`), markdown);

await build(join(root, 'docs'));
