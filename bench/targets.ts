// The servers that are compared in one run.
import { join, resolve } from 'node:path'
import { type Gateway, type GatewayOptions, startGateway } from './bench-server.ts'
import { openPeer, type S3Target } from './peers.ts'

export interface CompareOptions<Scale> {
  readonly scale?: Scale
  /** Folder of another checkout, with its dependencies installed: its gateway takes part in every round. */
  readonly before?: string | undefined
  /** Other S3 servers, as `openPeer` reads them. */
  readonly peers?: readonly string[] | undefined
  /** Only loads whose name contains this text. Of put-get. */
  readonly only?: string | undefined
  /** Directory for the CPU profile of the gateway. */
  readonly profileDir?: string | undefined
}

interface Targets {
  readonly before: Gateway | undefined
  readonly gateway: Gateway
  /** All that check signatures: the earlier gateway, this one, the peers. */
  readonly targets: readonly S3Target[]
}

/** The gateways and peers of one run; `servers` stops them. */
export async function startTargets(
  dir: string,
  servers: AsyncDisposableStack,
  { before, peers = [], profileDir, settings }: Omit<CompareOptions<never>, 'scale' | 'only'> & Pick<GatewayOptions, 'settings'>,
): Promise<Targets> {
  const profiling = (to: string | undefined) => (to === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${to}`])
  const earlier =
    before === undefined
      ? undefined
      : servers.use(
          await startEarlier(dir, {
            label: 'gateway before',
            checkout: resolve(before),
            settings,
            // Both, because a profile slows a gateway.
            nodeArguments: profiling(profileDir && join(profileDir, 'before')),
          }),
        )
  const gateway = servers.use(await startGateway(join(dir, 'gateway'), { nodeArguments: profiling(profileDir), settings }))
  const targets: S3Target[] = earlier === undefined ? [gateway] : [earlier, gateway]
  for (const peer of peers) targets.push(servers.use(await openPeer(peer)))
  return { before: earlier, gateway, targets }
}

/** Leaves out settings that the checkout does not have; operations that need them are then refused. */
export async function startEarlier(dir: string, options: GatewayOptions): Promise<Gateway> {
  let settings = options.settings ?? {}
  for (;;) {
    try {
      return await startGateway(join(dir, `before-${Object.keys(settings).length}`), { ...options, settings })
    } catch (error) {
      const unknown = Object.keys(settings).find((name) => String(error).includes(`${name} is not a setting of this service`))
      if (unknown === undefined) throw error
      settings = Object.fromEntries(Object.entries(settings).filter(([name]) => name !== unknown))
    }
  }
}
