/**
 * A temporary folder with the sources of the dashboard beside links to the build tools. An installed package is below `node_modules`, where
 * Node runs no TypeScript, and a global one does not see the packages of an author.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { CommandError } from '#kernel'
import { beforeSignalEnds } from '../terminal/interrupt.ts'

interface DashboardSource {
  readonly plugin: string
  readonly module: string
}

interface BuildStage extends Disposable {
  /** Returns the result of the build. @throws CommandError with what the build printed */
  build(request: StageRequest): Promise<unknown>
}

interface StageRequest {
  readonly out: string
  readonly sources: readonly DashboardSource[]
  readonly svc: { readonly version: string; readonly commit: string }
}

const copiedFiles = ['tsconfig.json', 'ui/index.html', 'ui/package.json', 'ui/tsconfig.json']
const copiedFolders = ['ui/build', 'ui/public', 'ui/src', 'plugins/*/ui']

/**
 * @param home the folder of svc
 * @param tools of `findBuildTools`
 */
export function openBuildStage(home: string, tools: readonly { readonly name: string; readonly folder: string }[]): BuildStage {
  const stage = mkdtempSync(join(tmpdir(), 'svc-dashboard-'))
  const remove = () => rmSync(stage, { recursive: true, force: true })
  try {
    for (const path of [...copiedFiles, ...globSync(copiedFolders, { cwd: home })])
      cpSync(join(home, path), join(stage, path), { recursive: true, filter: (from) => !from.includes('.test.') })
    for (const { name, folder } of tools) {
      const link = join(stage, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(folder, link)
    }
  } catch (error) {
    remove()
    throw error
  }
  // The parts of built-in plugins are copied; those of packages are read where they are.
  const toStaged = (source: DashboardSource): DashboardSource => {
    const path = relative(home, source.module)
    return /^plugins\/[^/]+\/ui\//.test(path) ? { ...source, module: join(stage, path) } : source
  }
  return {
    async build({ out, sources, svc }) {
      const request = { out, sources: sources.map(toStaged), svc, home: join(home, 'ui') }
      const child = startBuild(join(stage, 'ui/build/staged-main.ts'), request)
      using _cleanUp = beforeSignalEnds(() => {
        child.kill()
        remove()
      })
      return await readResult(child)
    },
    [Symbol.dispose]: remove,
  }
}

function startBuild(program: string, request: object) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], { stdio: ['pipe', 'pipe', 'pipe'] })
  // A program that ends at its start does not read.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(request))
  return child
}

async function readResult(child: ReturnType<typeof startBuild>): Promise<unknown> {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new CommandError(`the dashboard cannot be built: ${stderr.trim() || `the build ended with ${code}`}`)
  return JSON.parse(stdout)
}
