// Starts the measured servers as separate processes: `svc serve` and the baseline servers.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type FileValue, saveConfigFile } from '#kernel/system'
import { basicAuth, cheapPasswordHash, testOperator } from '#kernel/testing'
import type { FundedDevnet } from '../e2e/fixtures/gateways/funded-devnet.ts'
import { signedRequest } from '../plugins/s3/testing/signed-request.ts'
import { type EventLoopDelay, reportingArguments, takeLoopDelay } from './loop-delay.ts'
import { RawConnection } from './raw-connection.ts'

const startMsMax = 30_000
const startPollMs = 50
const stopMsMax = 30_000
const logCharsMax = 4096
/** Equal to the size that the gateway sets for itself. */
const poolThreads = '64'
/** Nothing listens there, so work that needs the chain waits and uses no CPU. */
const noChainUrl = 'http://127.0.0.1:9'
const cacheGib = 40

export interface BenchServer extends AsyncDisposable {
  readonly label: string
  readonly port: number
  /** Is undefined for a process that cannot be found. */
  readonly pid: number | undefined
  /** Reads the event-loop delay since the call before; absent where nothing reports it. */
  readonly takeLoopDelay?: () => Promise<EventLoopDelay>
}

export type BareKind = 'synced-files' | 'buffer' | 'file-streams'

const bareLabels: Readonly<Record<BareKind, string>> = {
  'synced-files': 'Fastify, file and fsync',
  buffer: 'Fastify, a buffer',
  'file-streams': 'node:http, file stream',
}

/** Starts a baseline server that keeps its files in `dir`. */
export async function startBareServer(kind: BareKind, dir: string): Promise<BenchServer> {
  await mkdir(dir)
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)), [kind, dir], {
    env: { ...process.env, NODE_OPTIONS: '', UV_THREADPOOL_SIZE: poolThreads },
    execArgv: [],
  })
  const [{ port }] = (await once(child, 'message', { signal: AbortSignal.timeout(startMsMax) })) as [{ readonly port: number }]
  return { label: bareLabels[kind], port, pid: pidOf(child), [Symbol.asyncDispose]: () => stop(child) }
}

export interface S3Credentials {
  readonly accessKey: string
  readonly secretKey: string
}

export interface Gateway extends BenchServer {
  readonly pid: number
  readonly user: S3Credentials
  readonly bucket: string
  readonly dir: string
  /** Calls the Admin API as the operator; throws unless it succeeds. */
  readonly admin: (method: 'GET' | 'POST', path: string, body?: object) => Promise<Response>
  readonly takeLoopDelay: () => Promise<EventLoopDelay>
}

export interface GatewayOptions {
  readonly label?: string
  /** Folder of the checkout to run: this one by default. */
  readonly checkout?: string
  /** Go to Node, such as --cpu-prof. */
  readonly nodeArguments?: readonly string[]
  /** Dotted path → value; undefined removes a value of this file. */
  readonly settings?: Readonly<Record<string, FileValue | undefined>> | undefined
}

/** Settings of a gateway that stores on a devnet. */
export const devnetSettings = (
  { devnet, privateKey }: Pick<FundedDevnet, 'devnet' | 'privateKey'>,
  copies: number,
): NonNullable<GatewayOptions['settings']> => ({
  'chain.network': 'devnet',
  'chain.rpc_url': undefined,
  'chain.devnet_info': devnet.infoPath,
  'chain.allow_private_networks': true,
  'chain.private_key': privateKey,
  'chain.default_copies': copies,
  // Each object is a piece; the bench of packing sets it.
  'packs.default': 'off',
})

const thisCheckout = fileURLToPath(new URL('..', import.meta.url))

