// Two adapters for the HTTP API, and a server for programs without one.
export { createHandler, type Handler } from './create-handler.ts';
export type { FetchInfo } from './fetch.ts';
export type { HandlerOptions } from './handler.ts';
export { type Listener, listen } from './listen.ts';
export { type ListenMetricsOptions, listenMetrics, type MetricsListener } from './listen-metrics.ts';
export { type Load, type LoadWatch, type LoadWatchOptions, watchLoad } from './load.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export type { Answered } from './metrics-meter.ts';
export type { NodeFace } from './node.ts';
// Operations in the process that has the database.
export { callOperation, type OperationAnswer, type OperationInput } from './operations.ts';
// The table of served paths, for documents, tests and tools.
export { pathsOf } from './paths.ts';
export type { Answer } from './pipeline/envelope.ts';
export type {
  AnswerForm,
  Kind,
  Method,
  OpenCall,
  OpenRoute,
  OrgCall,
  OrgRoute,
  ProjectCall,
  ProjectRoute,
  Route,
} from './route.ts';
export { routes } from './route-table.ts';
