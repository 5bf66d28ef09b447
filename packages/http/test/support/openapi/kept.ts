import { fileURLToPath } from 'node:url';
import { documentOf } from '../../../src/openapi/document.ts';
import { routes } from '../../../src/route-table.ts';

/** The OpenAPI file of the repository. */
export const openApiFile = fileURLToPath(new URL('../../../src/openapi/openapi.json', import.meta.url));
/** Its expected content. */
export const openApiText = (): string => `${JSON.stringify(documentOf(routes, '/api/v1'), null, 2)}\n`;
