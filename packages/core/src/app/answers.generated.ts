// Made of the schemas in answers.ts by `npm run openapi`.

/** Result of one health check. */
export interface HealthCheck {
  /** Whether the check passed. */
  readonly ok: boolean;
  /** What the check found, in one sentence. */
  readonly detail: string;
}

/** Health of the service. */
export interface Health {
  /** Whether the service accepts requests. */
  readonly ready: boolean;
  /** `degraded`: the service is ready, but one of the checks fails. */
  readonly status: 'ok' | 'degraded' | 'unready';
  /** Results of the checks. */
  readonly checks: {
    /** Whether the database responds. */
    readonly database?: HealthCheck | undefined;
    /** Whether the database has the schema of this version; missing without database. */
    readonly schema?: HealthCheck | undefined;
    /** Whether a worker runs while work is due; missing without database. */
    readonly worker?: HealthCheck | undefined;
    /** Whether all workers have the same time zone data. */
    readonly timezones?: HealthCheck | undefined;
    /** Whether the clocks of host and PostgreSQL differ by at most 5 s. */
    readonly clock?: HealthCheck | undefined;
    /** Whether requests are rejected because of overload; only in `/readyz`. */
    readonly load?: HealthCheck | undefined;
  };
}

/** The process is running. */
export interface Alive {
  /** Always `ok`. */
  readonly status: 'ok';
}

/** Where the API and its documentation are. */
export interface Service {
  /** Name of the service. */
  readonly name: string;
  /** Path of the API. */
  readonly api: string;
  /** Path of the API description. */
  readonly openapi: string;
  /** URL of the documentation. */
  readonly docs: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly HealthCheck: HealthCheck;
  readonly Health: Health;
  readonly Alive: Alive;
  readonly Service: Service;
}
