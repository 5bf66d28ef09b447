/*
 * Writes the pages of docs/reference and builds the site of docs/ for `beckon docs`: npm run docs
 * Neither is committed. The build fails on a dead link, also in the sidebar.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, resolveConfig } from 'vitepress';
import { openApiFile } from '../packages/http/test/support/openapi/kept.ts';
import { apiReference } from './api-reference.ts';
import { cliReference } from './cli-reference.ts';
import { errorReference, eventReference, reasonReference } from './names-reference.ts';
import { settingsTable } from './settings-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const reference = join(root, 'docs/reference');

const CONFIGURATION = `# Configuration

The first source with a value wins: a flag, the environment variable, a file named by the variable with \`_FILE\` appended,
\`.env\`, \`beckon.config.json\`, the default.
`;

/** Not generated from Markdown: see api-reference.ts. */
const API_PAGE = 'reference/api.html';

const pages = {
  cli: cliReference(),
  errors: errorReference(),
  'message-reasons': reasonReference(),
  'webhook-events': eventReference(),
  configuration: `${CONFIGURATION}\n${settingsTable()}`,
};
rmSync(reference, { recursive: true, force: true });
mkdirSync(reference, { recursive: true });
for (const [name, markdown] of Object.entries(pages)) writeFileSync(join(reference, `${name}.md`), markdown);

const docs = join(root, 'docs');
const { site, pages: found, outDir } = await resolveConfig(docs, 'build');
const linked = JSON.stringify(site.themeConfig).matchAll(/"link":"\/([^"]*)"/g);
// VitePress checks the links of pages only.
const missing = ['index', ...Array.from(linked, ([, page]) => page)].filter(
  (page) => !found.includes(`${page}.md`) && page !== API_PAGE,
);
if (missing.length > 0) throw new Error(`The sidebar links pages that do not exist: ${missing.join(', ')}.`);

await build(docs);

const document: unknown = JSON.parse(readFileSync(openApiFile, 'utf8'));
for (const [name, text] of Object.entries(apiReference(document))) writeFileSync(join(outDir, 'reference', name), text);

const files = readdirSync(outDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
console.log(`${files.length} files, ${(bytes / 1e6).toFixed(2)} MB`);
