// Reads values of exports of other systems, where numbers, flags and times come as texts of several forms.

import { isObject } from '../is-object.ts';

/** One record of an export: an object of JSON, or the cells of a row by the names of their columns. */
export type Source = Readonly<Record<string, unknown>>;

/** A text that is not empty; numbers as text; else undefined. Throws nothing. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.toLowerCase() === 'null' ? undefined : text;
};

/** True for the flags that exports write: `true`, `t`, `1`, `yes`. Undefined for an absent one. Throws nothing. */
export const flagOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  const text = textOf(value)?.toLowerCase();
  return text === undefined ? undefined : ['true', 't', '1', 'yes', 'y'].includes(text);
};

/** From here on a number is a time in milliseconds, below it in seconds. Source: 1e11 ms is 1973, 1e11 s the year 5138. */
const FIRST_MS = 1e11;

/** A time as ISO 8601. Text that is no time stays as it is, so that the server names the row. Throws nothing. */
export const timeOf = (value: unknown): string | undefined => {
  const text = textOf(isObject(value) ? value['$date'] : value);
  if (text === undefined) return undefined;
  const number = Number(text);
  // PostgreSQL writes `2024-01-02 03:04:05.678901+00`.
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) /, '$1T').replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00');
  const ms = Number.isFinite(number) ? (number < FIRST_MS ? number * 1_000 : number) : Date.parse(iso);
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
};

/** An object, or the JSON text of one; undefined for anything else. Throws nothing. */
export const objectOf = (value: unknown): Source | undefined => {
  if (isObject(value)) return value;
  const parsed = jsonOf(value);
  return isObject(parsed) ? parsed : undefined;
};

/** A list, or the JSON text of one; empty for anything else. Throws nothing. */
export const listOf = (value: unknown): readonly Source[] => {
  const list = Array.isArray(value) ? value : jsonOf(value);
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** The value of a JSON text; undefined for text that is no JSON. Throws nothing. */
export const jsonOf = (value: unknown): unknown => {
  const text = textOf(value);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A phone number in E.164: some systems leave the plus sign out. Throws nothing. */
export const phoneOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && /^\d{7,15}$/.test(text) ? `+${text}` : text;
};

/** The members that have a value; undefined if none has. Throws nothing. */
export const present = (members: Source): Source | undefined => {
  const all = Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return all.length === 0 ? undefined : Object.fromEntries(all);
};

/** A full name of its parts. Throws nothing. */
export const nameOf = (...parts: readonly unknown[]): string | undefined =>
  textOf(parts.flatMap((part) => textOf(part) ?? []).join(' '));
