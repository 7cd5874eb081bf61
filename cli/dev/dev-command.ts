/** `svc dev`: a ready gateway with its own devnet on this machine. Starts both, and stops them in reverse. */

import { resolve } from 'node:path'
import { type CommandCall, CommandError, type Output, systemClock } from '#kernel'
import { describeProblem, type PreparedKernel, prepareKernel, type RunningKernel, startKernel } from '#kernel/host'
import { writePrivateFile } from '#kernel/system'
import { objects } from '#plugins/storage'
import { builtinPlugins } from '../../plugins/index.ts'
import { programName } from '../program-name.ts'
import { type StopSignal, watchStopSignals } from '../stop-signal.ts'
import { usageError } from '../usage.ts'
import { startDashboardBuild } from './dashboard-build.ts'
import { type DevDirectory, openDevDirectory } from './dev-directory.ts'
import { type DevGateway, ensureS3User, fundWallet, keepAddresses, prepareGateway, type S3Credentials } from './dev-gateway.ts'
import { openDevLog } from './dev-log.ts'
import { renderWelcome } from './dev-welcome.ts'
import { type DevnetReady, startDevnet } from './devnet-process.ts'
import { requireDevnetPorts, requireFreePorts } from './free-ports.ts'
import { requireOwnInstallation } from './rights.ts'

const healthMs = 60_000
const healthPollMs = 100

interface DevFlags {
  readonly dir: string
  readonly providers: number
  readonly s3Port: number
  readonly adminPort: number
  readonly fresh: boolean
  readonly anySize: boolean
}

interface DevRun {
  readonly flags: DevFlags
  readonly directory: DevDirectory
  readonly stop: StopSignal
  readonly out: Output
  /** Starts this program from any directory. */
  readonly svc: string
}

export async function run({ flags, env, cwd = '', out }: CommandCall<unknown, DevFlags>): Promise<number> {
  const { dir, s3Port, adminPort, fresh: isFresh } = flags
  if (s3Port !== 0 && s3Port === adminPort) throw usageError(`--s3-port and --admin-port must differ, got ${s3Port} for both`)
  const ignored = Object.keys(env).filter((name) => name.startsWith('SVC_') && env[name] !== '')
  if (ignored.length > 0) {
    out.note(`warning: svc dev ignores the environment, so these variables have no effect: ${ignored.sort().join(', ')}`)
  }
  requireOwnInstallation()
  await requireFreePorts({ '--s3-port': s3Port, '--admin-port': adminPort })
  using directory = openDevDirectory(resolve(cwd, dir), { isFresh })
  using stop = watchStopSignals(() => directory[Symbol.dispose]())
  await requireDevnetPorts(directory.devnet)
  try {
    return await serveDev({ flags, directory, stop, out, svc: programName(env) })
  } finally {
    out.note('Stopped.')
  }
}

/** Undoes every step in reverse at the end, also after a failed start. */
async function serveDev(run: DevRun): Promise<number> {
  const { flags, directory, stop, out } = run
  out.note(`Starting the local chain and ${flags.providers} storage providers`)
  using devnetLog = openDevLog(directory.devnetLog, [], () => {})
  await using devnet = await startDevnet({
    dir: directory.devnet,
    providers: flags.providers,
    log: devnetLog.writeLine,
    signal: stop.signal,
  })
  out.note('Starting the gateway')
  const gateway = await prepareGateway(directory, devnet.ready, { isAnySize: flags.anySize })
  await using dashboard = startDashboardBuild(gateway.configPath)
  void dashboard.ended.then((line) => stop.signal.aborted || (line && out.note(line)))
  let ports: DevPorts = flags
  for (;;) {
    const { ended, ...used } = await serveGateway(run, { gateway, devnet, ports })
    if (ended !== 'restart') {
      out.note(stop.signal.aborted ? 'Stopping' : `Stopping: ${ended}`)
      return stop.signal.aborted ? 0 : 1
    }
    // Clients come back to the same addresses.
    ports = used
    out.note('Starting the gateway again')
  }
}

