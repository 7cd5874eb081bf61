/** Writes docs/reference/s3-compatibility.md: every S3 operation and whether the gateway has it. */
import { type Level, levels, type NamedRow, operationTable } from '../../plugins/s3/docs.ts'

const head = `# S3 operations

Requests select an operation by method, path and sub-resource. A sub-resource that the path or the method does not have is refused with
MethodNotAllowed. Operations without a tick answer NotImplemented, after authentication and permission. This page is written by
\`npm run docs\` from \`plugins/s3/operations/table/\`.
`

const titles: Readonly<Record<Level, string>> = { service: 'Service', bucket: 'Buckets', object: 'Objects' }
const places: Readonly<Record<Level, string>> = { service: '/', bucket: '/{bucket}', object: '/{bucket}/{key}' }

export function writeS3Page(): string {
  const done = operationTable.filter(({ handler }) => handler !== undefined).length
  return `${head}\n${done} of ${operationTable.length} operations are implemented.\n\n${levels.map(writeLevel).join('\n')}`
}

function writeLevel(level: Level): string {
  const rows = operationTable.filter((row) => row.level === level)
  return [
    `## ${titles[level]}`,
    '',
    '| Operation | Request | IAM action | | Notes |',
    '|---|---|---|---|---|',
    ...rows.toSorted((a, b) => Number(b.handler !== undefined) - Number(a.handler !== undefined)).map(writeRow),
    '',
  ].join('\n')
}

function writeRow({ name, level, method, subResource, variant, action, versionAction, handler, notes = '' }: NamedRow): string {
  const path = `\`${method} ${places[level]}${subResource === undefined ? '' : `?${subResource}`}\``
  const request = variant ? `${path}, ${variant.when}` : path
  const actions = [action && `\`${action}\``, versionAction && `with \`versionId\` \`${versionAction}\``].filter(Boolean).join(', ')
  return `| ${name} | ${request} | ${actions} | ${handler ? '✓' : ''} | ${notes} |`
}
