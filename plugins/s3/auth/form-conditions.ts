/** The policy of an upload form: what its signer allows the sender to upload. */
import { S3Error } from '../wire/s3-error.ts'

interface Condition {
  readonly operator: 'eq' | 'starts-with'
  /** Lower case. */
  readonly field: string
  readonly value: string
  /** Text as written, for the refusal. */
  readonly text: string
}

export interface SizeRange {
  readonly bytesMin: number
  readonly bytesMax: number
}

interface PostPolicy {
  /** Milliseconds UTC. */
  readonly expiresAtMs: number
  readonly conditions: readonly Condition[]
  /** Every one applies. */
  readonly sizes: readonly SizeRange[]
}

const conditionsMax = 1000

/** Decodes base64. Throws InvalidPolicyDocument. */
export function parsePostPolicy(encoded: string): PostPolicy {
  const document = parseDocument(encoded)
  const { expiration, conditions } = document
  const unknown = Object.keys(document).find((name) => name !== 'expiration' && name !== 'conditions')
  if (unknown !== undefined) throw invalid(`Unexpected: '${unknown}'. Names are case-sensitive.`)
  if (expiration === undefined) throw invalid('Policy missing expiration.')
  if (!Array.isArray(conditions)) throw invalid(conditions === undefined ? 'Policy missing conditions.' : 'The conditions must be a list.')
  if (conditions.length > conditionsMax) throw invalid(`A policy has at most ${conditionsMax} conditions.`)
  const parsed = conditions.map(parseCondition)
  return {
    expiresAtMs: parseExpiration(expiration),
    conditions: parsed.filter((condition) => 'operator' in condition),
    sizes: parsed.filter((condition) => 'bytesMin' in condition),
  }
}

function parseDocument(encoded: string): Readonly<Record<string, unknown>> {
  let document: unknown
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'))
  } catch (cause) {
    throw invalid('Invalid JSON, or not encoded as base64.', cause)
  }
  if (!isRecord(document)) throw invalid('The policy must be an object.')
  return document
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseExpiration(value: unknown): number {
  if (typeof value !== 'string') throw invalid("Invalid 'expiration' value: it must be a text.")
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value)
  const time = isIso ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw invalid(`Invalid 'expiration' value: '${value}'. Write it as 2030-01-31T12:00:00.000Z.`)
  return time
}

function parseCondition(condition: unknown): Condition | SizeRange {
  const text = textOf(condition)
  if (Array.isArray(condition)) return parseList(condition, text)
  const [entry, ...more] = isRecord(condition) ? Object.entries(condition) : []
  if (entry === undefined || more.length > 0) throw invalid(`Invalid Simple-Condition: ${text} must have one property.`)
  const [field, value] = entry
  if (typeof value !== 'string') throw invalid(`Invalid Simple-Condition: the value in ${text} must be a text.`)
  return { operator: 'eq', field: field.toLowerCase(), value, text }
}

/** Refuses what is nested: a deep one would exceed the stack. */
function textOf(condition: unknown): string {
  const members = typeof condition === 'object' && condition !== null ? Object.values(condition) : []
  if (members.some((member) => typeof member === 'object' && member !== null)) {
    throw invalid('A condition must contain only texts and numbers.')
  }
  return JSON.stringify(condition)
}

function parseList(condition: readonly unknown[], text: string): Condition | SizeRange {
  const [name, left, right] = condition
  const operator = typeof name === 'string' ? name.toLowerCase() : undefined
  if (condition.length !== 3 || operator === undefined) throw invalid(`Invalid condition ${text}: it must have an operator and two values.`)
  if (operator === 'content-length-range') return { bytesMin: parseSize(left, text), bytesMax: parseSize(right, text) }
  if (operator !== 'eq' && operator !== 'starts-with') throw invalid(`Invalid condition ${text}: the operator is unknown.`)
  if (typeof left !== 'string' || !left.startsWith('$') || typeof right !== 'string') {
    throw invalid(`Invalid condition ${text}: it must name a field with a leading $, and a text.`)
  }
  return { operator, field: left.slice(1).toLowerCase(), value: right, text }
}

function parseSize(value: unknown, text: string): number {
  if (/^\d{1,15}$/.test(String(value))) return Number(value)
  throw invalid(`Invalid condition ${text}: sizes must be numbers of bytes.`)
}

/** Fields that need no condition: those that sign the others, and what AWS ignores. */
const uncovered: ReadonlySet<string> = new Set(['policy', 'file', 'x-amz-signature'])

interface SubmittedForm {
  /** Values by lower-case name, with the bucket of the URL. */
  readonly fields: ReadonlyMap<string, string>
  readonly now: number
}

/** Throws AccessDenied when the policy expired, a condition does not hold, or a field has no condition. */
export function requireAllowedForm(policy: PostPolicy, { fields, now }: SubmittedForm): void {
  if (now > policy.expiresAtMs) throw denied('Policy expired.')
  for (const condition of policy.conditions) {
    if (!holds(condition, fields.get(condition.field))) throw denied(`Policy Condition failed: ${condition.text}`)
  }
  const covered = new Set(policy.conditions.map(({ field }) => field))
  const extra = [...fields.keys()].filter((name) => !covered.has(name) && !uncovered.has(name) && !name.startsWith('x-ignore-'))
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`)
}

/** A condition on a field that was not sent does not hold. */
function holds({ operator, value }: Condition, sent: string | undefined): boolean {
  if (sent === undefined) return false
  return operator === 'eq' ? sent === value : sent.startsWith(value)
}

/** Throws EntityTooSmall or EntityTooLarge. `isWhole`: false while bytes may follow. */
export function requireAllowedSize(sizes: readonly SizeRange[], bytes: number, isWhole: boolean): void {
  for (const { bytesMin, bytesMax } of sizes) {
    if (bytes > bytesMax) {
      const message = `Your upload exceeds the ${bytesMax} bytes that the policy of the form allows.`
      throw new S3Error('EntityTooLarge', { message, extras: { ...(isWhole && { ProposedSize: bytes }), MaxSizeAllowed: bytesMax } })
    }
    if (isWhole && bytes < bytesMin) {
      const message = `Your upload of ${bytes} bytes is smaller than the ${bytesMin} bytes that the policy of the form requires.`
      throw new S3Error('EntityTooSmall', { message, extras: { ProposedSize: bytes, MinSizeAllowed: bytesMin } })
    }
  }
}

const invalid = (reason: string, cause?: unknown): S3Error =>
  new S3Error('InvalidPolicyDocument', { message: `Invalid Policy: ${reason}`, cause })

const denied = (reason: string): S3Error => new S3Error('AccessDenied', { message: `Invalid according to Policy: ${reason}` })
