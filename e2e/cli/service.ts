/** A service made with `svc init` and `svc serve`, without a chain, and `svc` with its configuration. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SvcRun, svcHome } from '../../cli/testing/run-svc.ts'
import { type AdminCalls, createAdminCalls } from '../fixtures/admin-calls.ts'

export interface Service extends AsyncDisposable, AdminCalls {
  readonly configPath: string
  readonly password: string
  /** Runs a command inside this process, with the configuration and the address of the service. */
  svc(...words: string[]): Promise<SvcRun>
  run(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<SvcRun>
}

const fullMode = {
  SVC_CHAIN_PRIVATE_KEY: '42'.repeat(32),
  SVC_CHAIN_RPC_URL: 'http://127.0.0.1:9/',
  SVC_SERVER_PORT: '127.0.0.1:0',
  // Small objects are stored at once, not when their pack is.
  SVC_PACKS_DEFAULT: 'off',
}

/** @param env further variables of the service; with `setup: true` no chain is configured, so it starts in setup mode */
export async function startService(env: Readonly<Record<string, string>> = {}, { setup = false } = {}): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(svcHome())
  await home.run(['init'])
  const process = stack.use(home.start(['serve'], { SVC_ADMIN_ADDR: '127.0.0.1:0', ...(setup ? {} : fullMode), ...env }))
  const adminUrl = /admin=(\S+)/.exec(await process.line(/is running/))?.[1] ?? ''
  const configPath = join(home.dir, '.svc', 'config.toml')
  const password = readFileSync(join(home.dir, '.svc', 'admin-initial-password'), 'utf8').trim()
  const disposal = stack.move()
  return {
    ...createAdminCalls(adminUrl, { username: 'admin', password }),
    configPath,
    password,
    svc: (...words) => home.run([...words, '--admin-url', adminUrl, '--config', configPath]),
    run: home.run,
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}
