import type { CommandCall } from '#kernel'
import { version } from '#kernel/system'
import { findPlace } from '../command-settings.ts'
import type { Checked } from '../releases/check-releases.ts'
import { onOneLine } from '../terminal/table.ts'

/** A newer release exists. */
const exitNewer = 3

export async function run(call: CommandCall<unknown, { check: string | undefined; key: string | undefined }>): Promise<number> {
  const { flags, out, cwd = '' } = call
  const { commit, buildDate } = version
  const own = { version: version.version, commit, build_date: buildDate }
  const line = `svc ${version.version} (commit ${commit}, built ${buildDate})`
  if (flags.check === undefined) {
    out.result(own, line)
    return 0
  }
  const { checkReleases } = await import('../releases/check-releases.ts')
  const checked = await checkReleases({ feed: flags.check, key: flags.key, dataDir: findPlace(call).dataDir, cwd }, out)
  out.result({ ...own, check: checked }, [line, ...describe(checked)].join('\n'))
  return checked.newer.length === 0 ? 0 : exitNewer
}

function describe({ issued_at, newer }: Checked): readonly string[] {
  if (newer.length === 0) return [`Up to date with the feed of ${onOneLine(issued_at)}`]
  const lines = newer.map(({ version: name, published_at, security, url = '' }) =>
    onOneLine(`  ${name} of ${published_at}${security ? ', closes security holes' : ''} ${url}`),
  )
  return ['Newer releases:', ...lines, 'Before an upgrade: svc backup <dir>; its first start copies the database too']
}
