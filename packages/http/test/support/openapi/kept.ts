import { fileURLToPath } from 'node:url';
import { documentOf } from '../../../src/openapi/document.ts';
import { routes } from '../../../src/route-table.ts';

/** The file of the repository that describes the interface. */
export const openApiFile = fileURLToPath(new URL('../../../src/openapi/openapi.json', import.meta.url));
/** What it has to hold. */
export const openApiText = (): string => `${JSON.stringify(documentOf(routes, '/api/v1'), null, 2)}\n`;
