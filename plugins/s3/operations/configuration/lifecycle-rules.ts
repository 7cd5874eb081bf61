import type { LifecycleRule } from '../../contract.ts'
import { invalidArgument, S3Error } from '../../wire/s3-error.ts'
import { checkTags, objectTagsMax } from '../../wire/tags.ts'
import { malformed } from '../../wire/xml-reader.ts'

const rulesMax = 1000
const idLengthMax = 255
const prefixBytesMax = 1024
const daysMax = 2_147_483_647
const newerKeptMax = 100
const dayMs = 86_400_000

/** Throws MalformedXML, InvalidArgument, InvalidRequest or InvalidTag. */
export function checkLifecycleRules(rules: readonly LifecycleRule[]): void {
  if (rules.length === 0) throw malformed('The element LifecycleConfiguration has no Rule.')
  if (rules.length > rulesMax) throw malformed(`At most ${rulesMax} lifecycle rules are allowed.`)
  const ids = new Set<string>()
  for (const rule of rules) {
    if (rule.id.length > idLengthMax) {
      throw invalidArgument('ID', rule.id.slice(0, idLengthMax), `ID length should not exceed allowed limit of ${idLengthMax}`)
    }
    if (!rule.id.isWellFormed()) throw invalidArgument('ID', rule.id.toWellFormed(), 'ID must be Unicode text')
    if (ids.has(rule.id)) throw invalidArgument('ID', rule.id, 'Rule ID must be unique. Found same ID for more than one rule')
    ids.add(rule.id)
    checkFilter(rule)
    checkActions(rule)
  }
}

function checkFilter({ filter, expiration, abortDays }: LifecycleRule): void {
  const { prefix = '', tags, sizeAbove, sizeBelow } = filter
  if (!prefix.isWellFormed() || prefix.includes('\0')) throw refused('A prefix must be Unicode text without NUL, as keys.')
  if (Buffer.byteLength(prefix) > prefixBytesMax) throw refused(`The maximum size of a prefix is ${prefixBytesMax}.`)
  checkTags(tags, { max: objectTagsMax })
  if (sizeBelow !== undefined && sizeBelow <= (sizeAbove ?? 0)) {
    throw refused(`ObjectSizeLessThan must be larger than ${sizeAbove === undefined ? 0 : 'ObjectSizeGreaterThan'}.`)
  }
  const isNarrow = tags.length > 0 || sizeAbove !== undefined || sizeBelow !== undefined
  if (isNarrow && expiration?.kind === 'markers') {
    throw refused('ExpiredObjectDeleteMarker cannot be specified with tags or sizes: delete markers have none.')
  }
  if (isNarrow && abortDays !== undefined) {
    throw refused('AbortIncompleteMultipartUpload cannot be specified with tags or sizes.')
  }
}

function checkActions({ expiration, noncurrent, abortDays }: LifecycleRule): void {
  if (!expiration && !noncurrent && abortDays === undefined) throw refused('At least one action needs to be specified in a rule.')
  if (expiration?.kind === 'days') requireDays('Days', expiration.days, "'Days' for Expiration action must be a positive integer")
  if (expiration?.kind === 'date' && expiration.atMs % dayMs !== 0) {
    throw invalidArgument('Date', new Date(expiration.atMs).toISOString(), "'Date' must be at midnight GMT")
  }
  if (noncurrent) {
    const { days, newerKept } = noncurrent
    requireDays('NoncurrentDays', days, "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer")
    if (newerKept !== undefined && (newerKept < 1 || newerKept > newerKeptMax)) {
      throw invalidArgument('NewerNoncurrentVersions', String(newerKept), `'NewerNoncurrentVersions' must be between 1 and ${newerKeptMax}`)
    }
  }
  if (abortDays !== undefined) {
    requireDays(
      'DaysAfterInitiation',
      abortDays,
      "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer",
    )
  }
}

function requireDays(name: string, days: number, message: string): void {
  if (days < 1 || days > daysMax) throw invalidArgument(name, String(days), message)
}

const refused = (message: string): S3Error => new S3Error('InvalidRequest', { message })
