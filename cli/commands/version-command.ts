import type { CommandCall } from '#kernel'
import { version } from '#kernel/system'

export async function run({ out }: CommandCall): Promise<undefined> {
  const { commit, buildDate } = version
  out.result({ version: version.version, commit, build_date: buildDate }, `svc ${version.version} (commit ${commit}, built ${buildDate})`)
}
