// Restarts of a devnet, and the end of its processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDevnet } from './devnet.ts'
import { type Fixture, startFixture, type TestDataSet } from './testing/fixture.ts'
import { until } from './testing/provider-calls.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-devnet-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

interface ReadyLine {
  readonly info: string
  readonly control_url: string
  readonly rpc_url: string
  readonly providers: readonly { readonly provider_id: number; readonly service_url: string }[]
}

async function startProcess(folder: string): Promise<{ child: ChildProcess; ready: ReadyLine; anvilPid: number }> {
  const main = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [main, '--dir', folder, '--providers', '2'], { stdio: ['pipe', 'pipe', 'ignore'] })
  if (!child.stdout) throw new Error('no output')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, ready: JSON.parse(line), anvilPid: Number(readFileSync(join(folder, 'chain', 'anvil.pid'), 'utf8')) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // No such process.
    return false
  }
}

test('a restarted devnet has the same addresses, money, data sets, pieces and statuses', async () => {
  await using fixture = await startFixture({ providers: 2, isTemporary: false })
  const dataSet = await fixture.createDataSet(1)
  const pieceCid = await fixture.storePiece(dataSet)
  const parked = await fixture.storePiece(dataSet)
  expect(await fixture.addPieces(dataSet, [pieceCid])).toEqual([0])
  const { contracts, rpcUrl } = fixture.devnet
  const statusUrls = fixture.devnet
    .addPiecesTransactions()
    .map((sent) => `${fixture.provider(1).url}/pdp/data-sets/${dataSet.dataSetId}/pieces/added/${sent.hash}`)
  await fixture.devnet[Symbol.asyncDispose]()

  await using devnet = await startDevnet({ dir: fixture.dir, providers: 3 })
  expect([devnet.contracts, devnet.rpcUrl, devnet.providers.length]).toEqual([contracts, rpcUrl, 3])
  expect(devnet.providers[1]?.url).toBe(dataSet.provider.url)
  expect(await devnet.pieceLive(dataSet.dataSetId, 0)).toBe(true)
  for (const cid of [pieceCid, parked]) expect(await devnet.readPiece(1, cid)).toHaveLength(1000)
  expect(await (await fetch(statusUrls[0] ?? '')).json()).toMatchObject({ piecesAdded: true, confirmedPieceIds: [0] })
  await addMore(fixture, dataSet, parked)
})

async function addMore(fixture: Fixture, dataSet: TestDataSet, parked: string): Promise<void> {
  expect(await fixture.addPieces(dataSet, [parked])).toEqual([1])
}

test('a stopped provider continues from its directory', async () => {
  await using fixture = await startFixture({ providers: 1 })
  const dataSet = await fixture.createDataSet(0)
  const pieceCid = await fixture.storePiece(dataSet)
  await dataSet.provider.stop()
  await expect(fetch(`${dataSet.provider.url}/pdp/ping`)).rejects.toThrow()
  await dataSet.provider.start()
  expect(await fixture.addPieces(dataSet, [pieceCid])).toEqual([0])
})

test('the process prints its URLs in one line, keeps its chain after kill -9, and ends when its standard input closes', async () => {
  const folder = join(dir, 'process')
  const first = await startProcess(folder)
  expect(first.ready.providers).toHaveLength(2)
  expect((await fetch(`${first.ready.providers[1]?.service_url}/pdp/ping`)).status).toBe(200)
  const mined = (await (await postJson(`${first.ready.control_url}/chain/mine`, { blocks: 50 })).json()) as { epoch: number }
  first.child.kill('SIGKILL')
  await until('its anvil has ended too', () => !isAlive(first.anvilPid))

  const second = await startProcess(folder)
  const state = (await (await fetch(`${second.ready.control_url}/state`)).json()) as { epoch: number }
  expect(state.epoch).toBeGreaterThanOrEqual(mined.epoch)
  expect({ ...second.ready, control_url: '' }).toEqual({ ...first.ready, control_url: '' })
  const exited = once(second.child, 'exit')
  second.child.stdin?.end()
  expect(await exited).toEqual([0, null])
  expect(isAlive(second.anvilPid)).toBe(false)
})

const postJson = (url: string, body: object) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

test('a temporary devnet leaves neither its directory nor its chain behind when its process is killed', async () => {
  const folder = join(dir, 'temporary')
  const program = `
    import { startDevnet } from ${JSON.stringify(join(import.meta.dirname, 'devnet.ts'))}
    await startDevnet({ dir: ${JSON.stringify(folder)}, providers: 1, isTemporary: true })
    process.stdout.write('ready\\n')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const anvilPid = Number(readFileSync(join(folder, 'chain', 'anvil.pid'), 'utf8'))
  child.kill('SIGKILL')
  await until('the chain and the directory are deleted', () => !isAlive(anvilPid) && !existsSync(folder))
})

test('a port taken by another process is named in the error', async () => {
  const folder = join(dir, 'clash')
  await (await startDevnet({ dir: folder, providers: 1 }))[Symbol.asyncDispose]()
  const { chainPort } = JSON.parse(readFileSync(join(folder, 'deployment.json'), 'utf8'))
  const stranger = createServer().listen(chainPort, '127.0.0.1')
  await once(stranger, 'listening')
  await expect(startDevnet({ dir: folder, providers: 1 })).rejects.toThrow(`port ${chainPort} of the devnet chain is taken`)
  stranger.close()
  await once(stranger, 'close')
  await using devnet = await startDevnet({ dir: folder, providers: 1 })
  expect(devnet.rpcUrl).toBe(`http://127.0.0.1:${chainPort}`)
})

test.each([
  [{ providers: 0 }, 'providers is 0; expected 1 to 50'],
  [{ blockTimeSeconds: Number.NaN }, 'blockTimeSeconds is NaN'],
  [{ provingPeriodEpochs: 5 }, 'provingPeriodEpochs is 5; expected 10 to 40000'],
])('a devnet is not started with %o', async (options, problem) => {
  await expect(startDevnet({ dir: join(dir, 'wrong'), ...options })).rejects.toThrow(problem)
})
