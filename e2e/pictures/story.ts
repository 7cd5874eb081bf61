/** Starts a gateway with the data that the pictures show: objects, a refusing provider, a replaced replica, one hour of traffic. */
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { saveConfigFile } from '#kernel/system'
import type { Devnet } from '../../devnet/devnet.ts'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { endServiceOnChain } from '../../devnet/testing/end-service.ts'
import { freePort } from '../fixtures/free-port.ts'
import { type FundedDevnet, startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import type { S3User } from '../fixtures/s3-client.ts'
import { until } from '../fixtures/until.ts'
import { dataSetOf, idle, type ListedDataSet, patientMs, settled, strict } from './calls.ts'
import { listObjects, listRefused, listUndecided, type NewObject } from './objects.ts'
import { createPassingClock } from './passing-clock.ts'

export interface Story extends AsyncDisposable {
  readonly gateway: Gateway
  /** The data set of this bucket's replica, from 0. */
  dataSet(bucket: string, replica: number): Promise<ListedDataSet>
}

/** The gateway while the chain moves. */
interface Past {
  readonly network: FundedDevnet
  readonly gateway: Gateway
  put(object: NewObject): Promise<void>
}

const hourMs = 3_600_000
const liveEpochSeconds = 30
/** Traffic after the second start, which the figures of the newest minute show. */
const recentMs = 30_000
const usdfc = 10n ** 18n
const settings = {
  'worker.tasks.max_retries': 3,
  'worker.tasks.lease_duration': '5m',
  'cache.max_size_gb': 1,
  // The same number of epochs as `presentSettings`: a day of them is shorter at first.
  'chain.spending.approved_lockup_days': 1,
  'repair.auto': true,
}
const presentSettings = { 'chain.spending.approved_lockup_days': 60 }
const owners = { photos: 'Photo library', backups: 'Nightly backup', logs: 'Log shipper' } as const
const copies = { photos: 2, backups: 3, logs: 2 } as const
const buckets = ['photos', 'backups', 'logs'] as const

type Say = (line: string) => void

export async function tellStory(say: Say): Promise<Story> {
  await using stack = new AsyncDisposableStack()
  const clock = createPassingClock(hourMs)
  const network = stack.use(await startFundedDevnet({ providers: 6, isFunded: false, blockTimeSeconds: 0.5, provingPeriodEpochs: 30 }))
  const { devnet, privateKey } = network
  // Clients and links of the first gateway reach the second one too.
  const place = { dir: network.makeDir('gateway'), devnet, privateKey }
  const gateway = stack.use(
    await startGatewayHere({ ...place, settings: { ...settings, 'server.port': `127.0.0.1:${await freePort()}` }, clock }),
  )
  say('The wallet deposits and approves')
  await fund(gateway, 12n)
  await strict(gateway)('POST', '/wallet/approve', { client_request_id: 'approve' })
  const clients = await makeBuckets(gateway, stack)
  const client = (bucket: NewObject['bucket']): S3Client => {
    const found = clients.get(bucket)
    if (!found) throw new Error(`no client of ${bucket}`)
    // The gateway's time is signed.
    found.config.systemClockOffset = clock.offsetMs()
    return found
  }
  const past: Past = { network, gateway, put: (object) => put(client(object.bucket), object) }
  const objects = await listObjects()
  await storeAll(past, objects, say)
  say('An hour passes')
  clock.run(16)
  await Promise.all([haveTraffic({ client, objects, isOver: () => clock.offsetMs() > -10 * 60_000, say }), loseService(past)])
  await refuse(past)
  await haveTraffic({ client, objects, isOver: () => clock.offsetMs() === 0, say })
  clock.arrive()
  await holdChain(past)
  await gateway.stop()
  await lengthenEpochs(devnet)
  saveConfigFile(gateway.configPath, presentSettings)
  const present = stack.use(await startGatewayHere(place))
  say('The gateway has started again, with epochs of 30 seconds')
  const end = Date.now() + recentMs
  await haveTraffic({ client, objects, isOver: () => Date.now() > end, say })
  await strict(present)('POST', '/cost/refresh')
  const disposal = stack.move()
  return {
    gateway: present,
    dataSet: (bucket, replica) => dataSetOf(present, bucket, replica),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

async function put(client: S3Client, { bucket, key, body, type }: NewObject): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: type, Metadata: { source: 'studio' } }))
}

async function storeAll(past: Past, objects: readonly NewObject[], say: Say): Promise<void> {
  const { gateway } = past
  say(`${objects.length} objects are stored`)
  for (const object of objects) await past.put(object)
  await strict(gateway)('POST', '/packs/seal', { bucket: 'logs' })
  await settled(gateway, 'copies of all objects', 0)
  await gather(gateway)
  await move(gateway, 'backups', 1)
  await fund(gateway, 6n)
}

/**
 * The local chain has made an epoch each half second, and prices are for epochs of 30 seconds. The chain stands still from here on, and
 * the next gateway counts its epochs as those of a live network.
 */
async function lengthenEpochs({ infoPath, chain }: Devnet): Promise<void> {
  const stored = JSON.parse(await readFile(infoPath, 'utf8'))
  const genesis = Date.now() / 1000 - Number(await chain.epoch()) * liveEpochSeconds
  const info = { ...stored.info, block_time_seconds: liveEpochSeconds, genesis_timestamp: Math.round(genesis) }
  await writeFile(infoPath, JSON.stringify({ ...stored, info }))
}

