/** Refusals of the Admin API as messages with the next step. */
import { CommandError } from '#kernel'

/** A refusal by the service. */
export class AdminRefusal extends CommandError {
  readonly status: number
  readonly code: string | undefined

  constructor(message: string, { status, code }: { readonly status: number; readonly code?: string | undefined }) {
    super(message)
    this.status = status
    this.code = code
  }
}

interface RefusalBody {
  readonly error: string
  readonly code?: string
  readonly fields?: readonly { readonly field: string; readonly message: string }[]
}

/** @param answer the JSON body, possibly from another program */
export function refusalOf(url: string, response: Response, answer: unknown): CommandError {
  const { status, headers } = response
  if (status >= 300 && status < 400) {
    return new CommandError(
      `${url} redirects to ${headers.get('location') ?? 'another address'}; give the address of the Admin API itself with --admin-url`,
    )
  }
  if (!isRefusalBody(answer)) return notSvc(url, status)
  const { error, code, fields = [] } = answer
  // The message often repeats that of the only field.
  const details = fields.filter(({ message }) => !error.includes(message)).map(({ field, message }) => `\n - ${field}: ${message}`)
  const advice = adviceOn(response)
  const text = advice === undefined ? error : `${error.replace(/\.$/, '')}; ${advice}`
  return new AdminRefusal(text + details.join(''), { status, code })
}

/** The answer came from a proxy or another program. */
export const notSvc = (url: string, status: number): CommandError =>
  new CommandError(`${url} answered ${status}, but not as svc does; is this the Admin API (--admin-url), and is svc serve running?`)

function adviceOn({ status, headers }: Response): string | undefined {
  const seconds = headers.get('retry-after')
  if (status === 401) return 'set SVC_ADMIN_PASSWORD, or make a new password with svc admin-auth reset-password'
  return seconds === null ? undefined : `try again in ${seconds} s`
}

const isRefusalBody = (value: unknown): value is RefusalBody => typeof (value as RefusalBody | undefined)?.error === 'string'
