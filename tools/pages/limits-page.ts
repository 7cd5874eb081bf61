/** Writes docs/reference/limits.md: the deadline, the bound of memory and the share of everything that clients can make the gateway wait for. */
import type { EndpointGroup } from '#kernel/system'
import { type BodyKind, operationTable } from '../../plugins/s3/docs.ts'
import { type EntryLimits, endpointEntries, type LimitRef, limitsOfEndpoint, limitsOfOperation, limitTables } from './entry-limits.ts'

const head = `# Limits

What a client can make the gateway wait for has a deadline, a bound of memory and a share for one client, so that a client without credentials
does not stop others. The limits have fixed values; settings, such as \`server.max_requests\`, are in [settings.md](settings.md). This page is
written by \`npm run docs\` from the places where the limits are declared.

A connection that ends, after an answer with \`Connection: close\`, is not counted as a connection of its client. When a client, or all clients,
have as many connections as they may, a new connection takes the place of the oldest one on which no request was authenticated.
`

export function writeLimitsPage(groups: readonly EndpointGroup[]): string {
  return [head, ...limitTables.map(writeTable), writeS3Entries(), writeAdminEntries(groups)].join('\n')
}

function writeTable({ title, values, texts }: (typeof limitTables)[number]): string {
  const rows = Object.entries(values).map(([name, value]) => `| ${name} | ${formatValue(name, value)} | ${textOf(texts, name)} |`)
  return [`## ${title}`, '', '| Limit | Value | |', '|---|--:|---|', ...rows, ''].join('\n')
}

const textOf = (texts: object, name: string): string => (texts as Readonly<Record<string, string>>)[name] ?? ''

function formatValue(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${value / 1000} s`
  if (name.endsWith('PerSecondMin')) return `${value} B/s`
  if (name.endsWith('Percent')) return `${value} %`
  if (!name.includes('Bytes')) return String(value)
  const mib = 1024 * 1024
  return value >= mib ? `${value / mib} MiB` : `${value / 1024} KiB`
}

const bodyTitles: Readonly<Record<BodyKind, string>> = {
  document: 'With an XML body',
  object: 'With the bytes of an object',
  form: 'With an upload form',
}

const entryHead = ['| Entry point | Deadline | Memory | Share |', '|---|---|---|---|']

function writeS3Entries(): string {
  const every = writeEntry('Every request, its answer, and bodies that no operation reads', limitsOfOperation({}))
  const kinds = (Object.keys(bodyTitles) as BodyKind[]).map((kind) => {
    const names = operationTable.filter(({ body, handler }) => body === kind && handler !== undefined).map(({ name }) => name)
    return writeEntry(`${bodyTitles[kind]}, also: ${names.join(', ')}`, limitsOfOperation({ body: kind }))
  })
  return ['## S3 operations', '', ...entryHead, every, ...kinds, ''].join('\n')
}

/** Routes with the same limits are one row; most have the default ones. */
function writeAdminEntries(groups: readonly EndpointGroup[]): string {
  const usual = writeLimits(limitsOfEndpoint(undefined))
  const names = new Map<string, string[]>([[usual, ['All other addresses']]])
  for (const { name, limits } of endpointEntries(groups)) {
    const key = writeLimits(limits)
    if (key !== usual) names.set(key, [...(names.get(key) ?? []), `\`${name}\``])
  }
  const rows = [...names].map(([limits, entries]) => `| ${entries.join('<br>')} | ${limits} |`)
  return ['## Admin listener: routes', '', ...entryHead, ...rows, ''].join('\n')
}

const writeEntry = (name: string, limits: EntryLimits): string => `| ${name} | ${writeLimits(limits)} |`

const writeLimits = ({ deadline, memory, share }: EntryLimits): string => [deadline, memory, share].map(writeRefs).join(' | ')

const writeRefs = (refs: readonly LimitRef[]): string =>
  refs.map((ref) => (ref.startsWith('own: ') ? ref.slice('own: '.length) : ref.includes('.') ? `\`${ref}\`` : ref)).join(', ')
