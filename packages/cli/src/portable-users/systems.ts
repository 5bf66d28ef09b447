/** Systems whose exports can be read. Apart from the mappings, which every command would load. */
export const SYSTEMS = ['auth0', 'clerk', 'cognito', 'firebase', 'supabase', 'csv', 'ndjson'] as const;
export type System = (typeof SYSTEMS)[number];
