/** How long the time of one point is. Source: contract, Analytics. */
export const FIGURE_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type FigureInterval = (typeof FIGURE_INTERVALS)[number];

export type FiguresQuery = {
  /** Runs that began from here on; by default 30 days before `to`. */
  readonly from?: Date | undefined;
  /** Runs that began before; by default now. */
  readonly to?: Date | undefined;
  /** By default `day`. */
  readonly interval?: FigureInterval | undefined;
  /** An IANA zone, in which days, weeks and months begin; by default `UTC`. */
  readonly timezone?: string | undefined;
};

/** The beginning of an interval (a day as `2026-03-01`, weeks from Monday on; an hour as a moment) and how many. */
export type FigurePoint = readonly [t: string, n: number];
