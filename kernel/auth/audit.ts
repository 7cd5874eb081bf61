/** The audit log (I-35): one line for each sign-in, security refusal and change. Lines contain no secrets. */
import type { Log, LogFields } from '../log/log.ts'

export interface SignInOutcome {
  readonly outcome: 'accepted' | 'refused' | 'blocked'
  readonly how: 'form' | 'basic' | 'external'
  /** Is undefined for a name that is not the operator's: it may be a password typed into the wrong field. */
  readonly by: string | undefined
  readonly client: string
  /** Number of a blocked attempt among those of the client. Not every attempt has a line. */
  readonly attempts?: number | undefined
}

export interface AuditedRequest {
  /** Is undefined without a signed-in user. */
  readonly by: string | undefined
  readonly how: 'session' | 'basic' | 'none'
  readonly client: string
  readonly method: string
  /** The pattern of the route, such as `/api/v1/tasks/:id/retry`; undefined when no route matched. */
  readonly route: string | undefined
}

export interface Audit {
  signIn(outcome: SignInOutcome): void
  /** The limiter begins to block a client. */
  clientBlocked(block: { readonly client: string; readonly failures: number; readonly seconds: number }): void
  /** A cross-site request, or one with a Host that is not this machine. */
  requestRefused(refusal: AuditedRequest & { readonly code: string }): void
  /** `status` is undefined when the connection ended before the answer. */
  change(change: AuditedRequest & { readonly subject: LogFields; readonly status: number | undefined }): void
}

/** A line of the audit log, for what keeps it beside the log. */
export interface AuditLine {
  readonly what: 'sign-in' | 'client blocked' | 'request refused' | 'change'
  readonly fields: LogFields
}

/** `keep` must not throw: it only takes the line. */
export function createAudit(log: Log, keep: (line: AuditLine) => void = () => {}): Audit {
  // I-35: its own level, so that `logging.level = error` omits no line.
  const lines = log.child('audit', 'info')
  const write = (level: 'info' | 'warn', what: AuditLine['what'], given: object) => {
    const fields = { ...given }
    lines[level](what, fields)
    keep({ what, fields })
  }
  return {
    signIn: (outcome) => write(outcome.outcome === 'accepted' ? 'info' : 'warn', 'sign-in', outcome),
    clientBlocked: (block) => write('warn', 'client blocked', block),
    requestRefused: (refusal) => write('warn', 'request refused', refusal),
    change: (change) => write('info', 'change', change),
  }
}