/** Starts `svc serve` with a bucket, a user and all data in `dir`. No chain is reachable unless the settings name one. */
export async function startGateway(
  dir: string,
  { label = 'gateway', checkout = thisCheckout, nodeArguments = [], settings }: GatewayOptions = {},
): Promise<Gateway> {
  await mkdir(dir)
  const [adminPort, port] = await findFreePorts()
  const configPath = join(dir, 'config.toml')
  saveConfigFile(configPath, {
    'admin.addr': `127.0.0.1:${adminPort}`,
    'admin.auth.username': testOperator.username,
    'admin.auth.password_hash': await cheapPasswordHash(),
    'admin.auth.session_secret': randomBytes(32).toString('hex'),
    'server.port': `127.0.0.1:${port}`,
    'logging.level': 'error',
    'chain.network': 'calibration',
    'chain.rpc_url': noChainUrl,
    'chain.private_key': randomBytes(32).toString('hex'),
    'cache.max_size_gb': cacheGib,
    ...settings,
  })
  const program = join(checkout, 'cli/svc.js')
  const flags = readNodeFlags(program)
  const child = spawn(process.execPath, [...flags, ...reportingArguments, ...nodeArguments, program, 'serve', '--config', configPath], {
    cwd: dir,
    env: { ...process.env, NODE_OPTIONS: '', SVC_CONFIG: '', UV_THREADPOOL_SIZE: poolThreads },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  try {
    await waitUntilServing(child, [adminPort, port])
    const user = await createUser(adminPort)
    const bucket = 'photos'
    await createBucket(port, bucket, user)
    return {
      label,
      port,
      pid: pidOf(child),
      user,
      bucket,
      dir,
      admin: (method, path, body) => callAdmin(adminPort, method, path, body),
      takeLoopDelay: () => takeLoopDelay(child),
      [Symbol.asyncDispose]: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  }
}

/** Flags in the first line of the program, as a shell would pass them. */
export const readNodeFlags = (program: string): string[] => /^#!.* node (--.*)$/m.exec(readFileSync(program, 'utf8'))?.[1]?.split(' ') ?? []

/** Two ports that were free just now. The gateway reports its own ports only in its log, which is off here. */
async function findFreePorts(): Promise<[number, number]> {
  const held = [createServer(), createServer()] as const
  for (const server of held) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const [first, second] = held.map((server) => (server.address() as AddressInfo).port) as [number, number]
  for (const server of held) server.close()
  return [first, second]
}

async function waitUntilServing(child: ChildProcess, ports: readonly number[]): Promise<void> {
  let log = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    log = (log + bytes.toString()).slice(-logCharsMax)
  })
  for (let waitedMs = 0; waitedMs < startMsMax; waitedMs += startPollMs) {
    if (child.exitCode !== null) throw new Error(`the gateway exited during its start:\n${log}`)
    const open = await Promise.all(ports.map(isOpen))
    if (!open.includes(false)) return
    await pause(startPollMs)
  }
  throw new Error(`the gateway did not start within ${startMsMax} ms:\n${log}`)
}

async function isOpen(port: number): Promise<boolean> {
  try {
    using _connection = await RawConnection.open(port)
    return true
  } catch {
    // Connection refused: not listening yet.
    return false
  }
}

async function createUser(adminPort: number): Promise<S3Credentials> {
  const response = await callAdmin(adminPort, 'POST', '/api/v1/s3-users', { role: 'admin' })
  const { access_key, secret_key } = (await response.json()) as { readonly access_key: string; readonly secret_key: string }
  return { accessKey: access_key, secretKey: secret_key }
}

async function callAdmin(adminPort: number, method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
  const headers = { authorization: basicAuth(testOperator.username, testOperator.password), 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${adminPort}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
  if (!response.ok) throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`)
  return response
}

async function createBucket(port: number, bucket: string, user: S3Credentials): Promise<void> {
  using connection = await RawConnection.open(port)
  const { head } = signedRequest(port, { method: 'PUT', url: `/${bucket}`, user })
  await connection.exchange([Buffer.from(head)])
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a server process did not start')
  return pid
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
  await ended
  clearTimeout(timer)
}
