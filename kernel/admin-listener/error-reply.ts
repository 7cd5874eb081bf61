import { kernelErrors, SvcError } from '../errors.ts'
import type { Log } from '../log/log.ts'

/** An error as sent to the client: `{"error": text, "code"?: code, "fields"?: [...]}`. */
interface ErrorReply {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  /** JSON text. */
  readonly body: string
}

interface FailedRequest {
  readonly method: string
  readonly path: string
  readonly log: Log
}

/** Sends the code and text of an SvcError; any other error is sent as `internal` and logged. */
export function replyToError(error: unknown, { method, path, log }: FailedRequest): ErrorReply {
  const refusal = error instanceof SvcError ? error : readServerRefusal(error)
  if (!refusal) {
    log.error('a request failed', { method, path, error })
    return { status: 500, retryAfterSeconds: undefined, body: '{"error":"internal"}' }
  }
  if (refusal.status === 500) log.error('a request failed', { method, path, error: refusal })
  const { message, code, fields } = refusal
  return {
    status: refusal.status,
    retryAfterSeconds: refusal.retryAfterSeconds,
    body: JSON.stringify(fields ? { error: message, code, fields } : { error: message, code }),
  }
}

const wordings: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The address contains an escape that cannot be decoded.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long.',
}

/** Maps fastify's own refusals, such as a malformed URL, to an SvcError; undefined for faults. */
function readServerRefusal(error: unknown): SvcError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown }
  const isRefusal = typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number' && statusCode < 500
  if (!isRefusal) return undefined
  return kernelErrors.invalid_request({ message: wordings[code] ?? 'The request cannot be understood.', cause: error })
}
