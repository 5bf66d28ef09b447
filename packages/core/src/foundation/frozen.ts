/**
 * An input as a caller may hold it: the same shape, changed by nobody, so that constants and other people's rows fit.
 */
export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;
