// Writes the description of the interface that the repository keeps, so that a diff shows a change of the interface:
//   npm run openapi
import { writeFileSync } from 'node:fs';
import { openApiFile, openApiText } from '../packages/http/src/openapi/testing/kept.ts';

writeFileSync(openApiFile, openApiText());
