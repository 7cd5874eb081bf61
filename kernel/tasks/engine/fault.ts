import { withoutNul } from '../rows/ending-policy.ts'

/** The error fields of a task row, from an exception. */
interface Fault {
  readonly code: string
  readonly message: string
}

const messageCharsMax = 1000
const codeCharsMax = 100
const causesMax = 8

/** The message with those of its causes, and the first code among them. */
export function describeFault(thrown: unknown): Fault {
  const messages: string[] = []
  let code: string | undefined
  let at = thrown
  for (let depth = 0; at !== undefined && at !== null && depth < causesMax; depth++) {
    messages.push(at instanceof Error ? at.message : String(at))
    code ??= codeOf(at)
    at = at instanceof Error ? at.cause : undefined
  }
  const message = withoutNul(messages.join(' <- ').slice(0, messageCharsMax)) || 'failed without a message'
  return { code: code ?? 'unexpected_error', message }
}

function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' && code !== '' ? withoutNul(code.slice(0, codeCharsMax)) : undefined
}
