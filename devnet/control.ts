// A loopback HTTP port to place faults, control the chain and read counters, for people and other processes.
import type { ArkErrors } from 'arktype'
import fastify, { type FastifyInstance } from 'fastify'
import { type } from '#kernel/schema'
import { LOOPBACK } from './chain/port.ts'
import { refusalOf } from './cross-site.ts'
import type { Devnet } from './devnet.ts'
import { routeNames } from './faults.ts'
import type { SimulatedProvider } from './provider/provider.ts'

const JSON_BYTES_MAX = 64 * 1024

const common = type({ 'routes?': type.enumerated(...routeNames).array(), 'count?': 'number.integer >= 1' })
const plainKinds = type.enumerated(
  'hang',
  'switch_protocols',
  'drip',
  'drop_connection',
  'drop_answer',
  'revert',
  'corrupt_bytes',
  'pull_stuck',
  'pull_failed',
  'unprocessed',
)
const lastingKinds = type.enumerated('dark', 'stop_proving')
const status = 'number.integer'
const faultShape = common
  .and({ kind: plainKinds })
  .or(common.and({ kind: lastingKinds }))
  .or(common.and({ kind: "'delay'", delayMs: 'number >= 0' }))
  .or(common.and({ kind: "'late_parking'", delayMs: 'number >= 0' }))
  .or(common.and({ kind: "'answer'", status, 'text?': 'string', 'retryAfterSeconds?': 'number.integer >= 0' }))
  .or(common.and({ kind: "'fail_answer'", 'status?': status }))
  .or(common.and({ kind: "'cut_bytes'", afterBytes: 'number.integer >= 0' }))
  .or(common.and({ kind: "'drip_bytes'", everyMs: 'number >= 1' }))
const placeShape = type({ 'provider?': 'number.integer', fault: faultShape })
const clearShape = type({ 'provider?': 'number.integer', 'id?': 'number.integer' })
const settingsShape = type({
  'provider?': 'number.integer',
  settings: type({
    'parkDelayMs?': 'number >= 0',
    'unprocessedMs?': 'number >= 0',
    'confidenceBlocks?': 'number.integer >= 0',
    'lostAfterMs?': 'number >= 0',
    'unclaimedKeepMs?': 'number >= 0',
    'uploadKeepMs?': 'number >= 0',
    'pullRetryMs?': 'number[]',
    'pullPiecesMax?': 'number.integer >= 0',
    'piecesPerAddition?': 'number.integer >= 1 | null',
    'piecesPerRemoval?': 'number.integer >= 1 | null',
    'offenceBlockMs?': 'number >= 0',
    'keepEndedPeriods?': 'number.integer >= 0',
  }).onUndeclaredKey('reject'),
})
const hashShape = type({ hash: /^0x[0-9a-f]{64}$/i })

export interface ControlServer extends AsyncDisposable {
  readonly url: string
}

/** Port 0: any free port. */
export async function startControl(devnet: Devnet, port: number): Promise<ControlServer> {
  const app = fastify({ bodyLimit: JSON_BYTES_MAX, forceCloseConnections: true })
  app.addHook('onRequest', async ({ headers }) => {
    const refusal = refusalOf(headers)
    if (refusal !== undefined) throw new RequestError(`${refusal}; the devnet accepts requests of programs only`, { status: 403 })
  })
  // JSON only: browsers send other types without a preflight request. An empty body is an empty object.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? {} : JSON.parse(String(body)))
    } catch (cause) {
      done(new RequestError(`the body is not JSON: ${cause}`, { cause }))
    }
  })
  app.setErrorHandler((error, _request, reply) => {
    reply.code(statusOf(error)).send({ error: error instanceof Error ? error.message : String(error) })
  })
  faultRoutes(app, devnet)
  chainRoutes(app, devnet)
  app.get('/state', () => describeState(devnet))
  const url = await app.listen({ host: LOOPBACK, port })
  return { url, [Symbol.asyncDispose]: () => app.close() }
}

/** An invalid request; its text is the answer. */
class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number

  constructor(message: string, { status = 400, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

function statusOf(error: unknown): number {
  if (error instanceof RequestError) return error.status
  if (error instanceof RangeError) return 400
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? 415 : 500
}

function faultRoutes(app: FastifyInstance, devnet: Devnet): void {
  app.post('/faults', (request) => {
    const { provider, fault } = valid(placeShape(request.body))
    return { ids: select(devnet, provider).map(({ providerId, faults }) => ({ provider: providerId, id: faults.add(fault) })) }
  })
  app.delete('/faults', (request) => {
    const { provider, id } = valid(clearShape(request.body ?? {}))
    for (const { faults } of select(devnet, provider)) faults.clear(id)
    return {}
  })
  app.post('/settings', (request) => {
    const { provider, settings } = valid(settingsShape(request.body))
    for (const selected of select(devnet, provider)) Object.assign(selected.settings, settings)
    return {}
  })
  app.post('/garbage', (request) => {
    const { provider, pieceCid } = valid(type({ 'provider?': 'number.integer', 'pieceCid?': 'string' })(request.body ?? {}))
    for (const selected of select(devnet, provider)) selected.collectGarbage(pieceCid)
    return {}
  })
}

function chainRoutes(app: FastifyInstance, { chain }: Devnet): void {
  const epoch = async () => ({ epoch: Number(await chain.epoch()) })
  app.post('/chain/mine', async (request) => {
    await chain.mine(valid(type({ 'blocks?': 'number.integer' })(request.body ?? {})).blocks)
    return epoch()
  })
  app.post('/chain/hold', async () => {
    await chain.hold()
    return epoch()
  })
  app.post('/chain/release', async () => {
    await chain.release()
    return epoch()
  })
  app.post('/chain/drop', async (request) => {
    const { hash } = valid(hashShape(request.body))
    return { dropped: await chain.drop(`0x${hash.slice(2)}`) }
  })
  app.post('/chain/reorg', async (request) => {
    await chain.reorg(valid(type({ 'depth?': 'number.integer' })(request.body ?? {})).depth)
    return epoch()
  })
  app.post('/chain/jump', async (request) => {
    await chain.jump(valid(type({ epochs: 'number.integer' })(request.body)).epochs)
    return epoch()
  })
}

async function describeState(devnet: Devnet) {
  return {
    epoch: Number(await devnet.chain.epoch()),
    providers: devnet.providers.map(({ providerId, url, faults, counters, settings }) => ({
      provider_id: providerId,
      service_url: url,
      faults: faults.list(),
      counters,
      settings,
    })),
    add_pieces_transactions: devnet.addPiecesTransactions().map((transaction) => ({ ...transaction, nonce: String(transaction.nonce) })),
  }
}

function select({ providers }: Devnet, providerId: number | undefined): readonly SimulatedProvider[] {
  if (providerId === undefined) return providers
  const found = providers.filter((provider) => provider.providerId === providerId)
  if (found.length === 0) throw new RequestError(`no provider ${providerId}; there are 1 to ${providers.length}`)
  return found
}

function valid<Shape>(result: Shape | ArkErrors): Shape {
  if (result instanceof type.errors) throw new RequestError(result.summary)
  return result
}
