/** Builds the dashboard beside the start of the gateway, which answers before the build has ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface DashboardBuild extends AsyncDisposable {
  /** Resolves with a line for the operator; undefined where the sources of the dashboard are not installed. */
  readonly ended: Promise<string | undefined>
}

const program = fileURLToPath(new URL('../../ui/build/main.ts', import.meta.url))

/** A package has the sources of the dashboard only for `svc plugins build`, and Node does not run them there. */
const isBundled = !import.meta.url.endsWith('.ts')

/** @param configPath may name plugins whose pages belong to the dashboard */
export function startDashboardBuild(configPath: string): DashboardBuild {
  if (isBundled || !existsSync(program)) return { ended: Promise.resolve(undefined), [Symbol.asyncDispose]: async () => {} }
  // Variables of a real gateway must not choose its plugins.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SVC_CONFIG: configPath }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = describeEnd(child)
  return {
    ended,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

async function describeEnd(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  const collect = (chunk: Buffer) => void lines.push(chunk.toString())
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  try {
    await once(child, 'close')
  } catch (error) {
    return `the dashboard cannot be built: ${(error as Error).message}`
  }
  return lines.join('').trim()
}
