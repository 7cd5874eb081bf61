/** Errors that reach an API client. A code, once published, never changes its meaning (I-16). */

interface ErrorSpec {
  readonly status: number
  readonly message: string
}

export interface FieldError {
  /** Dotted path, such as `chain.rpc_url`. */
  readonly field: string
  readonly message: string
}

export interface SvcErrorOptions extends ErrorOptions {
  /** Replaces the table's message where it can name the thing and the next step. */
  readonly message?: string
  readonly fields?: readonly FieldError[]
  /** Seconds after which the same request may succeed; sent as Retry-After. */
  readonly retryAfterSeconds?: number
  /** What the message names, for callers that answer in a format of their own. */
  readonly details?: ErrorDetails
}

type ErrorDetails = Readonly<Record<string, string | number>>

/** The one error type a route may answer with. `code` is part of the API; `message` is not. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly code: string
  readonly status: number
  readonly fields: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly details: ErrorDetails

  constructor(code: string, spec: ErrorSpec, options: SvcErrorOptions = {}) {
    super(options.message ?? spec.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = spec.status
    this.fields = options.fields
    this.retryAfterSeconds = options.retryAfterSeconds
    this.details = options.details ?? {}
  }
}

/** Turns a table of codes into one error constructor per code. */
export function defineErrors<const T extends Readonly<Record<string, ErrorSpec>>>(
  table: T,
): { readonly [K in keyof T]: (options?: SvcErrorOptions) => SvcError } {
  return Object.fromEntries(
    Object.entries(table).map(([code, spec]) => [code, (options?: SvcErrorOptions) => new SvcError(code, spec, options)]),
  ) as never
}

/** Codes that any endpoint may answer with. */
export const kernelErrors = defineErrors({
  request_timeout: { status: 408, message: 'The request body did not arrive in time.' },
  deadline_exceeded: { status: 503, message: 'The answer could not be produced in time; try again.' },
  invalid_request: { status: 400, message: 'The request cannot be understood.' },
  authentication_required: { status: 401, message: 'Sign in, or send HTTP Basic credentials.' },
  second_factor_required: { status: 401, message: 'The second factor is on: send the code of the authenticator app, or a recovery code.' },
  cross_site_basic: { status: 403, message: 'A browser page of another site may not use HTTP Basic credentials here.' },
  cross_site_refused: {
    status: 403,
    message:
      'A browser page of another site may not use this API. If this is the own page behind a proxy, add the proxy to admin.trusted_proxies and let it send X-Forwarded-Host and X-Forwarded-Proto.',
  },
  host_refused: {
    status: 403,
    message: 'While admin.auth.enabled is false, the Host must be localhost or a loopback address.',
  },
  role_required: { status: 403, message: 'Your role does not allow this.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'The method is not supported at this address.' },
  plugin_disabled: { status: 404, message: 'The plugin that serves this address is disabled.' },
  login_rate_limited: { status: 429, message: 'Too many failed passwords from this address; wait and try again.' },
  setup_mode: { status: 503, message: 'The service is in setup mode: supply the settings that `svc admin status` names, and restart it.' },
  database_full: {
    status: 507,
    message: 'The disk of the database is full. Free some space; the service then continues without a restart.',
  },
  database_unwritable: {
    status: 507,
    message: 'The database cannot be written, because its disk reports an error. The log of the service names the file.',
  },
  database_unreachable: {
    status: 503,
    message: 'The database server cannot be reached. The service continues when it answers again; the log names the server.',
  },
  database_busy: {
    status: 503,
    message: 'The database has more requests than it can answer now. Try again in a few seconds.',
  },
  service_unavailable: { status: 503, message: 'This part of the service is not available now.' },
})
