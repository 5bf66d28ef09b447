// How commands take a name or the end of an id where an operation takes an id.

import type { Api, Operation, RowOf } from '../api.ts';
import { idOfNamed, wholeId } from '../ids.ts';

type Find = (api: Api, given: string) => Promise<string>;
type Listed<Row> = { [R in Operation]: RowOf<R> extends never ? never : RowOf<R> extends Row ? R : never }[Operation];

/** By its id, whole or as tables show it. */
export const byId =
  (what: string, list: Listed<{ readonly id: string }>): Find =>
  (api, given) =>
    wholeId(what, given, (query) => api.page(list, { query }));

/** By its id or its name. */
export const byName =
  (what: string, list: Listed<{ readonly id: string; readonly name: string }>): Find =>
  (api, given) =>
    idOfNamed(what, given, (query) => api.page(list, { query }));