async function fund(gateway: Gateway, amount: bigint): Promise<void> {
  const { json } = await strict(gateway)('POST', '/wallet/fund', { client_request_id: `fund-${amount}`, amount: String(amount * usdfc) })
  await until('a deposit', async () => {
    const { operations } = (await strict(gateway)('GET', '/wallet/operations')).json
    return operations.find(
      (one: { readonly id: number; readonly status: string }) => one.id === json.operation.id && one.status === 'confirmed',
    )
  })
}

async function makeBuckets(gateway: Gateway, stack: AsyncDisposableStack): Promise<ReadonlyMap<string, S3Client>> {
  const call = strict(gateway)
  const clients = new Map<string, S3Client>()
  for (const name of buckets) {
    const user: S3User = (await call('POST', '/s3-users', { name: owners[name] })).json
    clients.set(
      name,
      stack.adopt(gateway.connect(user), (client) => client.destroy()),
    )
    await call('POST', '/buckets', { name, owner_access_key: user.access_key, default_copies: copies[name], minimum_durable_copies: 1 })
  }
  await call('PUT', '/packs/policy', { bucket: 'logs', packing: 'small' })
  await call('POST', '/s3-users', { name: 'Analytics', role: 'user' })
  const { access_key: left } = (await call('POST', '/s3-users', { name: 'Former contractor' })).json
  await call('PUT', `/s3-users/${left}/profile`, { is_disabled: true })
  return clients
}

/** Speed tests and samples, for the pages of providers. */
async function gather(gateway: Gateway): Promise<void> {
  const call = strict(gateway)
  for (const providerId of [1, 2, 3]) {
    await call('POST', `/observability/providers/${providerId}/upload-speed-test`)
    await idle(gateway, 'provider_speed_test')
  }
  await call('POST', '/observability/samples', { share: 1 })
}

/** Moves a replica to another provider, and waits for the end of it. */
async function move(gateway: Gateway, bucket: string, replica: number): Promise<void> {
  const { id } = await dataSetOf(gateway, bucket, replica)
  const body = { client_request_id: `move-${bucket}`, mode: 'automatic' }
  const { json: made } = await strict(gateway)('POST', `/buckets/${bucket}/data-sets/${id}/replacement`, body)
  await until(
    'a replica at its new provider',
    async () => (await strict(gateway)('GET', `/storage-replacements/${made.id}`)).json.status === 'completed' || undefined,
    { withinMs: patientMs, everyMs: 1000 },
  )
}

/** The service of a data set is ended without this gateway, which repairs the replica by itself. */
async function loseService({ network: { devnet, privateKey }, gateway }: Past): Promise<void> {
  const call = strict(gateway)
  const { data_set_id: onChain } = await dataSetOf(gateway, 'logs', 1)
  await endServiceOnChain(devnet, privateKey, BigInt(onChain))
  await call('POST', '/observability/data-sets/refresh')
  await until(
    'the repair of a replica',
    async () => {
      const { repairs } = (await call('GET', '/storage-repairs')).json
      const { replacements } = (await call('GET', '/storage-replacements')).json
      return repairs.length > 0 && replacements.every(({ status }: { readonly status: string }) => status === 'completed')
        ? true
        : undefined
    },
    { withinMs: patientMs, everyMs: 1000 },
  )
}

/** The provider of the last replica of the backups takes no more pieces, and the tasks of today's backups fail. */
async function refuse({ network, gateway, put }: Past): Promise<void> {
  const { provider_id: refusing } = await dataSetOf(gateway, 'backups', 2)
  providerOf(network, refusing).faults.add({
    kind: 'answer',
    status: 400,
    text: 'storage quota of this provider is used up',
    routes: ['pull', 'upload_create', 'piece_post'],
  })
  const refused = listRefused()
  for (const object of refused) await put(object)
  await settled(gateway, 'objects below their target', refused.length)
}

/** Stops the chain until the transaction of new copies is undecided for so long that an operator is asked. */
async function holdChain({ network, gateway, put }: Past): Promise<void> {
  await network.devnet.chain.hold()
  for (const object of listUndecided()) await put(object)
  await until(
    'storage confirmations',
    async () => ((await strict(gateway)('GET', '/storage-confirmations')).json.length > 0 ? true : undefined),
    { withinMs: patientMs, everyMs: 1000 },
  )
}

function providerOf({ devnet }: FundedDevnet, id: string): SimulatedProvider {
  const found = devnet.providers.find(({ providerId }) => String(providerId) === id)
  if (!found) throw new Error(`no provider ${id}`)
  return found
}

interface Traffic {
  readonly client: (bucket: NewObject['bucket']) => S3Client
  readonly objects: readonly NewObject[]
  readonly isOver: () => boolean
  readonly say: Say
}

/** Reads in waves, until it is over. */
async function haveTraffic({ client, objects, isOver, say }: Traffic): Promise<void> {
  let failed = 0
  for (let at = 0; !isOver(); at++) {
    const { bucket, key } = objects[(at * 37) % objects.length] as NewObject
    try {
      const { Body } = await client(bucket).send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      await Body?.transformToByteArray()
    } catch (error) {
      failed += 1
      if (failed === 1) say(`a read failed: ${(error as Error).message}`)
    }
    await sleep(120 + 100 * Math.sin(at / 40) + 60 * Math.sin(at / 7))
  }
  if (failed > 0) say(`${failed} reads failed`)
}
