import type { Expiration, LifecycleFilter, LifecycleRule } from '../contract.ts'
import { S3Error } from '../wire/s3-error.ts'
import type { Tag } from '../wire/tags.ts'
import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { childFlag, childrenOf, childText, malformed, requireInteger, requireText, type XmlElement } from '../wire/xml-reader.ts'
import { defineDocument } from './xml-document.ts'

/** Rules without an id have an empty one. What is not valid in S3, such as 0 days, is read as written. */
export const lifecycleDocument = defineDocument<readonly LifecycleRule[]>({
  root: 'LifecycleConfiguration',
  write: (rules) => xmlDocument('LifecycleConfiguration', rules.map((rule) => `<Rule>${writeRule(rule)}</Rule>`).join('')),
  read(root) {
    // Ignored like the default of AWS: no object changes its storage class.
    requireKnown(root, ['Rule', 'TransitionDefaultMinimumObjectSize'])
    return childrenOf(root, 'Rule').map(readRule)
  },
})

function writeRule({ id, isEnabled, filter, expiration, noncurrent, abortDays }: LifecycleRule): string {
  return [
    element('ID', id),
    writeFilter(filter),
    element('Status', isEnabled ? 'Enabled' : 'Disabled'),
    expiration && `<Expiration>${writeExpiration(expiration)}</Expiration>`,
    noncurrent &&
      `<NoncurrentVersionExpiration>${element('NoncurrentDays', noncurrent.days)}${optionalElement('NewerNoncurrentVersions', noncurrent.newerKept)}</NoncurrentVersionExpiration>`,
    abortDays !== undefined &&
      `<AbortIncompleteMultipartUpload>${element('DaysAfterInitiation', abortDays)}</AbortIncompleteMultipartUpload>`,
  ]
    .filter((part) => typeof part === 'string')
    .join('')
}

function writeFilter({ form, prefix, tags, sizeAbove, sizeBelow }: LifecycleFilter): string {
  if (form === 'prefix') return element('Prefix', prefix ?? '')
  const tag = tags.map(({ key, value }) => `<Tag>${element('Key', key)}${element('Value', value)}</Tag>`).join('')
  const sizes = `${optionalElement('ObjectSizeGreaterThan', sizeAbove)}${optionalElement('ObjectSizeLessThan', sizeBelow)}`
  const content = `${optionalElement('Prefix', prefix)}${tag}${sizes}`
  return `<Filter>${form === 'and' ? `<And>${content}</And>` : content}</Filter>`
}

function writeExpiration(expiration: Expiration): string {
  if (expiration.kind === 'days') return element('Days', expiration.days)
  if (expiration.kind === 'date') return element('Date', new Date(expiration.atMs).toISOString())
  return element('ExpiredObjectDeleteMarker', true)
}

const transitions = ['Transition', 'NoncurrentVersionTransition']
const single = ['ID', 'Prefix', 'Filter', 'Status', 'Expiration', 'NoncurrentVersionExpiration', 'AbortIncompleteMultipartUpload']

function readRule(rule: XmlElement): LifecycleRule {
  if (rule.children.some(({ name }) => transitions.includes(name))) {
    throw new S3Error('NotImplemented', { message: 'Transitions are not implemented: STANDARD is the only storage class.' })
  }
  requireKnown(rule, single)
  for (const name of single) child(rule, name)
  const status = requireText(rule, 'Status')
  if (status !== 'Enabled' && status !== 'Disabled') throw malformed('The Status of a Rule must be Enabled or Disabled.')
  const [expiration, noncurrent, abort] = [
    child(rule, 'Expiration'),
    child(rule, 'NoncurrentVersionExpiration'),
    child(rule, 'AbortIncompleteMultipartUpload'),
  ]
  return {
    id: childText(rule, 'ID') ?? '',
    isEnabled: status === 'Enabled',
    filter: readFilter(rule),
    ...(expiration && { expiration: readExpiration(expiration) }),
    ...(noncurrent && { noncurrent: readNoncurrent(noncurrent) }),
    ...(abort && { abortDays: readAbort(abort) }),
  }
}

