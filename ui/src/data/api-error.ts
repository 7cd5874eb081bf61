interface FieldError {
  readonly field: string
  readonly message: string
}

interface ErrorFacts {
  /** 0: no answer arrived. */
  readonly status: number
  readonly code?: string | undefined
  readonly fields?: readonly FieldError[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** A refusal of the Admin API, or a request without an answer. The message is the service's own and names the next step. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string | undefined
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, code, fields = [], retryAfterSeconds, cause }: ErrorFacts) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.fields = fields
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Reads the error of an answer: `{"error": text, "code"?: code, "fields"?: [...]}`, or any other body of a proxy. */
export function readApiError(status: number, text: string, retryAfter: string | null): ApiError {
  const retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
  const { error, code, fields } = parseBody(text)
  return new ApiError(typeof error === 'string' ? error : `The service answered with status ${status}.`, {
    status,
    code: typeof code === 'string' ? code : undefined,
    fields: Array.isArray(fields) ? (fields as readonly FieldError[]) : [],
    retryAfterSeconds,
  })
}

function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
  } catch {
    // A proxy may answer with HTML.
    return {}
  }
}

export const unreachable = (): ApiError =>
  new ApiError('The service cannot be reached. Check that it runs, then try again.', { status: 0, code: 'unreachable' })

export const tooSlow = (): ApiError =>
  new ApiError('The service did not answer in time. The request may still take effect: look before you repeat it.', {
    status: 0,
    code: 'too_slow',
  })

/** Reports an answer such as a page of a proxy. */
const unreadable = (cause: unknown): ApiError =>
  new ApiError('The answer is not one of the service. The request may have taken effect: look before you repeat it.', {
    status: 0,
    code: 'unreadable',
    cause,
  })

/** Reads the answer of a request that succeeded; some have no body. Throws ApiError. */
export function readAnswer(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    throw unreadable(error)
  }
}
