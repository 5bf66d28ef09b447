/*
 * The reference of the HTTP API: a Redoc page of the OpenAPI document that the service itself serves. All files are
 * part of the site, so that it works without a network.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each operation below these paths repeats one with a shorter path, for keys of several organizations. */
const REPEATED = '/api/v1/orgs/{orgId}/';

/** The OpenAPI document with each operation once. Throws nothing. */
export const apiDocument = (document: unknown): Json => {
  if (!isJson(document) || !isJson(document['paths'])) return {};
  const paths = Object.entries(document['paths']).filter(([path]) => !path.startsWith(REPEATED));
  return { ...document, paths: Object.fromEntries(paths) };
};

const require = createRequire(import.meta.url);

/** Redoc shows it beside its name, and hides an image that does not load. */
const REMOTE_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const redocScript = (): string => {
  const script = readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  if (!script.includes(REMOTE_LOGO)) throw new Error('Redoc has no remote logo any more: remove its replacement.');
  return script.replaceAll(REMOTE_LOGO, 'data:,');
};

const redocLicense = (): string =>
  [require.resolve('redoc/LICENSE'), require.resolve('redoc/bundles/redoc.standalone.js.LICENSE.txt')]
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n\n');

const OPTIONS = {
  hideHostname: true,
  nativeScrollbars: true,
  scrollYOffset: 48,
  showExtensions: ['x-scope', 'x-public', 'x-budget-ms', 'x-max-body-bytes', 'x-error-codes'],
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>HTTP API | Beckon</title>
<link rel="icon" href="data:,">
<style>
body { margin: 0; font-family: system-ui, sans-serif; }
nav { position: sticky; top: 0; z-index: 2; height: 48px; padding: 0 20px; background: #fff; border-bottom: 1px solid #ddd; line-height: 48px; }
nav a { color: #333; }
</style>
</head>
<body>
<nav><a href="../index.html">Beckon documentation</a></nav>
<main id="reference"><noscript>This page needs JavaScript. The description is in <a href="openapi.json">openapi.json</a>.</noscript></main>
<script src="redoc.standalone.js"></script>
<script>Redoc.init('openapi.json', ${JSON.stringify(OPTIONS)}, document.getElementById('reference'));</script>
</body>
</html>
`;

/**
 * The files of the page by name, all in one folder.
 *
 * @param document the OpenAPI document
 * Throws if Redoc is not installed.
 */
export const apiReference = (document: unknown): Readonly<Record<string, string>> => ({
  'api.html': PAGE,
  'openapi.json': JSON.stringify(apiDocument(document)),
  'redoc.standalone.js': redocScript(),
  'redoc.standalone.js.LICENSE.txt': redocLicense(),
});
