// The S3 listener of the product over any storage services.
import { systemClock } from '#kernel'
import { silentLog } from '#kernel/testing'
import type { Buckets, Objects } from '#plugins/storage'
import { rulesOf } from '../../plugins/s3/access/access-rules-policy.ts'
import { createAccessLog } from '../../plugins/s3/server/access-log.ts'
import { DocumentMemory } from '../../plugins/s3/server/document-memory.ts'
import { endOfTurn } from '../../plugins/s3/server/end-of-turn.ts'
import type { ExchangeDeps } from '../../plugins/s3/server/exchange.ts'
import { buildServer } from '../../plugins/s3/server/listener.ts'
import { requestLimits } from '../../plugins/s3/server/request-limits.ts'
import { OperationCounts } from '../../plugins/s3/server/request-metrics.ts'
import { defaultSettings } from '../../plugins/s3/testing/default-settings.ts'
import type { S3Credentials } from '../bench-server.ts'
import { turnVariable } from './variants.ts'

export const user: S3Credentials = { accessKey: 'bench-access-key-00001', secretKey: 'secret key of the second-core bench user' }

const signer = { ...user, ownerId: user.accessKey, role: 'admin', createdAtMs: 0 } as const

/** Starts the storage calls of a turn of the event loop together, after its events. */
function atEndOfTurn(objects: Objects): Objects {
  const late = (name: 'find' | 'open' | 'put') => ({
    value: async (...args: readonly unknown[]) => {
      await endOfTurn()
      return (objects[name] as (...all: readonly unknown[]) => unknown)(...args)
    },
  })
  return Object.create(objects, { find: late('find'), open: late('open'), put: late('put') })
}

export function buildFront({ buckets, objects: given }: { readonly buckets: Buckets; readonly objects: Objects }) {
  const objects = process.env[turnVariable] === '1' ? atEndOfTurn(given) : given
  const context = {
    buckets,
    objects,
    bucketSettings: { find: async () => undefined },
    accessLists: {
      rulesOf: ({ ownerAccessKey }: { readonly ownerAccessKey: string | null }) =>
        rulesOf({ owner: `${ownerAccessKey}` }, {}, defaultSettings),
      findObject: async () => undefined,
    },
    settings: defaultSettings,
    storageLimits: { refuseEarly: async () => {}, checkVersion: async () => {} },
    findOwnerId: () => undefined,
    findSigner: (accessKey: string) => (accessKey === user.accessKey ? signer : undefined),
    clock: systemClock,
    log: silentLog,
    operationCounts: new OperationCounts(),
    documentMemory: new DocumentMemory(),
    // As if alone: only the variants with + turn wait for other requests.
    openConnections: { count: 0, follow() {} },
    accessLog: createAccessLog({ enabled: true, level: 'info' }, silentLog),
    limits: requestLimits,
    isStopping: () => false,
  } as unknown as ExchangeDeps
  const server = { port: '127.0.0.1:0', max_connections: 1000, max_connections_per_client: 900, max_requests: 500 }
  return buildServer(server as Parameters<typeof buildServer>[0], context)
}
