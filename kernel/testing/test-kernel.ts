/** A real kernel for tests: real configuration file, real SQLite, real HTTP, in a temporary directory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databasePath, isPostgres } from '../config/database-path.ts'
import { readConfigFile, saveConfigFile } from '../config/file.ts'
import type { FileValue } from '../config/setting.ts'
import type { Plugin } from '../core/plugin.ts'
import { silentLog } from '../log/log.ts'
import { type RunningKernel, type StartOptions, startKernel } from '../start/kernel.ts'
import { kernelMigrations, schemasOf } from '../start/open-kernel-database.ts'
import { prepareKernel } from '../start/prepare.ts'
import { cheapPasswordHash, testOperator } from './admin-listener.ts'
import { basicAuth } from './http.ts'
import { copySqliteTemplate } from './sqlite-template.ts'

export interface TestKernelOptions extends StartOptions {
  readonly plugins: readonly Plugin[]
  /** Dotted path → value, written into the configuration file. Listeners of plugins need their own setting for an ephemeral port. */
  readonly config?: Readonly<Record<string, FileValue>>
  readonly env?: Readonly<Record<string, string>>
  /** A directory to keep, such as that of an earlier test kernel, whose data is reused. Default: a new one, removed at the stop. */
  readonly dir?: string
  /** True: the kernel makes its database itself, as on a new installation. Default: it finds a migrated, empty one. */
  readonly isNew?: boolean
}

export interface TestKernel extends AsyncDisposable {
  readonly kernel: RunningKernel
  /** URL of the Admin listener. */
  readonly url: string
  readonly dir: string
  readonly password: string
  /** Fetches `path` below `url`. Signed in by HTTP Basic, unless `init` brings an Authorization or Cookie header. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Sends `body` as JSON and reads the answer as JSON (undefined when it is empty). */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any; readonly headers: Headers }>
  stop(): Promise<void>
}

export async function testKernel(options: TestKernelOptions): Promise<TestKernel> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'svc-test-'))
  const cleanUp = () => {
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true })
  }
  try {
    const kernel = await start(dir, options)
    const stop = async () => {
      await kernel.stop()
      cleanUp()
    }
    return {
      kernel,
      url: kernel.adminUrl,
      dir,
      password: testOperator.password,
      ...client(kernel.adminUrl),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    cleanUp()
    throw error
  }
}

async function start(
  dir: string,
  { plugins, config, env = {}, dir: _kept, isNew = false, ...options }: TestKernelOptions,
): Promise<RunningKernel> {
  const configPath = join(dir, 'config.toml')
  const first = readConfigFile(configPath).exists ? {} : await firstSettings()
  saveConfigFile(configPath, { ...first, ...config })
  const prepared = await prepareKernel({ plugins, configPath, dataDir: dir, env })
  if (!isNew && prepared.decision.mode === 'full' && !isPostgres(prepared.dsn)) {
    await copySqliteTemplate(databasePath(prepared.dsn), await kernelMigrations(schemasOf(prepared).enabled))
  }
  return startKernel(prepared, { log: silentLog, ...options })
}

const firstSettings = async () => ({
  'admin.addr': '127.0.0.1:0',
  'admin.auth.username': testOperator.username,
  'admin.auth.password_hash': await cheapPasswordHash(),
  'admin.auth.session_secret': 'a session secret that only tests use',
})

function client(url: string): Pick<TestKernel, 'fetch' | 'call'> {
  const send: TestKernel['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization') && !headers.has('cookie')) {
      headers.set('authorization', basicAuth(testOperator.username, testOperator.password))
    }
    return fetch(url + path, { ...init, headers })
  }
  return {
    fetch: send,
    async call(method, path, body) {
      const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await send(path, { method, ...json })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
    },
  }
}
