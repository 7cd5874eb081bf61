// Runs a devnet as a process: `node devnet/main.ts --dir D [--providers 5] [--network 1.4] [--control-port 0]`.
import { fstatSync } from 'node:fs'
import module from 'node:module'
import { parseArgs } from 'node:util'

// Compiled code on disk saves 0.4 s of CPU; it is used by later imports only.
module.enableCompileCache()
const [{ parseNetwork }, { startControl }, { startDevnet }] = await Promise.all([
  import('./chain/network-versions.ts'),
  import('./control.ts'),
  import('./devnet.ts'),
])

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      providers: { type: 'string', default: '5' },
      'block-time': { type: 'string', default: '1' },
      network: { type: 'string' },
      'legacy-data-sets': { type: 'string' },
      'proving-period': { type: 'string' },
      'lockup-period': { type: 'string' },
      'control-port': { type: 'string', default: '0' },
    },
  })
  if (values.dir === undefined) throw new Error('--dir is missing: the folder for the data of the devnet')
  const provingPeriod = values['proving-period']
  const lockupPeriod = values['lockup-period']
  const legacyDataSets = values['legacy-data-sets']

  const stopped = waitForStop()
  await using devnet = await startDevnet({
    dir: values.dir,
    providers: Number(values.providers),
    blockTimeSeconds: Number(values['block-time']),
    ...(values.network !== undefined && { network: parseNetwork(values.network) }),
    ...(legacyDataSets !== undefined && { legacyDataSets: Number(legacyDataSets) }),
    ...(provingPeriod !== undefined && { provingPeriodEpochs: Number(provingPeriod) }),
    ...(lockupPeriod !== undefined && { lockupPeriodEpochs: Number(lockupPeriod) }),
    log: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
  })
  await using control = await startControl(devnet, Number(values['control-port']))
  const ready = {
    info: devnet.infoPath,
    control_url: control.url,
    rpc_url: devnet.rpcUrl,
    providers: devnet.providers.map(({ providerId, url }) => ({ provider_id: providerId, service_url: url })),
  }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
  process.stderr.write(`devnet stops: ${await stopped}\n`)
}

/** Resolves with the reason: a signal, or the end of a piped standard input, which means that the parent has ended. */
function waitForStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve(signal))
    // The end of a terminal or of /dev/null says nothing about the parent.
    const input = fstatSync(process.stdin.fd)
    if (!input.isFIFO() && !input.isSocket()) return
    process.stdin.once('end', () => resolve('standard input closed')).once('error', () => resolve('standard input failed'))
    process.stdin.resume()
  })
}

try {
  await main()
  // An open standard input keeps the process running.
  process.stdin.destroy()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
