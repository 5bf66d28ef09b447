import { fileURLToPath } from 'node:url';
import { routes } from '../../route-table.ts';
import { documentOf } from '../document.ts';

/** The file of the repository that describes the interface. */
export const openApiFile = fileURLToPath(new URL('../openapi.json', import.meta.url));
/** What it has to hold. */
export const openApiText = (): string => `${JSON.stringify(documentOf(routes, '/api/v1'), null, 2)}\n`;
