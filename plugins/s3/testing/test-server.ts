/** A real S3 server on a free loopback port, with real storage on a temporary database. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { type Log, systemClock } from '#kernel'
import { silentLog } from '#kernel/testing'
import type { SizeLimits } from '#plugins/storage'
import type { AccessLists } from '../access/access-lists.ts'
import { rulesOf } from '../access/access-rules-policy.ts'
import type { BucketSettings } from '../bucket-settings/bucket-settings.ts'
import type { S3Role } from '../contract.ts'
import type { StorageLimits } from '../limits/limits.ts'
import type { S3Services } from '../operations/operation.ts'
import { createAccessLog } from '../server/access-log.ts'
import { DocumentMemory } from '../server/document-memory.ts'
import { buildServer } from '../server/listener.ts'
import { OpenConnections } from '../server/open-connections.ts'
import { type RequestLimits, requestLimits } from '../server/request-limits.ts'
import { OperationCounts } from '../server/request-metrics.ts'
import type { S3Settings, ServerSettings } from '../settings.ts'
import type { S3Signer } from '../users/signer.ts'
import { defaultSettings } from './default-settings.ts'
import { exchangeRaw } from './raw-exchange.ts'
import { type SignedRequestOptions, signedRequest } from './signed-request.ts'
import { openTestStorage, type TestStorage, type TestStorageOptions } from './test-storage.ts'

export const owner = signer('owner-access-key', 'userplus')
export const plain = signer('plain-access-key', 'user')
export const admin = signer('admin-access-key', 'admin')

function signer(accessKey: string, role: S3Role): S3Signer {
  return { accessKey, ownerId: `id of ${accessKey}`, secretKey: `secret of ${accessKey}`, role, createdAtMs: 0 }
}

const unsupported = () => Promise.reject(new Error('the test server stores no settings of buckets: use a test gateway'))

/** No bucket has any. */
const noBucketSettings: BucketSettings = { find: async () => undefined, set: unsupported, remove: unsupported }

const noRules: S3Services['lifecycleRules'] = {
  find: async () => undefined,
  set: unsupported,
  remove: unsupported,
  hasRules: () => false,
  expiryOf: async () => undefined,
}

/** Every bucket and every version is private, and belongs to the owner of the bucket. */
const noAccessLists: AccessLists = {
  rulesOf: ({ ownerAccessKey }) => rulesOf({ owner: `id of ${ownerAccessKey}` }, {}, defaultSettings),
  accessOf: () => ({}),
  changeBucket: unsupported,
  findObject: async () => undefined,
  addToVersion: unsupported,
  addToUpload: unsupported,
  copyFromUpload: async () => {},
  replaceObject: unsupported,
  ownersOf: async () => new Map(),
}

const noLimits: StorageLimits = { refuseEarly: async () => {}, checkVersion: async () => {}, checkBucket: async () => {} }

/** Services of a server whose buckets have no settings and no access lists. */
export const noStoredSettings = {
  bucketSettings: noBucketSettings,
  lifecycleRules: noRules,
  accessLists: noAccessLists,
  storageLimits: noLimits,
  findOwnerId: () => undefined,
  settings: defaultSettings,
}

interface TestServerOptions {
  readonly settings?: Partial<S3Settings>
  readonly server?: Partial<ServerSettings>
  /** Default: those of the product. */
  readonly limits?: Partial<RequestLimits>
  /** Receives the access log and the warnings. */
  readonly log?: Log
  /** Memory of XML documents. Default: as in the product. */
  readonly documentMemory?: DocumentMemory
  /** `sizes`: instead of those of the function that starts the server. */
  readonly storage?: TestStorageOptions
}

/** Objects have the default sizes. */
export const startTestServer = (options: TestServerOptions = {}) => startOn({ bytesMin: 127, bytesMax: 1_065_353_216 }, options)

/** Objects may have any size, also none. */
export const startStoredServer = (options: TestServerOptions = {}) => startOn({ bytesMin: 0, bytesMax: 32 * 1024 * 1024 }, options)

async function startOn(sizes: SizeLimits, options: TestServerOptions) {
  const storage = await openTestStorage({ sizes, ...options.storage })
  const server = await serve(storage, options)
  let buckets = 0
  return {
    ...server,
    storage,
    /** Returns its name. */
    async newBucket(ownerAccessKey = owner.accessKey): Promise<string> {
      buckets += 1
      return (await storage.buckets.create({ name: `bucket-${buckets}`, ownerAccessKey })).name
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    },
  }
}

async function serve(services: TestStorage, options: TestServerOptions) {
  const signers = new Map([owner, plain, admin].map((one) => [one.accessKey, one]))
  const state = { isStopping: false }
  const operationCounts = new OperationCounts()
  const httpServer = buildServer(
    { port: '127.0.0.1:0', max_connections: 100, max_connections_per_client: 90, max_requests: 50, ...options.server },
    {
      ...services,
      ...noStoredSettings,
      settings: { ...defaultSettings, ...options.settings },
      findSigner: (accessKey) => signers.get(accessKey),
      noteUse: () => {},
      clock: systemClock,
      log: options.log ?? silentLog,
      operationCounts,
      limits: { ...requestLimits, ...options.limits },
      documentMemory: options.documentMemory ?? new DocumentMemory(),
      openConnections: new OpenConnections(),
      accessLog: createAccessLog({ enabled: true, level: 'info' }, options.log ?? silentLog),
      isStopping: () => state.isStopping,
    },
  )
  httpServer.listen(0, '127.0.0.1')
  await once(httpServer, 'listening')
  const { port } = httpServer.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    operationCounts,
    client: (user: S3Signer = owner, config: Partial<S3ClientConfig> = {}) =>
      new S3Client({
        endpoint: url,
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: { accessKeyId: user.accessKey, secretAccessKey: user.secretKey },
        ...config,
      }),
    /** Sends raw bytes. */
    sendRaw: (...pieces: readonly (string | Buffer)[]) => exchangeRaw(port, pieces),
    send: (request: SignedRequestOptions) => {
      const { head, body } = signedRequest(port, request)
      return exchangeRaw(port, [head, body])
    },
    async [Symbol.asyncDispose]() {
      state.isStopping = true
      httpServer.closeAllConnections()
      httpServer.close()
      await once(httpServer, 'close')
    },
  }
}
