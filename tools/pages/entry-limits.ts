/** What limits each entry point of the two listeners: by names of limits and of settings. */
import { type Endpoint, type EndpointGroup, limits as kernelLimits } from '#kernel/system'
import { adminLimits, adminLimitTexts } from '../../kernel/admin-listener/admin-limits.ts'
import { connectionLimits, connectionLimitTexts } from '../../kernel/http/connections/connection-limits.ts'
import { type BodyKind, fieldBytesMax, type NamedRow, requestLimits, requestLimitTexts } from '../../plugins/s3/docs.ts'
import { bodyMemoryBytes } from '../../plugins/storage/docs.ts'

const sharedLimits = {
  transferBytesMax: bodyMemoryBytes,
  formFieldBytesMax: fieldBytesMax,
  jsonBodyBytesMax: kernelLimits.jsonBodyBytesMax,
}

const sharedLimitTexts: Readonly<Record<keyof typeof sharedLimits, string>> = {
  transferBytesMax: 'Memory of the bytes of objects in transfer, of all requests. Each waits for its part.',
  formFieldBytesMax: 'Memory of the fields of an upload form.',
  jsonBodyBytesMax: 'JSON body of a request to the Admin API, unless its route has another limit.',
}

/** The limits by the place where they apply. */
export const limitTables = [
  { title: 'Connections of both listeners', values: connectionLimits, texts: connectionLimitTexts },
  { title: 'S3 requests', values: requestLimits, texts: requestLimitTexts },
  { title: 'Admin listener', values: adminLimits, texts: adminLimitTexts },
  { title: 'Bodies', values: sharedLimits, texts: sharedLimitTexts },
] as const

type Tables = (typeof limitTables)[number]['values']
type LimitName = Tables extends infer Table ? (Table extends unknown ? keyof Table : never) : never
type SettingName = `s3.${string}` | `server.${string}`
/** Limit of a route of its own: `2.5 s`. */
type OwnValue = `own: ${string}`
export type LimitRef = LimitName | SettingName | OwnValue

export interface EntryLimits {
  readonly deadline: readonly LimitRef[]
  readonly memory: readonly LimitRef[]
  readonly share: readonly LimitRef[]
}

const ofEveryS3Request: EntryLimits = {
  deadline: ['headMs', 's3.body_idle_timeout', 'restOfBodyMs', 'documentMs'],
  memory: ['keptBytesMax', 'keptBytesOfAllMax', 'documentBytesMax', 'transferBytesMax'],
  share: [
    'server.max_connections_per_client',
    'requestsPerClientPercent',
    'requestsPerUserPercent',
    'unauthenticatedPercent',
    'unauthenticatedPerClientPercent',
    'documentPerUserPercent',
  ],
}

const ofBody: Readonly<Record<BodyKind, EntryLimits>> = {
  document: { deadline: ['documentMs'], memory: ['documentBytesMax'], share: ['documentPerUserPercent'] },
  object: {
    deadline: ['bodyBytesPerSecondMin'],
    memory: ['transferBytesMax'],
    share: ['requestsPerClientPercent', 'requestsPerUserPercent'],
  },
  form: {
    deadline: ['formFieldsMs', 'bodyBytesPerSecondMin'],
    memory: ['formFieldBytesMax', 'transferBytesMax'],
    share: ['unauthenticatedPercent', 'unauthenticatedPerClientPercent'],
  },
}

/** Returns those of the body of an operation; of its head and its answer when it has none. */
export const limitsOfOperation = ({ body }: Pick<NamedRow, 'body'>): EntryLimits => (body === undefined ? ofEveryS3Request : ofBody[body])

/** An endpoint of the Admin API. Undefined: a route that is not in its document, such as a file of the dashboard. */
export function limitsOfEndpoint(endpoint: Endpoint | undefined): EntryLimits {
  const { deadlineMs, bytesMax, bodyMedia, media } = endpoint ?? {}
  const isStream = bodyMedia !== undefined || media === '*/*'
  return {
    deadline: deadlineMs === undefined ? ['adminRequestMs'] : deadlineMs === 'none' ? ['adminIdleMs'] : [`own: ${deadlineMs / 1000} s`],
    memory: isStream ? ['transferBytesMax'] : bytesMax === undefined ? ['jsonBodyBytesMax'] : [`own: ${bytesMax / 1024} KiB`],
    share: ['adminConnectionsPerClientMax'],
  }
}

interface EndpointEntry {
  readonly name: string
  readonly limits: EntryLimits
}

export const endpointEntries = (groups: readonly EndpointGroup[]): readonly EndpointEntry[] =>
  groups.flatMap(({ endpoints = [] }) =>
    endpoints.map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, limits: limitsOfEndpoint(endpoint) })),
  )
