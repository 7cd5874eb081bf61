import type { AuditLine } from '#kernel/system'

/** A line as it is stored. */
export interface StoredLine {
  readonly what: 'sign_in' | 'block' | 'refusal' | 'change'
  readonly outcome: 'done' | 'refused' | 'failed' | 'blocked' | 'cut'
  readonly who: string | null
  readonly how: string
  readonly client: string
  readonly method: string | null
  readonly route: string | null
  readonly status: number | null
  readonly subject: string
}

const subjectCharsMax = 4096
const kinds = { 'sign-in': 'sign_in', 'client blocked': 'block', 'request refused': 'refusal', change: 'change' } as const
const signInOutcomes: Readonly<Record<string, StoredLine['outcome']>> = { accepted: 'done', refused: 'refused', blocked: 'blocked' }

export function describeLine({ what, fields }: AuditLine): StoredLine {
  return {
    what: kinds[what],
    outcome: outcomeOf(what, fields),
    who: textOf(fields.by) ?? null,
    how: textOf(fields.how) ?? 'none',
    client: textOf(fields.client) ?? '',
    method: textOf(fields.method) ?? null,
    route: textOf(fields.route) ?? null,
    status: typeof fields.status === 'number' ? fields.status : null,
    subject: describeSubject(fields),
  }
}

function outcomeOf(what: AuditLine['what'], { outcome, status }: AuditLine['fields']): StoredLine['outcome'] {
  if (what === 'client blocked') return 'blocked'
  if (what === 'request refused') return 'refused'
  if (what === 'sign-in') return signInOutcomes[String(outcome)] ?? 'failed'
  if (typeof status !== 'number') return 'cut'
  if (status < 400) return 'done'
  return status < 500 ? 'refused' : 'failed'
}

/** The ids that the request named; longer ones are left out, so that the text stays JSON. */
function describeSubject({ subject, code, attempts, failures, seconds }: AuditLine['fields']): string {
  const all = { ...(subject as object | undefined), ...definedOf({ code, attempts, failures, seconds }) }
  const kept: Record<string, unknown> = {}
  let chars = 0
  for (const [name, value] of Object.entries(all)) {
    const size = JSON.stringify([name, value]).length
    if (chars + size > subjectCharsMax) continue
    chars += size
    kept[name] = value
  }
  return JSON.stringify(kept)
}

const definedOf = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