function readFilter(rule: XmlElement): LifecycleFilter {
  const [prefix, filter] = [childText(rule, 'Prefix'), child(rule, 'Filter')]
  if (prefix !== undefined && filter) throw malformed('A Rule has a Prefix or a Filter.')
  if (prefix !== undefined) return { form: 'prefix', prefix, tags: [] }
  if (!filter) throw malformed('A Rule has no Filter.')
  const and = child(filter, 'And')
  if (!and) return { form: 'filter', ...readPredicates(filter) }
  if (filter.children.length > 1) throw malformed('A Filter with And has nothing else.')
  if (and.children.length < 2) throw malformed('And needs at least two elements.')
  return { form: 'and', ...readPredicates(and) }
}

/** An element that is not known must not be ignored: the rule would delete more than it says. */
function readPredicates(parent: XmlElement): Omit<LifecycleFilter, 'form'> {
  requireKnown(parent, ['Prefix', 'Tag', 'ObjectSizeGreaterThan', 'ObjectSizeLessThan'])
  const [prefix, above, below] = [child(parent, 'Prefix'), child(parent, 'ObjectSizeGreaterThan'), child(parent, 'ObjectSizeLessThan')]
  return {
    ...(prefix && { prefix: prefix.text }),
    tags: childrenOf(parent, 'Tag').map((tag): Tag => ({ key: requireText(tag, 'Key'), value: requireText(tag, 'Value') })),
    ...(above && { sizeAbove: requireInteger(parent, 'ObjectSizeGreaterThan') }),
    ...(below && { sizeBelow: requireInteger(parent, 'ObjectSizeLessThan') }),
  }
}

function readExpiration(expiration: XmlElement): Expiration {
  requireKnown(expiration, ['Days', 'Date', 'ExpiredObjectDeleteMarker'])
  const [days, date] = [child(expiration, 'Days'), child(expiration, 'Date')]
  const hasMarkers = childFlag(expiration, 'ExpiredObjectDeleteMarker')
  if ([days, date, hasMarkers].filter(Boolean).length !== 1) {
    throw malformed('An Expiration has Days, Date or ExpiredObjectDeleteMarker.')
  }
  if (days) return { kind: 'days', days: readDays(expiration, 'Days') }
  return date ? { kind: 'date', atMs: readDate(date.text) } : { kind: 'markers' }
}

function readNoncurrent(noncurrent: XmlElement): NonNullable<LifecycleRule['noncurrent']> {
  requireKnown(noncurrent, ['NoncurrentDays', 'NewerNoncurrentVersions'])
  const newer = child(noncurrent, 'NewerNoncurrentVersions')
  return {
    days: readDays(noncurrent, 'NoncurrentDays'),
    ...(newer && { newerKept: readDays(noncurrent, 'NewerNoncurrentVersions') }),
  }
}

function readAbort(abort: XmlElement): number {
  requireKnown(abort, ['DaysAfterInitiation'])
  return readDays(abort, 'DaysAfterInitiation')
}

/** S3 refuses negative numbers as values, not as malformed. */
function readDays(parent: XmlElement, name: string): number {
  child(parent, name)
  const text = requireText(parent, name).trim()
  if (!/^-?\d{1,15}$/.test(text)) throw malformed(`The element ${name} must be a whole number.`)
  return Number(text)
}

const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

function readDate(text: string): number {
  const time = text.trim()
  const atMs = date.test(time) && isDay(time.slice(0, dayLength)) ? Date.parse(time) : Number.NaN
  if (Number.isNaN(atMs)) throw malformed('The Date must be a time of ISO 8601.')
  return atMs
}

const dayLength = 'YYYY-MM-DD'.length

/** Refuses the 31st of February, which the parser of JavaScript takes for a day of March. */
export function isDay(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/** Throws MalformedXML when there are several. */
function child(parent: XmlElement, name: string): XmlElement | undefined {
  const [first, second] = childrenOf(parent, name)
  if (second) throw malformed(`The element ${parent.name} has more than one ${name}.`)
  return first
}

function requireKnown(parent: XmlElement, names: readonly string[]): void {
  const unknown = parent.children.find(({ name }) => !names.includes(name))
  if (unknown) throw malformed(`The element ${parent.name} cannot have ${unknown.name}.`)
}
