/** The service of the installed package, with data of its own. No chain is reachable. */
import { chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createGatewayCalls, writeConfig } from '../fixtures/gateways/gateway.ts'
import type { Stranger } from './stranger.ts'

interface RunningLine {
  readonly admin: string
  readonly s3: string
}

/** @param name of a new folder in that of the user */
export async function createService(user: Stranger, svc: string, name: string) {
  const dir = join(user.dir, name)
  await user.run('mkdir', [dir])
  const config = await writeConfig(dir, {})
  const { uid, gid } = statSync(dir)
  chownSync(config, uid, gid)
  const place = ['--config', config]
  return {
    async whileServed<T>(use: (gateway: ReturnType<typeof createGatewayCalls>) => Promise<T>): Promise<T> {
      await using running = user.start(svc, ['serve', ...place])
      return await use(createGatewayCalls(JSON.parse(await running.line(/ is running/)) as RunningLine))
    },
    /** The result of a program that cannot serve the data. */
    fail: (program: string) => user.run(program, ['serve', ...place]),
    async migrate(flag: '--status' | '--forget-backup') {
      const { stdout } = await user.run(svc, ['migrate', flag, '--json', ...place])
      return JSON.parse(stdout)
    },
  }
}

/** The migrations that were applied to a database which no svc uses. */
export function migrationsOf(path: string): readonly unknown[] {
  using database = new DatabaseSync(path, { readOnly: true })
  return database
    .prepare('select name from svc_migration')
    .all()
    .map(({ name }) => name)
}
