/** Selects the members of a request that the audit log may show: only those that the endpoint names. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { limits } from '../process/limits.ts'

/** Members of query, body and answer; never one that holds a secret. `names`: of the body only which members it has, nested ones dotted. */
export type AuditedMembers = readonly string[] | 'names'

type Subject = Readonly<Record<string, unknown>>
type NotedSubject = Readonly<Record<string, string | number | boolean>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the audit log has the request. Absent: its method decides. */
    readonly isAudited?: boolean
  }
}

const subjects = new WeakMap<IncomingMessage, NotedSubject>()
/** An object key has at most 1024 bytes; longer texts are cut. */
const textCharsMax = 1024

/** Adds ids of the affected resources to the request's audit line. Keeps strings, numbers and booleans only. */
export function noteSubject(request: FastifyRequest, ids: Subject): void {
  const shown = { ...subjects.get(request.raw) }
  for (const [name, value] of Object.entries(ids)) {
    if (typeof value === 'string') shown[name] = value.slice(0, textCharsMax)
    else if (typeof value === 'number' || typeof value === 'boolean') shown[name] = value
  }
  subjects.set(request.raw, shown)
}

export const subjectOf = (request: FastifyRequest): NotedSubject => subjects.get(request.raw) ?? {}

export function subjectOfCall({ query, body }: { readonly query: unknown; readonly body: unknown }, audited: AuditedMembers): Subject {
  if (audited !== 'names') return { ...pick(query, audited), ...pick(body, audited) }
  return { names: listNames(body).slice(0, limits.listedProblemsMax).join(' ') }
}

export function subjectOfAnswer(answer: unknown, audited: AuditedMembers): Subject {
  return audited === 'names' ? {} : pick(answer, audited)
}

function pick(value: unknown, names: readonly string[]): Subject {
  if (value === null || typeof value !== 'object') return {}
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(value, name) ? [[name, value[name as never]]] : [])))
}

/** Members below this depth are not listed. */
const namedDepth = 4

function listNames(value: unknown, depth = namedDepth): readonly string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = depth > 1 ? listNames(inner, depth - 1) : []
    return below.length === 0 ? [name] : below.map((nested) => `${name}.${nested}`)
  })
}
