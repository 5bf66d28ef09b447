// Generates the OpenAPI document in the repository, so that a diff shows a change of the API, the SDK's types, the
// operations of the CLI, the JSON Schemas of workflow files, and the service worker that the service serves:
// npm run openapi
import { writeFileSync } from 'node:fs';
import { schemaText, workflowSchemas } from '../packages/core/test/support/workflows/json-schemas.ts';
import { openApiFile, openApiText } from '../packages/http/test/support/openapi/kept.ts';
import { answerTypes } from './answer-types.ts';
import { cliOperations, cliOperationsFile } from './cli-operations.ts';
import { sdkRoutes, sdkRoutesFile } from './sdk-routes.ts';
import { sdkTypes, sdkTypesFile } from './sdk-types.ts';
import { sdkWorker, sdkWorkerFile } from './sdk-worker.ts';

for (const { file, text } of answerTypes()) writeFileSync(file, text);

const text = openApiText();
writeFileSync(openApiFile, text);
writeFileSync(sdkTypesFile, sdkTypes(JSON.parse(text)));
writeFileSync(sdkRoutesFile, sdkRoutes(JSON.parse(text)));
writeFileSync(cliOperationsFile, cliOperations(JSON.parse(text)));
for (const { file, schema } of workflowSchemas()) writeFileSync(file, schemaText(schema));
writeFileSync(sdkWorkerFile, await sdkWorker());
