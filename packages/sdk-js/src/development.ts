import type { EventInput } from './generated/wire.ts';

/** Source of all three: interface, Limits. */
const MAX_PROPERTIES = 100;
const MAX_ARRAY_ITEMS = 1_000;
const MAX_MODULE = 64;

/** What the service will reject in an event. */
export const problemsOf = ({ module, properties = {} }: EventInput): string[] => {
  const long = Object.keys(properties).filter((name) => {
    const value = properties[name];
    return Array.isArray(value) && value.length > MAX_ARRAY_ITEMS;
  });
  return [
    ...(module.length > MAX_MODULE ? [`The module has more than ${MAX_MODULE} characters.`] : []),
    ...(Object.keys(properties).length > MAX_PROPERTIES ? [`There are more than ${MAX_PROPERTIES} properties.`] : []),
    ...long.map((name) => `The property "${name}" has more than ${MAX_ARRAY_ITEMS} items.`),
  ];
};

const BLANKS = /^[\p{White_Space}\p{Cc}\p{Cf}]+|[\p{White_Space}\p{Cc}\p{Cf}]+$/gu;
const PLACEHOLDER = /^(?:undefined|null|nan|\[object object\]|none|nil|true|false|0|-1|anonymous|guest|)$/i;

/**
 * True for an id that the service rejects as a placeholder, and for a missing one. Source: interface of `POST
 * /identify`.
 */
export const isPlaceholder = (userId: unknown): boolean => PLACEHOLDER.test(String(userId).replace(BLANKS, ''));
