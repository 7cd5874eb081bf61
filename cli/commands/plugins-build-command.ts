import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CommandCall, CommandError } from '#kernel'
import { choosePlugins } from '#kernel/host'
import { openBuildPlace, ownDashboardFolder, version } from '#kernel/system'
import { builtinPlugins } from '../../plugins/index.ts'
import { adviseInit, findPlace } from '../command-settings.ts'
import { readDashboardSources } from '../dashboard-sources.ts'
import { openBuildStage } from './build-stage.ts'
import { findBuildTools } from './build-tools.ts'

interface Built {
  readonly folder: string
  readonly stage: string
  readonly parts: readonly { readonly plugin: string; readonly pages?: readonly { readonly path: string }[] }[]
  readonly firstView: { readonly files: number; readonly bytes: number }
}

const home = fileURLToPath(new URL('../../', import.meta.url))

/** Builds the dashboard with the parts of all plugins of the configuration: a disabled one may be enabled later. */
export async function run(call: CommandCall<unknown, { out: string | undefined }>): Promise<undefined> {
  const place = findPlace(call)
  if (call.flags.out === undefined && !existsSync(place.dataDir)) throw new CommandError(adviseInit(place.configPath, call.env))
  const { enabled, disabled } = await choosePlugins({ plugins: builtinPlugins, ...place, env: call.env })
  const sources = await readDashboardSources([...enabled, ...disabled])
  const cwd = resolve(call.cwd ?? '.')
  const tools = findBuildTools(join(home, 'ui/package.json'), [cwd, dirname(place.configPath), home])
  const own = ownDashboardFolder(place.dataDir)
  const out = call.flags.out === undefined ? own : resolve(cwd, call.flags.out)
  using target = await openTarget(out)
  call.out.progress?.('building the dashboard')
  using sourcesStage = openBuildStage(home, tools)
  const { version: number, commit } = version
  const { folder, stage, parts, firstView } = (await sourcesStage.build({ out, sources, svc: { version: number, commit } })) as Built
  target.publish(stage)
  call.out.progress?.('')
  const builtIn = builtinPlugins.map(({ id }) => id)
  const added = parts.filter(({ plugin }) => !builtIn.includes(plugin))
  const pages = added.flatMap(({ plugin, pages = [] }) => pages.map(({ path }) => ({ plugin, path })))
  const facts = { folder, plugins: added.map(({ plugin }) => plugin), pages, first_view: firstView }
  call.out.result(facts, [...describe(facts), out === own ? adviceHere : adviceElsewhere(own), ''].join('\n'))
}

/** Refuses a second build of the same folder before its tools are linked. */
async function openTarget(out: string) {
  try {
    return await openBuildPlace(out)
  } catch (cause) {
    throw new CommandError(`the dashboard cannot be built: ${(cause as Error).message}`, { cause })
  }
}

const adviceHere = 'The gateway of this configuration serves it from the next load of a page.'
const adviceElsewhere = (own: string) =>
  `A gateway of this svc serves it when it is the folder \`dashboard\` beside its configuration, here ${own}.`

function describe({ folder, plugins, pages, first_view }: { readonly folder: string } & BuiltFacts): readonly string[] {
  const added =
    plugins.length === 0
      ? 'The configuration names no plugin with pages; the build has those of svc.'
      : `With the parts of ${plugins.join(', ')}: ${pages.map(({ path }) => path).join(', ') || 'no page'}.`
  return [
    `Built ${folder}.`,
    added,
    `The first view is ${first_view.files} scripts, ${(first_view.bytes / 1024).toFixed(1)} KiB after brotli.`,
  ]
}

interface BuiltFacts {
  readonly plugins: readonly string[]
  readonly pages: readonly { readonly path: string }[]
  readonly first_view: Built['firstView']
}