type DevPorts = Pick<DevFlags, 's3Port' | 'adminPort'>

interface GatewayRun {
  readonly gateway: DevGateway
  readonly devnet: Awaited<ReturnType<typeof startDevnet>>
  readonly ports: DevPorts
}

/** One run of the gateway. `ended`: `restart`, or why everything stops. */
async function serveGateway(run: DevRun, { gateway, devnet, ports }: GatewayRun): Promise<DevPorts & { readonly ended: string }> {
  const { directory, stop, out, svc } = run
  const prepared = await prepareFull(gateway, directory, ports)
  using log = openDevLog(directory.log, prepared.secrets, out.note)
  await using kernel = await startKernel(prepared, { log: log.log })
  stop.signal.throwIfAborted()
  out.note('Depositing test tokens and approving the storage service')
  await fundWallet(kernel)
  const s3 = await ensureS3User(kernel, directory)
  await waitUntilHealthy(kernel, stop.signal)
  const urls = urlsOf(kernel)
  keepAddresses(gateway, urls)
  const region = String(prepared.config.raw.get('s3.region'))
  const facts = { kernel, gateway, s3, region, devnet: devnet.ready }
  writePrivateFile(directory.ready, `${JSON.stringify(describeReady(facts), null, 2)}\n`)
  if (ports !== run.flags) out.note('svc is back at the same addresses')
  else {
    out.result(describeReady(facts), renderWelcome({ ...facts, ...urls, sizes: kernel.get(objects), logPath: directory.log, svc }))
  }
  const ended = await Promise.race([stop.received, devnet.ended, kernel.restartRequested.then(() => 'restart')])
  return { ended, s3Port: portOf(urls.s3Url), adminPort: portOf(urls.adminUrl) }
}

const portOf = (url: string): number => Number(new URL(url).port)

/** Ignores the environment: its variables may hold the wallet and network of a real gateway. */
async function prepareFull({ configPath }: DevGateway, directory: DevDirectory, { s3Port, adminPort }: DevPorts): Promise<PreparedKernel> {
  const flags = { 'server.port': `127.0.0.1:${s3Port}`, 'admin.addr': `127.0.0.1:${adminPort}`, 'admin.supervised': 'true' }
  const prepared = await prepareKernel({ plugins: builtinPlugins, configPath, dataDir: directory.gateway, env: {}, flags })
  if (prepared.decision.mode === 'full') return prepared
  const problems = prepared.decision.mode === 'setup' ? prepared.decision.missing : prepared.decision.problems
  const list = problems.map(describeProblem).join('; ')
  throw new CommandError(`${configPath} cannot be used: ${list}; correct it, or delete the data with --fresh`)
}

async function waitUntilHealthy(kernel: RunningKernel, signal: AbortSignal): Promise<void> {
  const deadline = systemClock.now() + healthMs
  for (;;) {
    const health = (await (await fetch(`${kernel.adminUrl}/healthz`, { signal })).json()) as { status: string; errors?: unknown }
    if (health.status === 'ok') return
    if (systemClock.now() > deadline) throw new CommandError(`the gateway is not healthy: ${JSON.stringify(health)}`)
    await systemClock.sleep(healthPollMs, signal)
  }
}

interface ReadyFacts {
  readonly kernel: RunningKernel
  readonly gateway: DevGateway
  readonly s3: S3Credentials
  readonly region: string
  readonly devnet: DevnetReady
}

const urlsOf = (kernel: RunningKernel) => ({ adminUrl: kernel.adminUrl, s3Url: kernel.urls.s3 ?? '' })

/** The content of ready.json, for scripts. */
function describeReady({ kernel, gateway, s3, region, devnet }: ReadyFacts) {
  const { adminUrl, s3Url } = urlsOf(kernel)
  return {
    base_url: adminUrl,
    s3_url: s3Url,
    region,
    admin: { username: gateway.username, password: gateway.password },
    s3,
    config: gateway.configPath,
    devnet_info: devnet.info,
    control_url: devnet.control_url,
    providers: devnet.providers,
    pid: process.pid,
  }
}
